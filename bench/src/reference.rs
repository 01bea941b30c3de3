//! The tools that others use, to measure against: found by a variable or on the path, never part of the product.

use std::ffi::OsString;
use std::process::Command;

/// A tool whose behaviour ours has.
#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) program: OsString,
    pub(crate) version: String,
}

impl Reference {
    /// `kustomize` as `KUSTOMIZE` names it or as it is found on the path, when its version is ours.
    pub(crate) fn kustomize() -> Option<Self> {
        Self::find("KUSTOMIZE", "kustomize", &["version"], "v5.7.1")
    }

    /// The same for `helm`.
    pub(crate) fn helm() -> Option<Self> {
        Self::find("HELM", "helm", &["version", "--short"], "v3.")
    }

    /// Tells why there is none.
    fn find(variable: &str, name: &str, line: &[&str], wanted: &str) -> Option<Self> {
        let program = std::env::var_os(variable).unwrap_or_else(|| name.into());
        let told = Command::new(&program).args(line).output();
        let version = told.map(|told| String::from_utf8_lossy(&told.stdout).trim().to_owned());
        match version {
            Ok(version) if version.starts_with(wanted) => Some(Self { program, version }),
            Ok(version) => {
                println!("skipped: {name} is {version:?} and not {wanted}: name another one with {variable}");
                None
            }
            Err(error) => {
                println!("skipped: {name} cannot be started ({error}): put it on the path or name it with {variable}");
                None
            }
        }
    }

    pub(crate) fn command(&self, line: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(line);
        command
    }
}
