//! The reference, as a program on files of the disk.

use crate::project::Files;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) struct Reference {
    program: OsString,
    helm: Option<OsString>,
    folder: PathBuf,
}

impl Reference {
    /// The programs that `KUSTOMIZE` and `HELM` name; `worker` keeps those that run beside each other apart.
    pub(crate) fn from_environment(worker: usize) -> Option<Self> {
        let folder = std::env::temp_dir().join(format!("windlass-kustomize-{}-{worker}", std::process::id()));
        Some(Self { program: std::env::var_os("KUSTOMIZE")?, helm: std::env::var_os("HELM"), folder })
    }

    pub(crate) fn has_helm(&self) -> bool {
        self.helm.is_some()
    }

    #[allow(clippy::disallowed_methods, reason = "the reference is a program that only this comparison starts")]
    pub(crate) fn build(&self, files: &Files) -> Result<String, String> {
        write(&self.folder, files);
        let mut command = Command::new(&self.program);
        command.arg("build");
        if let Some(helm) = &self.helm {
            command.arg("--enable-helm").arg("--helm-command").arg(helm);
        }
        let output = command.arg(self.folder.join("root")).output().expect("the reference starts");
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub(crate) fn write(folder: &Path, files: &Files) {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder.join("root")).expect("a folder for tests");
    for (path, content) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder for tests");
        std::fs::write(path, content).expect("a file for tests");
    }
}

/// The innermost part of an error, without names.
pub(crate) fn stem(error: &str) -> String {
    let line = error.lines().rfind(|line| line.starts_with("Error: ")).unwrap_or_default();
    let inner = line.rsplit(": ").find(|part| part.len() > 20).unwrap_or(line);
    inner.split(['\'', '"', '[']).next().unwrap_or_default().chars().take(60).collect()
}
