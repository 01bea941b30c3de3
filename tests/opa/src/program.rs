//! The real OPA: a small Go program around its library, built by the Go client from a module whose sums are in this tree.

use crate::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

const FILES: [(&str, &str); 3] = [
    ("go.mod", include_str!("../go/go.mod")),
    ("go.sum", include_str!("../go/go.sum")),
    ("main.go", include_str!("../go/main.go")),
];

/// Names what was built; a change of the module or of the program is a change here.
const VERSION: &str = "opa-1.22.2-1";

/// Where the program is kept: `WINDLASS_OPA_CACHE`, else `windlass-opa` in the user's cache folder; one folder below for each version.
pub(crate) fn folder() -> PathBuf {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = || of("XDG_CACHE_HOME").or_else(|| Some(of("HOME")?.join(".cache")));
    let root = of("WINDLASS_OPA_CACHE").or_else(|| Some(cache()?.join("windlass-opa")));
    root.unwrap_or_else(|| std::env::temp_dir().join("windlass-opa")).join(VERSION)
}

/// Builds the program when it is not there yet. `tell` hears what is being done.
///
/// # Errors
/// When there is no Go toolchain, or the build fails.
pub fn build(mut tell: impl FnMut(&str)) -> Result<PathBuf, Error> {
    let folder = folder();
    let program = folder.join("opa");
    let source = folder.join("source");
    std::fs::create_dir_all(&source).map_err(Error::file(&source))?;
    // Two at once build one after the other; the second finds everything done.
    let path = folder.join("lock");
    let lock = std::fs::File::create(&path).map_err(Error::file(&path))?;
    lock.lock().map_err(Error::file(&path))?;
    if !program.is_file() {
        tell(&format!("building {VERSION}, once, into {}", folder.display()));
        for (name, text) in FILES {
            let path = source.join(name);
            std::fs::write(&path, text).map_err(Error::file(&path))?;
        }
        build_in(&source, &program)?;
    }
    Ok(program)
}

fn no_go(error: std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::NotFound => Error::NoGo,
        _ => Error::Start { program: "go".into(), source: error },
    }
}

fn build_in(source: &Path, program: &Path) -> Result<(), Error> {
    // Under another name first: what bears its name is whole.
    let unfinished = program.with_extension("new");
    let mut go = Command::new("go");
    go.current_dir(source).env("GOFLAGS", "-mod=readonly").env("GOWORK", "off");
    go.args(["build", "-buildvcs=false", "-ldflags", "-s -w", "-o"]).arg(&unfinished).arg(".");
    let output = go.output().map_err(no_go)?;
    if !output.status.success() {
        return Err(Error::Build(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    std::fs::rename(&unfinished, program).map_err(Error::file(program))
}

#[cfg(test)]
mod tests {
    use super::{FILES, VERSION};

    #[test]
    fn the_name_of_the_folder_tells_the_version() {
        let version = FILES[0].1.lines().find_map(|l| l.strip_prefix("require ")?.split_once(" v")).unwrap().1;
        assert!(VERSION.starts_with(&format!("opa-{version}-")), "{VERSION} {version}");
    }
}
