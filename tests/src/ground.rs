//! What a landscape's clusters are: simulated ones, or real ones that somebody started (`make test-cluster`).

use crate::{Process, World, until};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A cluster with its API at a plain address of this machine.
#[derive(Debug)]
pub(crate) struct Ground {
    _processes: Vec<Process>,
    pub(crate) api: String,
    /// Where its pods' metrics are.
    pub(crate) metrics: String,
    pub(crate) kubeconfig: PathBuf,
    /// The context of the user `delegate`.
    pub(crate) context: String,
}

/// The kubeconfigs of the real clusters; nothing when the tests run on simulated ones.
pub fn real_clusters() -> Option<Vec<PathBuf>> {
    let paths = std::env::var_os("WINDLASS_CLUSTERS")?;
    Some(std::env::split_paths(&paths).collect())
}

/// How many times faster than the world business time runs. Real controllers need real time for what they do: a step's timeout must not
/// pass meanwhile.
pub(crate) fn scale() -> &'static str {
    if real_clusters().is_some() { "10" } else { "50" }
}

impl Ground {
    /// A cluster with the objects of a file in it. Real ones are taken in turn, and emptied first.
    pub(crate) fn new(world: &World, name: &str, seed: &Path, workloads: &Path, clock: &[&str]) -> Self {
        match real_clusters() {
            None => Self::simulated(world, name, seed, workloads, clock),
            Some(clusters) => {
                static TAKEN: AtomicUsize = AtomicUsize::new(0);
                let taken = TAKEN.fetch_add(1, Ordering::Relaxed);
                Self::real(world, name, seed, workloads, clock, &clusters[taken % clusters.len()])
            }
        }
    }

    fn simulated(world: &World, name: &str, seed: &Path, workloads: &Path, clock: &[&str]) -> Self {
        let kubeconfig = world.folder().join(format!("{name}.kubeconfig"));
        let arguments = ["kube-sim", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--name", name];
        let people = ["--admin-token", "admin", "--user-token", "delegate=delegate"];
        let files = [("--kubeconfig", kubeconfig.as_path()), ("--seed", seed), ("--workloads", workloads)];
        let files = files.iter().flat_map(|(flag, path)| [*flag, path.to_str().unwrap()]);
        let arguments: Vec<&str> =
            arguments.into_iter().chain(people).chain(files).chain(clock.iter().copied()).collect();
        let mut process = world.start(&format!("cluster-{name}"), &arguments);
        let said = process.says("serves https://");
        let api = format!("http://{}", said.split(',').next().unwrap());
        let metrics = said.split_once("metrics ").map(|(_, url)| url.to_owned()).unwrap();
        Self { _processes: vec![process], api, metrics, kubeconfig, context: format!("delegate@{name}") }
    }

    fn real(world: &World, name: &str, seed: &Path, workloads: &Path, clock: &[&str], kubeconfig: &Path) -> Self {
        let context = kubectl(kubeconfig, &["config", "current-context"]);
        let context = context.trim().replace("admin@", "delegate@");
        empty(kubeconfig);
        kubectl(kubeconfig, &["apply", "-f", seed.to_str().unwrap()]);

        let mut command = Command::new(program());
        command.args(["proxy", "--port=0", "--kubeconfig"]).arg(kubeconfig);
        let mut proxy = Process::start(command, world.folder(), &format!("proxy-{name}"));
        let api = format!("http://{}", proxy.says("Starting to serve on "));

        let cluster = format!("{name}={}", kubeconfig.display());
        let workloads = ["--catalogue", workloads.to_str().unwrap(), "--cluster", &cluster];
        let arguments = [&["workloads", "--listen", "127.0.0.1:0"], &workloads[..], clock].concat();
        let mut metrics = world.start(&format!("metrics-{name}"), &arguments);
        let said = metrics.says("workloads serves ");
        let url = said.split(',').next().unwrap().to_owned();
        Self { _processes: vec![proxy, metrics], api, metrics: url, kubeconfig: kubeconfig.to_owned(), context }
    }
}

/// The `kubectl` that was built with the clusters.
fn program() -> std::ffi::OsString {
    std::env::var_os("KUBECTL").unwrap_or_else(|| "kubectl".into())
}

#[track_caller]
fn kubectl(kubeconfig: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(program());
    let output = command.env("KUBECONFIG", kubeconfig).args(arguments).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "kubectl {}: {told}", arguments.join(" "));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Takes everything out of a cluster that an earlier test left.
fn empty(kubeconfig: &Path) {
    let left = || -> Vec<String> {
        let namespaces = kubectl(kubeconfig, &["get", "namespaces", "-o", "name"]);
        let own = ["default", "kube-system", "kube-public", "kube-node-lease"];
        let names = namespaces.lines().map(|line| line.trim_start_matches("namespace/").to_owned());
        names.filter(|name| !own.contains(&name.as_str())).collect()
    };
    let names = left();
    if !names.is_empty() {
        let arguments =
            [&["delete", "namespace", "--wait=false"], &names.iter().map(String::as_str).collect::<Vec<_>>()[..]]
                .concat();
        kubectl(kubeconfig, &arguments);
        until("the cluster to be empty", || left().is_empty().then_some(()));
    }
}
