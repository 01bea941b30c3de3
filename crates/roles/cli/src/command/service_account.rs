use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output;
use reqwest::Method;
use serde_json::json;
use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb {
    /// Make an account for a program, in the scope of --org and --project.
    Create {
        identifier: String,
        #[arg(long)]
        name: Option<String>,
        #[arg(long, default_value = "")]
        description: String,
    },
    /// List them.
    List,
    /// Delete one; its keys open nothing any more.
    Delete { identifier: String },
}

pub(crate) async fn run(common: &Common, verb: Verb) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    match verb {
        Verb::Create { identifier, name, description } => {
            let name = name.unwrap_or_else(|| identifier.clone());
            let account = json!({ "identifier": identifier, "name": name, "description": description });
            let change = client.apply(&json!({ "serviceAccount": account })).await?;
            output::line(format!("service-account/{identifier} {change}"));
        }
        Verb::List => {
            let found = client.all("service-accounts").await?;
            let columns = [
                ("SERVICE ACCOUNT", "/identifier"),
                ("NAME", "/name"),
                ("CREATED", "/createdAt"),
                ("BY", "/createdBy"),
            ];
            output::rows(common.output, &columns, &found);
        }
        Verb::Delete { identifier } => {
            client.send(client.request(Method::DELETE, &format!("service-accounts/{identifier}"))).await?;
            output::line(format!("service-account/{identifier} deleted"));
        }
    }
    Ok(ExitCode::SUCCESS)
}
