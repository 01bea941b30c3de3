use super::build;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use windlass_test_cluster::{Error, Options, RealCluster};
use windlass_workloads::Catalog;

/// What clusters, and for what.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// How many clusters, of about 500 MiB each.
    #[arg(long, default_value_t = 1)]
    clusters: u32,
    /// API servers alone, without controllers, scheduler and kubelets.
    #[arg(long)]
    bare: bool,
    /// What images do, as for `windlass kube-sim --workloads`.
    #[arg(long, value_name = "FILE")]
    images: Option<PathBuf>,
    /// How many times faster than the catalogue says the pods start, become ready and end.
    #[arg(long, default_value_t = 1)]
    faster: u64,
    /// The command. It finds in WINDLASS_CLUSTERS the kubeconfigs of the clusters, separated as in PATH, and in KUBECONFIG the first.
    #[arg(last = true)]
    command: Vec<String>,
}

pub(crate) async fn run(arguments: Arguments) -> Result<ExitCode, Error> {
    let binaries = build()?;
    let images = match &arguments.images {
        None => Catalog::default(),
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|source| Error::File { path: path.clone(), source })?;
            Catalog::parse(&path.to_string_lossy(), &text).map_err(|told| Error::Catalogue(told.to_string()))?
        }
    };
    let mut clusters = Vec::new();
    for n in 1..=arguments.clusters {
        let options = Options {
            name: format!("real-{n}"),
            controllers: !arguments.bare,
            images: images.clone(),
            faster: arguments.faster,
            ..Options::default()
        };
        let cluster = RealCluster::start(&binaries, &options).await?;
        eprintln!("{} serves {}, kubeconfig {}", options.name, cluster.url(), cluster.kubeconfig().display());
        clusters.push(cluster);
    }
    let Some((program, rest)) = arguments.command.split_first() else {
        eprintln!("the tokens are `admin`, `limited` and `delegate`; Ctrl-C ends everything");
        let _ = tokio::signal::ctrl_c().await;
        return Ok(ExitCode::SUCCESS);
    };
    let kubeconfigs = std::env::join_paths(clusters.iter().map(RealCluster::kubeconfig)).unwrap_or_default();
    let mut command = Command::new(program);
    command.args(rest).stdin(Stdio::null()).env("WINDLASS_CLUSTERS", kubeconfigs);
    if let Some(first) = clusters.first() {
        command.env("KUBECONFIG", first.kubeconfig());
    }
    command.env("KUBECTL", binaries.path("kubectl"));
    let status = command.status().map_err(|source| Error::Start { program: program.clone(), source })?;
    // What ended beside the command explains why it failed.
    clusters.iter_mut().try_for_each(RealCluster::check)?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}
