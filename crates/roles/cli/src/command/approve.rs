//! `windlass approve` and `windlass reject`.

use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// An approval, or a run that waits for one.
    #[arg(value_name = "RUN|APPROVAL")]
    what: String,
    /// Values for what the approval asks.
    #[arg(short, long, value_name = "NAME=VALUE")]
    input: Vec<String>,
    /// Why.
    #[arg(short, long, default_value = "")]
    message: String,
}

pub(crate) async fn run(common: &Common, args: Args, action: &'static str) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    let body = serde_json::json!({
        "action": action,
        "comments": args.message,
        "inputs": super::pairs(&args.input)?,
    });
    let answer = client.post(&format!("approvals/{}/answer", args.what), &body).await?;
    let done = if action == "APPROVE" { "approved" } else { "rejected" };
    output::line(format!("{} {done}", output::cell(&answer, "/approval")));
    Ok(ExitCode::SUCCESS)
}
