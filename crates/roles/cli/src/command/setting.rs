use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use reqwest::Method;
use serde_json::{Value, json};
use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb {
    /// List every setting with what holds in the scope of --org and --project.
    List,
    /// Show one setting.
    Get { name: String },
    /// Set a value in the scope.
    Set {
        name: String,
        value: String,
        /// Narrower scopes cannot have their own value.
        #[arg(long)]
        no_override: bool,
    },
    /// Take the scope's own value back: what is wider holds again.
    Reset { name: String },
}

pub(crate) async fn run(common: &Common, verb: Verb) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    let one = match verb {
        Verb::List => {
            let found = client.get("settings").await?;
            let columns = [
                ("SETTING", "/name"),
                ("VALUE", "/value"),
                ("FROM", "/origin"),
                ("TYPE", "/type"),
                ("WHAT IT DOES", "/text"),
            ];
            output::rows(common.output, &columns, found["items"].as_array().map_or(&[], Vec::as_slice));
            return Ok(ExitCode::SUCCESS);
        }
        Verb::Get { name } => client.get(&format!("settings/{name}")).await?,
        Verb::Set { name, value, no_override } => {
            let body = json!({ "value": value, "overridable": !no_override });
            client.json(client.request(Method::PUT, &format!("settings/{name}")).json(&body)).await?
        }
        Verb::Reset { name } => client.json(client.request(Method::DELETE, &format!("settings/{name}"))).await?,
    };
    show(common, &one);
    Ok(ExitCode::SUCCESS)
}

fn show(common: &Common, one: &Value) {
    if common.output != Format::Table {
        output::value(common.output, one);
        return;
    }
    let cell = |pointer| output::cell(one, pointer);
    output::line(format!("{} = {}", cell("/name"), cell("/value")));
    output::line(format!("  {}", cell("/text")));
    output::line(format!(
        "  from {}, default {}, since {}",
        output::short(one, "/origin"),
        cell("/default"),
        cell("/since")
    ));
    if let Some(choices) = one["choices"].as_array() {
        let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
        output::line(format!("  one of {}", choices.join(", ")));
    }
    if one["changeable"] == false {
        output::line("  cannot be changed in this scope");
    }
}
