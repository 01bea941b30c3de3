//! `windlass delegate` runs one; `windlass delegate list|token` looks after them.

use super::ClockArgs;
use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use reqwest::Method;
use std::path::PathBuf;
use std::process::ExitCode;
use windlass_delegate::{Config, Hosts, Identity, Outfit, Proxies, Worker};
use windlass_link::client::Transport;
use windlass_model::Millis;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// List delegates.
    List,
    /// Look after delegate tokens.
    #[command(subcommand)]
    Token(TokenVerb),
}

#[derive(Debug, clap::Subcommand)]
enum TokenVerb {
    /// Make a token. It is shown once.
    Create {
        name: String,
    },
    List,
    /// Revoke a token: its delegates are disconnected at once.
    Revoke {
        name: String,
    },
}

/// The vendor's environment names are understood too (kubernetes-deploy §4.5).
#[derive(Debug, clap::Args)]
struct RunArgs {
    /// The delegate's name: instances with one name form a group.
    #[arg(long, env = "DELEGATE_NAME", default_value = "")]
    name: String,
    /// Tags, separated by commas.
    #[arg(long, env = "DELEGATE_TAGS", default_value = "")]
    tags: String,
    #[arg(long, env = "DELEGATE_DESCRIPTION", default_value = "")]
    description: String,
    #[arg(long, env = "ACCOUNT_ID", default_value = "windlass")]
    account: String,
    /// A file with the delegate token. Default: the environment variable DELEGATE_TOKEN.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    #[arg(long, env = "DELEGATE_TOKEN", hide = true, hide_env_values = true, default_value = "")]
    delegate_token: String,
    /// Tasks at once.
    #[arg(long, env = "DELEGATE_TASK_CAPACITY", default_value_t = 20)]
    capacity: u32,
    /// Long-polls instead of WebSockets.
    #[arg(long, env = "POLL_FOR_TASKS")]
    poll_for_tasks: bool,
    /// Where tasks keep files while they run.
    #[arg(long, default_value = "./windlass-delegate", env = "WINDLASS_WORK_FOLDER", value_name = "DIR")]
    work_folder: PathBuf,
    /// Who this delegate is in the cluster of connectors that inherit its identity. Default: the pod's service account.
    #[arg(long, env = "WINDLASS_KUBECONFIG", value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// The context in the kubeconfig. Default: its current one.
    #[arg(long, requires = "kubeconfig", value_name = "NAME")]
    kube_context: Option<String>,
    /// Files in this folder are the secrets of the store `file`.
    #[arg(long, env = "WINDLASS_SECRETS_FOLDER", value_name = "DIR")]
    secrets_folder: Option<PathBuf>,
    /// Environment variables with this prefix are the secrets of the store `environment`.
    #[arg(long, env = "WINDLASS_SECRETS_PREFIX", default_value = "", value_name = "PREFIX")]
    secrets_prefix: String,
    /// Hosts from which kustomizations and charts may bring what they name, separated by commas; `any`, or `none`.
    #[arg(long, env = "WINDLASS_REMOTE_HOSTS", default_value = "any", value_name = "HOSTS")]
    remote_hosts: String,
    /// Seconds that running tasks may go on after a request to stop.
    #[arg(long, default_value_t = 600)]
    grace_seconds: u64,
    #[command(flatten)]
    clock: ClockArgs,
}

pub(crate) async fn run(common: &Common, args: Args) -> Result<ExitCode, CliFailure> {
    match args.verb {
        None => serve(common, args.run).await,
        Some(Verb::List) => {
            let client = Client::new(common)?;
            let page = client.get("delegates").await?;
            if common.output != Format::Table {
                output::value(common.output, &page["items"]);
                return Ok(ExitCode::SUCCESS);
            }
            let pointers = ["/name", "/state", "/tags", "/running", "/capacity", "/version", "/seenAt"];
            let rows: Vec<Vec<String>> = page["items"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|row| pointers.iter().map(|p| output::short(row, p)).collect())
                .collect();
            output::table(&["NAME", "STATE", "TAGS", "RUNNING", "CAPACITY", "VERSION", "SEEN"], &rows);
            Ok(ExitCode::SUCCESS)
        }
        Some(Verb::Token(verb)) => token(common, verb).await,
    }
}

async fn token(common: &Common, verb: TokenVerb) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    match verb {
        TokenVerb::Create { name } => {
            let body = serde_json::json!({ "name": name, "org": client.org(), "project": client.project() });
            let created = client.post("delegate-tokens", &body).await?;
            match common.output {
                Format::Table => output::line(output::cell(&created, "/token")),
                format => output::value(format, &created),
            }
        }
        TokenVerb::List => {
            let page = client.get("delegate-tokens").await?;
            let pointers = ["/name", "/createdAt", "/createdBy", "/revokedAt"];
            let rows: Vec<Vec<String>> = page["items"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|row| pointers.iter().map(|p| output::short(row, p)).collect())
                .collect();
            output::table(&["NAME", "CREATED", "BY", "REVOKED"], &rows);
        }
        TokenVerb::Revoke { name } => {
            client.send(client.request(Method::DELETE, &format!("delegate-tokens/{name}"))).await?;
            output::line(format!("{name} revoked"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn serve(common: &Common, args: RunArgs) -> Result<ExitCode, CliFailure> {
    super::log_to_stderr();
    let clock = args.clock.clock()?;
    let token = match &args.token_file {
        Some(file) => super::read_text(file)?.trim().to_owned(),
        None => args.delegate_token,
    };
    let environment = std::env::vars().collect();
    let proxies = Proxies::of_environment(&environment).map_err(|error| CliFailure::usage(error.to_string()))?;
    let authorities = common.ca_file.as_deref().map(crate::client::authorities).transpose()?;
    let mut outfit = Outfit {
        environment,
        secrets_folder: args.secrets_folder,
        secrets_prefix: args.secrets_prefix,
        identity: match args.kubeconfig {
            Some(path) => Identity::Kubeconfig { path, context: args.kube_context },
            None => Identity::InCluster,
        },
        remotes: Hosts::parse(&args.remote_hosts),
        ..Outfit::new(&args.work_folder)
    }
    .behind(&proxies);
    let mut http = proxies
        .to_server(reqwest::Client::builder())
        .user_agent(concat!("windlass-delegate/", env!("CARGO_PKG_VERSION")));
    if let Some(authorities) = &authorities {
        outfit = outfit.trusting(authorities).map_err(|error| CliFailure::failed(error.to_string()))?;
        http = authorities.to_server(http).map_err(|error| CliFailure::usage(error.to_string()))?;
    }
    let tags = args.tags.split(',').map(|t| t.trim().to_owned()).filter(|t| !t.is_empty()).collect();
    let config = Config {
        server: common.server.clone().unwrap_or_default(),
        account: args.account,
        token,
        name: args.name,
        tags,
        description: args.description,
        capacity: args.capacity,
        transport: if args.poll_for_tasks { Transport::Poll } else { Transport::Auto },
        work_folder: args.work_folder,
        grace: Millis::from_secs(args.grace_seconds),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        hostname: String::new(),
    };
    let http = http.build().map_err(|e| CliFailure::internal(format!("cannot make an HTTP client: {e}")))?;
    let stop = super::until_asked_to_stop()?;
    let fitted = |error: windlass_delegate::OutfitError| CliFailure::usage(error.to_string());
    let (secrets, handlers) = (outfit.secrets().map_err(fitted)?, outfit.handlers(clock).map_err(fitted)?);
    let worker =
        Worker::new(config, clock, http, handlers, secrets, stop).map_err(|e| CliFailure::usage(e.to_string()))?;
    worker.run().await.map_err(|e| CliFailure::unreachable(e.to_string()))?;
    Ok(ExitCode::SUCCESS)
}
