use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output;
use reqwest::Method;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    noun: String,
    identifier: String,
    /// The environment of an infrastructure, the pipeline of a trigger.
    #[arg(long)]
    parent: Option<String>,
}

pub(crate) async fn run(common: &Common, args: Args) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    let mut request = client.request(Method::DELETE, &format!("{}/{}", args.noun, args.identifier));
    if let Some(parent) = &args.parent {
        request = request.query(&[("parent", parent)]);
    }
    client.send(request).await?;
    output::line(format!("{}/{} deleted", args.noun, args.identifier));
    Ok(ExitCode::SUCCESS)
}
