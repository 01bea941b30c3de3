//! Runs: look at them, step in, start them anew.

mod interrupt;
mod logs;
mod stream;
mod told;
mod tree;
mod watch;

use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use reqwest::Method;
use serde_json::{Value, json};
use std::process::ExitCode;
pub(crate) use watch::watch;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb {
    /// List runs, the youngest first.
    List {
        #[arg(long)]
        pipeline: Option<String>,
        /// Names of statuses, separated by commas.
        #[arg(long)]
        status: Option<String>,
    },
    /// Show a run with its tree.
    Show { run: String },
    /// Show a run as it goes, until it ends. Exit code 1 when it does not succeed.
    Watch { run: String },
    /// Print what the steps of a run printed.
    Logs {
        run: String,
        /// Also what comes, until the run ends.
        #[arg(short, long)]
        follow: bool,
        /// Of this step only: its identifier, or its path.
        #[arg(long)]
        step: Option<String>,
    },
    /// End a run now: no rollback, no clean-up.
    Abort {
        run: String,
        /// Name the stage in the reason; aborting a stage ends the run.
        #[arg(long)]
        stage: Option<String>,
    },
    /// Make a running step fail; its failure strategies apply.
    MarkFailed { run: String, node: String },
    /// End a Wait step now, and well.
    MarkSucceeded { run: String, node: String },
    /// Stop before the next step; what runs goes on to its end.
    Pause { run: String },
    /// Go on after a pause.
    Resume { run: String },
    /// Decide how a failed step goes on that waits for somebody.
    Intervene {
        run: String,
        node: String,
        #[arg(long, value_enum)]
        choice: interrupt::Choice,
    },
    /// Give the values that a step asks for while the run goes.
    Inputs {
        run: String,
        node: String,
        /// By the path under which they are asked for.
        #[arg(short, long, value_name = "PATH=VALUE", required = true)]
        input: Vec<String>,
    },
    /// Start again where a run failed; what had finished before is not repeated.
    Retry {
        run: String,
        /// Start from this stage. Default: the first that did not go well.
        #[arg(long)]
        stage: Vec<String>,
        /// Of stages that ran together only those that failed.
        #[arg(long)]
        failed_only: bool,
        /// Show the new run as it goes, until it ends.
        #[arg(short, long)]
        watch: bool,
    },
    /// Undo what a successful run deployed.
    Rollback {
        run: String,
        /// Show the new run as it goes, until it ends.
        #[arg(short, long)]
        watch: bool,
    },
}

pub(crate) async fn run(common: &Common, verb: Verb) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    match verb {
        Verb::List { pipeline, status } => {
            let query: Vec<(&str, String)> = [("pipeline", pipeline), ("status", status)]
                .into_iter()
                .filter_map(|(key, value)| Some((key, value?)))
                .collect();
            let page = client.json(client.request(Method::GET, "runs").query(&query)).await?;
            if common.output != Format::Table {
                output::value(common.output, &page["items"]);
                return Ok(ExitCode::SUCCESS);
            }
            let pointers = ["/run", "/pipeline", "/sequence", "/status", "/startedAt", "/startedBy"];
            let rows: Vec<Vec<String>> = page["items"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|row| pointers.iter().map(|p| output::short(row, p)).collect())
                .collect();
            output::table(&["RUN", "PIPELINE", "NUMBER", "STATUS", "STARTED", "BY"], &rows);
        }
        Verb::Show { run } => {
            let projection = client.get(&format!("runs/{run}")).await?;
            match common.output {
                Format::Table => output::line(tree::draw(&projection)),
                format => output::value(format, &projection),
            }
        }
        Verb::Watch { run } => return watch(common, &client, &run).await,
        Verb::Logs { run, follow, step } => logs::print(common, &client, &run, follow, step.as_deref()).await?,
        Verb::Abort { run, stage } => interrupt::send(&client, &run, interrupt::abort(stage), "aborted").await?,
        Verb::MarkFailed { run, node } => {
            let done = format!("{node} marked as failed");
            interrupt::send(&client, &run, interrupt::on(&node, "markAsFailed"), &done).await?;
        }
        Verb::MarkSucceeded { run, node } => {
            let done = format!("{node} marked as succeeded");
            interrupt::send(&client, &run, interrupt::on(&node, "markAsSuccess"), &done).await?;
        }
        Verb::Pause { run } => interrupt::send(&client, &run, json!({ "type": "pause" }), "paused").await?,
        Verb::Resume { run } => interrupt::send(&client, &run, json!({ "type": "resume" }), "goes on").await?,
        Verb::Intervene { run, node, choice } => {
            interrupt::send(&client, &run, interrupt::intervene(&node, choice), "goes on").await?;
        }
        Verb::Inputs { run, node, input } => {
            let values = super::pairs(&input)?;
            let body = json!({ "type": "giveInputs", "node": node, "values": values });
            interrupt::send(&client, &run, body, "goes on").await?;
        }
        Verb::Retry { run, stage, failed_only, watch } => {
            let body = json!({ "stages": stage, "failedOnly": failed_only });
            let started = client.post(&format!("runs/{run}/retry"), &body).await?;
            return again(common, &client, &started, watch).await;
        }
        Verb::Rollback { run, watch } => {
            let started = client.post(&format!("runs/{run}/rollback"), &json!({})).await?;
            return again(common, &client, &started, watch).await;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A run that came of another.
async fn again(common: &Common, client: &Client, started: &Value, follow: bool) -> Result<ExitCode, CliFailure> {
    let run = output::cell(started, "/run");
    if follow {
        return watch(common, client, &run).await;
    }
    match common.output {
        Format::Table => {
            output::line(format!("{run} started: {}", output::cell(started, "/url")));
            output::warnings(&started["warnings"]);
        }
        format => output::value(format, started),
    }
    Ok(ExitCode::SUCCESS)
}
