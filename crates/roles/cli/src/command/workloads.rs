//! `windlass workloads`: metrics of pods that only pretend to serve anybody.

mod kubeconfig;

use super::{ClockArgs, pretend};
use crate::failure::CliFailure;
use crate::output;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, RwLock};
use windlass_model::Millis;
use windlass_workloads::{ApiServer, Catalog, Fleet, MetricsServer};

/// Follows the pods of clusters, real or simulated, and serves what a catalogue says of their images as Prometheus would.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "For one simulated cluster `windlass kube-sim --workloads FILE --metrics ADDR` does the same in one process."
)]
pub(crate) struct Args {
    /// Where to serve the Prometheus API, over plain HTTP.
    #[arg(long, default_value = "127.0.0.1:9090", value_name = "ADDR")]
    listen: SocketAddr,
    /// What images do: how many requests they serve, how many of those fail, how long they take.
    #[arg(long, value_name = "FILE")]
    catalogue: PathBuf,
    /// A cluster to follow: NAME becomes the label `cluster`, the kubeconfig says how to reach it. Repeatable.
    #[arg(long, required = true, value_name = "NAME=KUBECONFIG[#CONTEXT]")]
    cluster: Vec<String>,
    /// How far samples lie apart.
    #[arg(long, default_value = "5s", value_name = "LENGTH", value_parser = Millis::parse)]
    scrape_interval: Millis,
    /// Decides the noise of the numbers.
    #[arg(long, default_value_t = 1, value_name = "N")]
    random_seed: u64,
    #[command(flatten)]
    clock: ClockArgs,
}

pub(crate) async fn run(args: Args) -> Result<ExitCode, CliFailure> {
    super::log_to_stderr();
    let clock = args.clock.clock()?;
    let file = args.catalogue.display().to_string();
    let catalog = Catalog::parse(&file, &super::read_text(&args.catalogue)?)
        .map_err(|problems| CliFailure::usage(format!("{file} cannot be used")).problems(problems))?;
    let clusters: Vec<ApiServer> = args.cluster.iter().map(|text| cluster(text)).collect::<Result<_, _>>()?;
    let fleet = Arc::new(RwLock::new(Fleet::new(Arc::new(catalog), args.random_seed)));
    let stop = super::until_asked_to_stop()?;
    let (listener, address) = pretend::listen(args.listen).await?;
    let names: Vec<&str> = clusters.iter().map(|cluster| cluster.cluster.as_str()).collect();
    output::line(format!("workloads serves http://{address}, clusters {}", names.join(" ")));
    let following = clusters.iter().map(|cluster| cluster.follow(fleet.clone(), clock));
    let server = MetricsServer::new(fleet.clone(), clock).scrape_interval(args.scrape_interval);
    let service = async {
        tokio::select! {
            served = server.serve(listener) => served,
            _ = futures::future::join_all(following) => Ok(()),
        }
    };
    pretend::serve(stop, service).await?;
    Ok(ExitCode::SUCCESS)
}

fn cluster(text: &str) -> Result<ApiServer, CliFailure> {
    let (name, place) = pretend::pair("--cluster", text, "NAME=KUBECONFIG[#CONTEXT]")?;
    let (path, context) = place.split_once('#').map_or((place, None), |(path, context)| (path, Some(context)));
    let way = kubeconfig::read(path.as_ref(), context)?;
    Ok(ApiServer { url: way.server, token: way.token, cluster: name.to_owned(), client: way.client })
}
