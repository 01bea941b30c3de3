use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use reqwest::Method;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// `pipelines`, `service`, `connectors`, `delegates`, `delegate-tokens`, ….
    noun: String,
    /// Show this one: its text as saved.
    identifier: Option<String>,
    /// The environment of an infrastructure, the pipeline of a trigger.
    #[arg(long)]
    parent: Option<String>,
}

pub(crate) async fn run(common: &Common, args: Args) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    let Some(id) = args.identifier else { return list(common, &client, &args.noun).await };
    let mut request = client.request(Method::GET, &format!("{}/{id}", args.noun));
    if let Some(parent) = &args.parent {
        request = request.query(&[("parent", parent)]);
    }
    let found = client.json(request).await?;
    match common.output {
        Format::Json => output::value(Format::Json, &found),
        _ => output::line(output::cell(&found, "/yaml").trim_end()),
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(common: &Common, client: &Client, noun: &str) -> Result<ExitCode, CliFailure> {
    let items = client.all(noun).await?;
    if common.output != Format::Table {
        output::value(common.output, &serde_json::Value::Array(items));
        return Ok(ExitCode::SUCCESS);
    }
    let (head, pointers): (&[&str], &[&str]) = match noun {
        "delegates" => (
            &["NAME", "STATE", "TAGS", "RUNNING", "CAPACITY", "VERSION", "SEEN"],
            &["/name", "/state", "/tags", "/running", "/capacity", "/version", "/seenAt"],
        ),
        "delegate-tokens" => {
            (&["NAME", "CREATED", "BY", "REVOKED"], &["/name", "/createdAt", "/createdBy", "/revokedAt"])
        }
        "runs" => (
            &["RUN", "PIPELINE", "NUMBER", "STATUS", "STARTED", "BY"],
            &["/run", "/pipeline", "/sequence", "/status", "/startedAt", "/startedBy"],
        ),
        _ => (
            &["IDENTIFIER", "NAME", "VERSION", "CHANGED", "BY"],
            &["/identifier", "/name", "/version", "/updatedAt", "/updatedBy"],
        ),
    };
    let rows: Vec<Vec<String>> =
        items.iter().map(|row| pointers.iter().map(|p| output::short(row, p)).collect()).collect();
    output::table(head, &rows);
    Ok(ExitCode::SUCCESS)
}
