use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output;
use crate::profile::Profile;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The server.
    #[arg(value_name = "URL")]
    url: Option<String>,
    /// The one-time code that the server printed.
    #[arg(long)]
    code: Option<String>,
}

pub(crate) async fn run(common: &Common, args: Args) -> Result<ExitCode, CliFailure> {
    let mut common = common.clone();
    common.server = args.url.or(common.server);
    let client = Client::new(&common)?;
    let token = match (args.code, &common.token) {
        (Some(code), _) => {
            let body = serde_json::json!({ "code": code, "client": "windlass" });
            let answer = client.post("login", &body).await?;
            answer["token"].as_str().unwrap_or_default().to_owned()
        }
        (None, Some(token)) => token.clone(),
        (None, None) => return Err(CliFailure::usage("give --code, or --token for a session or an API key")),
    };
    common.token = Some(token.clone());
    let me = Client::new(&common)?.get("me").await?;
    let path = Profile { server: client.server().to_owned(), token }.save()?;
    output::line(format!(
        "Signed in as {} at {}; remembered in {}",
        output::cell(&me, "/name"),
        client.server(),
        path.display()
    ));
    Ok(ExitCode::SUCCESS)
}
