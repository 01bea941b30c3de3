//! The programs of a cluster: built by the Go client from modules whose sums are in this tree, once for each set of versions.

use crate::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Go module that builds some of the programs, as files.
struct Module {
    name: &'static str,
    files: [(&'static str, &'static str); 3],
    /// Values of variables that the linker sets.
    link: &'static str,
    /// Programs and the packages that they are.
    programs: &'static [(&'static str, &'static str)],
}

macro_rules! files {
    ($folder:literal) => {
        [
            ("go.mod", include_str!(concat!("../go/", $folder, "/go.mod"))),
            ("go.sum", include_str!(concat!("../go/", $folder, "/go.sum"))),
            ("tools.go", include_str!(concat!("../go/", $folder, "/tools.go"))),
        ]
    };
}

/// Without these the binaries call themselves v0.0.0.
const RELEASE: &str = "-s -w -X k8s.io/component-base/version.gitVersion=v1.34.4 -X k8s.io/component-base/version.gitMajor=1 \
    -X k8s.io/component-base/version.gitMinor=34 -X k8s.io/component-base/version.gitTreeState=clean";

const MODULES: [Module; 4] = [
    Module { name: "etcd", files: files!("etcd"), link: "-s -w", programs: &[("etcd", "go.etcd.io/etcd/server/v3")] },
    Module {
        name: "kubernetes",
        files: files!("kubernetes"),
        link: RELEASE,
        programs: &[
            ("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"),
            ("kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager"),
            ("kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler"),
            ("kubectl", "k8s.io/kubernetes/cmd/kubectl"),
        ],
    },
    Module { name: "helm", files: files!("helm"), link: "-s -w", programs: &[(HELM, "helm.sh/helm/v3/cmd/helm")] },
    Module { name: "kwok", files: files!("kwok"), link: "-s -w", programs: &[("kwok", "sigs.k8s.io/kwok/cmd/kwok")] },
];

/// The client of charts has its version in its own name: it is no part of a cluster.
pub const HELM: &str = "helm-3.22.0";

/// Names the set of versions; a change of a module above is a change here.
const VERSIONS: &str = "kubernetes-1.34.4-etcd-3.6.4-kwok-0.7.0";

/// A folder with all programs of a cluster.
#[derive(Clone, Debug)]
pub struct Binaries(PathBuf);

impl Binaries {
    /// Where the programs are kept: `WINDLASS_CLUSTER_CACHE`, else `windlass-cluster` in the user's cache folder; one folder below for each set of versions.
    pub fn folder() -> PathBuf {
        let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let cache = || of("XDG_CACHE_HOME").or_else(|| Some(of("HOME")?.join(".cache")));
        let root = of("WINDLASS_CLUSTER_CACHE").or_else(|| Some(cache()?.join("windlass-cluster")));
        root.unwrap_or_else(|| std::env::temp_dir().join("windlass-cluster")).join(VERSIONS)
    }

    /// The programs, when all have been built.
    pub fn found() -> Option<Self> {
        let binaries = Self(Self::folder());
        let mut names = MODULES.iter().flat_map(|module| module.programs);
        names.all(|(name, _)| binaries.path(name).is_file()).then_some(binaries)
    }

    /// Builds what is not there yet. `tell` hears what is being done.
    ///
    /// # Errors
    /// When there is no Go toolchain, or a build fails.
    pub fn build(mut tell: impl FnMut(&str)) -> Result<Self, Error> {
        let binaries = Self(Self::folder());
        let folder = &binaries.0;
        std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
        // Two at once build one after the other; the second finds everything done.
        let path = folder.join("lock");
        let mut lock = std::fs::File::create(&path).map_err(Error::file(&path))?;
        lock.lock().map_err(Error::file(&path))?;
        let _ = writeln!(lock, "{}", std::process::id());
        for module in &MODULES {
            let missing: Vec<_> = module.programs.iter().filter(|(name, _)| !binaries.path(name).is_file()).collect();
            if missing.is_empty() {
                continue;
            }
            let source = folder.join("source").join(module.name);
            write(&source, &module.files)?;
            for (name, package) in missing {
                tell(&format!("building {name}, once, into {}", folder.display()));
                binaries.build_one(&source, module.link, name, package)?;
            }
        }
        Ok(binaries)
    }

    fn build_one(&self, source: &Path, link: &str, name: &'static str, package: &str) -> Result<(), Error> {
        // Under another name first: what bears its name is whole.
        let unfinished = self.0.join(format!("{name}.new"));
        let mut go = Command::new("go");
        go.current_dir(source).env("GOFLAGS", "-mod=readonly").env("GOWORK", "off");
        go.args(["build", "-buildvcs=false", "-ldflags", link, "-o"]).arg(&unfinished).arg(package);
        let output = go.output().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Error::NoGo,
            _ => Error::Start { program: "go".to_owned(), source: error },
        })?;
        if !output.status.success() {
            return Err(Error::Build { name, told: String::from_utf8_lossy(&output.stderr).into_owned() });
        }
        let finished = self.path(name);
        std::fs::rename(&unfinished, &finished).map_err(Error::file(&finished))
    }

    /// Where a program is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

fn write(folder: &Path, files: &[(&str, &str)]) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(Error::file(&path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{MODULES, VERSIONS};

    #[test]
    fn the_name_of_the_folder_tells_the_versions() {
        for module in &MODULES {
            let (_, text) = module.files[0];
            let (_, version) = text.lines().find_map(|l| l.strip_prefix("require ")?.split_once(" v")).unwrap();
            let name = format!("{}-{version}", module.name);
            assert!(VERSIONS.contains(&name) || module.programs.iter().all(|(program, _)| *program == name), "{name}");
        }
        assert!(MODULES[1].link.contains("gitVersion=v1.34.4"));
    }
}
