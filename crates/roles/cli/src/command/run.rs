//! Looking at runs.

mod tree;

use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use futures::StreamExt;
use reqwest::Method;
use serde_json::Value;
use std::process::ExitCode;
use windlass_model::Status;

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
        Verb::Watch { run } => return watch(&client, &run).await,
    }
    Ok(ExitCode::SUCCESS)
}

/// Follows a run until it ends, one line for each thing that happens, and draws the tree at the end.
pub(crate) async fn watch(client: &Client, run: &str) -> Result<ExitCode, CliFailure> {
    let mut told = tree::Told::default();
    let mut after = 0_u64;
    loop {
        let request = client.request(Method::GET, &format!("runs/{run}/events")).query(&[("after", after)]);
        let mut stream = client.send(request).await?.bytes_stream();
        let mut buffer = String::new();
        while let Some(Ok(chunk)) = stream.next().await {
            buffer.push_str(&String::from_utf8_lossy(&chunk));
            while let Some(end) = buffer.find("\n\n") {
                let message: String = buffer.drain(..end + 2).collect();
                let data = message.lines().find_map(|line| line.strip_prefix("data: ").or(line.strip_prefix("data:")));
                let Some(event) = data.and_then(|d| serde_json::from_str::<Value>(d).ok()) else { continue };
                after = event["seq"].as_u64().unwrap_or(after);
                if let Some(line) = told.tell(&event) {
                    output::line(line);
                }
                if event["kind"] == "RunFinished" {
                    return ended(client, run).await;
                }
            }
        }
        // The stream ended and the run did not: the server was restarted, or a proxy cut it. Go on where it stopped.
    }
}

async fn ended(client: &Client, run: &str) -> Result<ExitCode, CliFailure> {
    let projection = client.get(&format!("runs/{run}")).await?;
    output::line("");
    output::line(tree::draw(&projection));
    let status = output::cell(&projection, "/run/status");
    let good = Status::parse(&status).is_some_and(Status::is_good);
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
