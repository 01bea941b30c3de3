use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb {
    /// Make an account for a person; give them an API key with `windlass api-key create`.
    Create {
        id: String,
        #[arg(long)]
        email: String,
        #[arg(long, default_value = "")]
        name: String,
    },
}

pub(crate) async fn run(common: &Common, verb: Verb) -> Result<ExitCode, CliFailure> {
    let Verb::Create { id, email, name } = verb;
    let client = Client::new(common)?;
    let created = client.post("users", &serde_json::json!({ "id": id, "email": email, "name": name })).await?;
    match common.output {
        Format::Table => output::line(format!("user/{id} created")),
        format => output::value(format, &created),
    }
    Ok(ExitCode::SUCCESS)
}
