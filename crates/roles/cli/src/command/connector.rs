use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use reqwest::Method;
use serde_json::Value;
use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb {
    /// Have a delegate see whether a connector reaches its target. Exit code 1 when it does not.
    Test {
        connector: String,
        /// What earlier tests found instead, the youngest first.
        #[arg(long)]
        past: bool,
    },
}

pub(crate) async fn run(common: &Common, verb: Verb) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    match verb {
        Verb::Test { connector, past: false } => {
            let found = client.json(client.request(Method::POST, &format!("connectors/{connector}/test"))).await?;
            match common.output {
                Format::Table => tell(&connector, &found),
                format => output::value(format, &found),
            }
            Ok(if found["status"] == "SUCCESS" { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Verb::Test { connector, past: true } => {
            let page = client.get(&format!("connectors/{connector}/tests")).await?;
            let items = page["items"].as_array().cloned().unwrap_or_default();
            let columns =
                [("TESTED", "/testedAt"), ("STATUS", "/status"), ("DELEGATE", "/delegate"), ("WHY", "/errorSummary")];
            output::rows(common.output, &columns, &items);
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn tell(connector: &str, found: &Value) {
    let by = found["delegate"].as_str().map(|delegate| format!(", tested by {delegate}")).unwrap_or_default();
    output::line(format!("{connector}: {}{by}", output::cell(found, "/status")));
    for error in found["errors"].as_array().into_iter().flatten() {
        output::line(format!("  {}: {}", output::cell(error, "/reason"), output::cell(error, "/message")));
        if let Some(hint) = error["hint"].as_str().filter(|hint| !hint.is_empty()) {
            output::line(format!("  hint: {hint}"));
        }
    }
    for (name, value) in found["details"].as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        output::line(format!("  {name}: {value}"));
    }
    for warning in found["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        output::line(format!("  warning: {warning}"));
    }
}
