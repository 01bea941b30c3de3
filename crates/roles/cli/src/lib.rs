//! The command line: `windlass <noun> <verb>`, one file for each verb (architecture §8).
//!
//! Exit codes: 0 ok, 1 the thing asked for failed, 2 usage, 3 cannot reach or not allowed.

mod client;
mod command;
mod failure;
mod output;
mod profile;

use clap::{Parser, Subcommand};
use failure::CliFailure;
use std::path::PathBuf;
use std::process::ExitCode;

/// Self-hosted software delivery: pipelines, delegates, simulated clusters.
#[derive(Debug, Parser)]
#[command(name = "windlass", version, propagate_version = true, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// What every command takes.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Common {
    /// The server. Default: the one of the last `windlass login`.
    #[arg(long, global = true, env = "WINDLASS_SERVER", value_name = "URL")]
    server: Option<String>,
    /// A session or an API key. Default: that of the last `windlass login`.
    #[arg(long, global = true, env = "WINDLASS_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    token: Option<String>,
    /// Certificate authorities besides those of the system, in PEM. Default: those of the last `windlass login`.
    #[arg(long, global = true, env = "WINDLASS_CA_FILE", value_name = "FILE")]
    ca_file: Option<PathBuf>,
    #[arg(long, global = true, env = "WINDLASS_ORG", value_name = "ORG")]
    org: Option<String>,
    #[arg(long, global = true, env = "WINDLASS_PROJECT", value_name = "PROJECT")]
    project: Option<String>,
    /// How results are printed.
    #[arg(short, long, global = true, value_enum, default_value_t = output::Format::Table)]
    output: output::Format,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server.
    Server(command::server::Args),
    /// Copy the SQLite database of a server, running or not, or check such a copy.
    Backup(command::backup::Args),
    /// Put a backup where a server will look for its database.
    Restore(command::backup::RestoreArgs),
    MigrateStore(command::migrate_store::Args),
    /// Run a delegate: a worker that dials out and does the work near the target.
    #[command(subcommand_precedence_over_arg = true, args_conflicts_with_subcommands = true)]
    Delegate(command::delegate::Args),
    /// Sign in, and remember server and session.
    Login(command::login::Args),
    /// End the session.
    Logout,
    /// Tell who is signed in, with groups and roles.
    Whoami,
    /// Save documents of any kind from files.
    Apply(command::apply::Args),
    #[command(visible_alias = "list")]
    /// List or show documents: `get pipelines`, `get service payment`.
    Get(command::get::Args),
    /// Delete a document.
    Delete(command::delete::Args),
    /// Start pipelines.
    #[command(subcommand)]
    Pipeline(command::pipeline::Verb),
    /// Look at runs, step in, and start them anew.
    #[command(subcommand)]
    Run(command::run::Verb),
    /// Addresses, tests and events of triggers.
    #[command(subcommand)]
    Trigger(command::trigger::Verb),
    /// Test connectors.
    #[command(subcommand)]
    Connector(command::connector::Verb),
    /// Questions that wait for people.
    #[command(subcommand)]
    Approval(command::approval::Verb),
    /// Approve what a run asks.
    Approve(command::approve::Args),
    /// Reject what a run asks.
    Reject(command::approve::Args),
    /// People who may sign in.
    #[command(subcommand)]
    User(command::user::Verb),
    /// Accounts for programs.
    #[command(subcommand)]
    ServiceAccount(command::service_account::Verb),
    /// Keys of people and service accounts.
    #[command(subcommand)]
    ApiKey(command::api_key::Verb),
    /// Play the story of one service, from webhook to production and back.
    Demo(command::demo::Args),
    /// Run a pipeline in a simulated installation, in virtual time: what a run would do, before it does it.
    Rehearse(command::rehearse::Args),
    /// Print the objects of a kustomization or a chart, or of all kustomizations below a folder.
    Render(command::render::Args),
    /// Build kustomizations, with the flags of `kustomize`.
    #[command(disable_help_flag = true)]
    Kustomize(Foreign),
    /// Render charts, with the flags of `helm`.
    #[command(disable_help_flag = true)]
    Helm(Foreign),
    /// Run a simulated Kubernetes cluster.
    KubeSim(command::kube_sim::Args),
    /// Run a simulated forge: Git over HTTP.
    GitSim(command::git_sim::Args),
    /// Serve the metrics of pods that only pretend to serve anybody.
    Workloads(command::workloads::Args),
    /// Roles: who may do what where.
    #[command(subcommand)]
    Role(command::role::Verb),
    /// Settings of account, organizations and projects.
    #[command(subcommand)]
    Setting(command::setting::Verb),
    /// Who did what.
    #[command(subcommand)]
    Audit(command::audit::Verb),
    /// Try expressions out.
    #[command(subcommand)]
    Expression(command::expression::Verb),
    /// Print the JSON Schema of a kind of document, for editors.
    Schema(command::schema::Args),
    /// Print a completion script for a shell.
    Completion(command::completion::Args),
}

/// The command line of another tool, read by rules of its own.
#[derive(Debug, clap::Args)]
struct Foreign {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<std::ffi::OsString>,
}

/// What the command lines of other tools mean. They come first: their flags are theirs, and scripts call them often.
fn foreign() -> Option<ExitCode> {
    let mut arguments = std::env::args_os();
    let _program = arguments.next();
    match arguments.next()?.to_str()? {
        "kustomize" => Some(command::kustomize::main(arguments)),
        "helm" => Some(command::helm::main(arguments)),
        _ => None,
    }
}

/// Reads the command line and does what it says.
pub fn main() -> ExitCode {
    if let Some(code) = foreign() {
        return code;
    }
    let cli = Cli::parse();
    // Builds ask and wait: they are no work for a runtime, and most need none.
    if let Command::Render(args) = &cli.command {
        return command::render::run(&cli.common, args).unwrap_or_else(|failure| failure.print());
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return CliFailure::internal(format!("cannot start the runtime: {error}")).print(),
    };
    match runtime.block_on(run(cli)) {
        Ok(code) => code,
        Err(failure) => failure.print(),
    }
}

async fn run(cli: Cli) -> Result<ExitCode, CliFailure> {
    let common = cli.common;
    match cli.command {
        Command::Server(args) => command::server::run(args).await,
        Command::Delegate(args) => command::delegate::run(&common, args).await,
        Command::Backup(args) => command::backup::run(args).await,
        Command::Restore(args) => command::backup::restore(args).await,
        Command::MigrateStore(args) => command::migrate_store::run(args).await,
        Command::Login(args) => command::login::run(&common, args).await,
        Command::Logout => command::login::out(&common).await,
        Command::Whoami => command::whoami::run(&common).await,
        Command::Apply(args) => command::apply::run(&common, args).await,
        Command::Get(args) => command::get::run(&common, args).await,
        Command::Delete(args) => command::delete::run(&common, args).await,
        Command::Pipeline(verb) => command::pipeline::run(&common, verb).await,
        Command::Run(verb) => command::run::run(&common, verb).await,
        Command::Trigger(verb) => command::trigger::run(&common, verb).await,
        Command::Connector(verb) => command::connector::run(&common, verb).await,
        Command::Approval(verb) => command::approval::run(&common, verb).await,
        Command::Approve(args) => command::approve::run(&common, args, "APPROVE").await,
        Command::Reject(args) => command::approve::run(&common, args, "REJECT").await,
        Command::User(verb) => command::user::run(&common, verb).await,
        Command::ApiKey(verb) => command::api_key::run(&common, verb).await,
        Command::Demo(args) => command::demo::run(args).await,
        Command::Rehearse(args) => command::rehearse::run(&common, args).await,
        Command::Render(_) | Command::Kustomize(_) | Command::Helm(_) => {
            Err(CliFailure::usage("write `windlass kustomize …` without options in front"))
        }
        Command::KubeSim(args) => command::kube_sim::run(args).await,
        Command::GitSim(args) => command::git_sim::run(args).await,
        Command::Workloads(args) => command::workloads::run(args).await,
        Command::ServiceAccount(verb) => command::service_account::run(&common, verb).await,
        Command::Role(verb) => command::role::run(&common, verb).await,
        Command::Setting(verb) => command::setting::run(&common, verb).await,
        Command::Audit(verb) => command::audit::run(&common, verb).await,
        Command::Expression(verb) => command::expression::run(&common, verb),
        Command::Schema(args) => command::schema::run(&common, args),
        Command::Completion(args) => command::completion::run(&args),
    }
}
