use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use reqwest::Method;
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;
use windlass_diagnostic::Diagnostics;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb {
    /// Print the address of a trigger's webhook.
    Url {
        trigger: String,
        /// Needed where several pipelines have a trigger of this name.
        #[arg(long)]
        pipeline: Option<String>,
    },
    /// Tell what a trigger would do with a payload; nothing starts. Exit code 1 when nothing would.
    Test(TestArgs),
    /// What came in, the youngest first, and why it did or did not start a run.
    Events {
        /// Only what this trigger made of it.
        #[arg(long)]
        trigger: Option<String>,
        #[arg(long)]
        pipeline: Option<String>,
        /// Show this event with its payload.
        event: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct TestArgs {
    trigger: String,
    /// The payload as JSON; `-` is standard input.
    #[arg(short, long, value_name = "FILE")]
    file: PathBuf,
    /// Headers of the request.
    #[arg(long, value_name = "NAME=VALUE")]
    header: Vec<String>,
    #[arg(long)]
    pipeline: Option<String>,
}

pub(crate) async fn run(common: &Common, verb: Verb) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    let of = |pipeline: Option<String>| pipeline.map(|p| ("pipeline", p)).into_iter().collect::<Vec<_>>();
    match verb {
        Verb::Url { trigger, pipeline } => {
            let request = client.request(Method::GET, &format!("triggers/{trigger}/url")).query(&of(pipeline));
            let answer = client.json(request).await?;
            output::line(output::cell(&answer, "/url"));
            Ok(ExitCode::SUCCESS)
        }
        Verb::Test(args) => test(common, &client, args).await,
        Verb::Events { event: Some(event), .. } => {
            let found = client.get(&format!("trigger-events/{event}")).await?;
            output::value(common.output, &found);
            Ok(ExitCode::SUCCESS)
        }
        Verb::Events { trigger, pipeline, event: None } => {
            let path = trigger.as_ref().map_or_else(|| "trigger-events".to_owned(), |t| format!("triggers/{t}/events"));
            let page = client.json(client.request(Method::GET, &path).query(&of(pipeline))).await?;
            if common.output != Format::Table {
                output::value(common.output, &page["items"]);
                return Ok(ExitCode::SUCCESS);
            }
            let (head, pointers): (&[&str], &[&str]) = match trigger {
                Some(_) => (&["EVENT", "STATUS", "RUN", "WHY"], &["/event", "/status", "/run", "/message"]),
                None => (
                    &["EVENT", "RECEIVED", "SOURCE", "STATUS", "WHY"],
                    &["/id", "/receivedAt", "/source", "/status", "/message"],
                ),
            };
            let rows: Vec<Vec<String>> = page["items"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|row| pointers.iter().map(|p| output::short(row, p)).collect())
                .collect();
            output::table(head, &rows);
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn test(common: &Common, client: &Client, args: TestArgs) -> Result<ExitCode, CliFailure> {
    let text = super::read_text(&args.file)?;
    let payload: Value = serde_json::from_str(&text)
        .map_err(|error| CliFailure::usage(format!("{} is not JSON: {error}", args.file.display())))?;
    let body = serde_json::json!({ "payload": payload, "headers": super::pairs(&args.header)? });
    let mut request = client.request(Method::POST, &format!("triggers/{}/test", args.trigger)).json(&body);
    if let Some(pipeline) = &args.pipeline {
        request = request.query(&[("pipeline", pipeline)]);
    }
    let answer = client.json(request).await?;
    if common.output == Format::Table {
        output::line(format!("{}: {}", output::cell(&answer, "/status"), output::cell(&answer, "/message")));
        for variable in answer["inputs"]["variables"].as_array().into_iter().flatten() {
            output::line(format!("  {} = {}", output::cell(variable, "/name"), output::cell(variable, "/value")));
        }
        if let Ok(warnings) = serde_json::from_value::<Diagnostics>(answer["warnings"].clone()) {
            for warning in &warnings {
                output::line(format!("  {warning}"));
            }
        }
    } else {
        output::value(common.output, &answer);
    }
    Ok(if answer["starts"] == true { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
