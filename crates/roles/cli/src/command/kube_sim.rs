//! `windlass kube-sim`: a simulated cluster for kubectl, helm, delegates and tests.

pub(super) mod files;
mod kubeconfig;

use super::{ClockArgs, pretend};
use crate::failure::CliFailure;
use crate::output;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, RwLock};
use windlass_kube_sim::{Config, Identity, KubeSim};
use windlass_workloads::{Fleet, MetricsServer, SimulatedImages};

/// A Kubernetes API server with controllers, in memory: `kubectl` and `helm` work against it, and nothing is run.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "--time-scale N lets the cluster's time run N times faster than the world; --clock-start TIME says where \
                        it begins.\nSIGHUP reads the file of --faults again; its times then count from that moment."
)]
pub(crate) struct Args {
    /// Where to listen: HTTPS, and for clients on this machine plain HTTP too.
    #[arg(long, default_value = "127.0.0.1:6443", value_name = "ADDR")]
    listen: SocketAddr,
    /// The token of a user who may do everything.
    #[arg(long, env = "KUBE_SIM_ADMIN_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    admin_token: String,
    /// A user without rights but those that role bindings in the cluster give. Repeatable.
    #[arg(long, value_name = "NAME=TOKEN")]
    user_token: Vec<String>,
    /// The cluster's name: in the kubeconfig, and as label of its metrics.
    #[arg(long, default_value = "kube-sim")]
    name: String,
    /// How many nodes it has.
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    nodes: u32,
    /// Manifests of what is there from the start.
    #[arg(long, value_name = "FILE")]
    seed: Vec<PathBuf>,
    /// What goes wrong, and when.
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
    /// What images do: which can be pulled, how long they start, how many requests they serve and fail.
    #[arg(long, value_name = "FILE")]
    workloads: Option<PathBuf>,
    /// Serve the metrics of the pods there, through the Prometheus API over plain HTTP.
    #[arg(long, value_name = "ADDR")]
    metrics: Option<SocketAddr>,
    /// Write a kubeconfig with the authority, the addresses and the tokens.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// A further host name or address under which clients reach it. Repeatable.
    #[arg(long, value_name = "NAME")]
    tls_san: Vec<String>,
    /// Decides uids, generated names, and what happens by chance: the same number, the same cluster.
    #[arg(long, default_value_t = 1, value_name = "N")]
    random_seed: u64,
    #[command(flatten)]
    clock: ClockArgs,
}

pub(crate) async fn run(mut args: Args) -> Result<ExitCode, CliFailure> {
    super::log_to_stderr();
    // Here a scale alone is enough: one cluster has no other process to agree with.
    if args.clock.time_scale.is_some() && args.clock.clock_start.is_none() {
        args.clock.clock_start = Some(windlass_clock::Clock::system().now().to_string());
    }
    let clock = args.clock.clock()?;
    let users = users(&args)?;
    let fleet = Fleet::new(Arc::new(files::catalog(args.workloads.as_deref())?), args.random_seed);
    let fleet = Arc::new(RwLock::new(fleet));
    let images = SimulatedImages::new(fleet.clone(), args.name.as_str());

    let mut config = Config::new(clock).admin_token(&args.admin_token);
    for (user, token) in &users {
        config = config.user_token(user, token);
    }
    config.seed = args.random_seed;
    config.nodes = args.nodes;
    config.workloads = Arc::new(images.clone());
    if let Some(file) = &args.faults {
        config.faults = files::faults(file)?;
    }
    let sim = KubeSim::new(config).map_err(|e| CliFailure::failed(pretend::chain(&e)))?;
    for file in &args.seed {
        files::plant(&sim, file)?;
    }

    let stop = super::until_asked_to_stop()?;
    let (listener, address) = pretend::listen(args.listen).await?;
    let identity = Identity::new(&names(&args, address)).map_err(|e| CliFailure::usage(pretend::chain(&e)))?;
    let reach =
        if address.ip().is_unspecified() { SocketAddr::from(([127, 0, 0, 1], address.port())) } else { address };
    let mut ready = format!("kube-sim {} serves https://{reach}", args.name);
    if let Some(file) = &args.kubeconfig {
        let text =
            kubeconfig::text(&args.name, &format!("https://{reach}"), identity.authority(), &args.admin_token, &users);
        pretend::write_private(file, &text)?;
        ready.push_str(&format!(", kubeconfig {}", file.display()));
    }
    let metrics = match args.metrics {
        None => None,
        Some(address) => {
            let (listener, address) = pretend::listen(address).await?;
            ready.push_str(&format!(", metrics http://{address}"));
            Some(listener)
        }
    };
    output::line(ready);

    let cluster = sim.cluster().clone();
    let service = async {
        let metrics = async {
            match metrics {
                Some(listener) => MetricsServer::new(fleet, clock).serve(listener).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            served = sim.serve_secure(listener, identity) => served,
            served = metrics => served,
            () = images.follow(&cluster) => Ok(()),
            () = files::follow_faults(args.faults.as_deref(), &cluster) => Ok(()),
        }
    };
    pretend::serve(stop, service).await?;
    Ok(ExitCode::SUCCESS)
}

fn users(args: &Args) -> Result<Vec<(String, String)>, CliFailure> {
    if args.admin_token.is_empty() {
        return Err(
            CliFailure::usage("--admin-token is empty").hint("any text will do, for example `openssl rand -hex 16`")
        );
    }
    let mut users: Vec<(String, String)> = Vec::new();
    for text in &args.user_token {
        let (user, token) = pretend::pair("--user-token", text, "NAME=TOKEN")?;
        if token == args.admin_token || users.iter().any(|(_, known)| known == token) {
            return Err(CliFailure::usage(format!("the token of {user} is also the token of somebody else"))
                .hint("give every user a token of their own"));
        }
        users.push((user.to_owned(), token.to_owned()));
    }
    Ok(users)
}

/// What the certificate is for.
fn names(args: &Args, address: SocketAddr) -> Vec<String> {
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    names.extend(["kubernetes", "kubernetes.default", "kubernetes.default.svc"].map(str::to_owned));
    names.push(address.ip().to_string());
    names.extend(args.tls_san.iter().cloned());
    names.sort();
    names.dedup();
    names
}
