use super::password;
use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output;
use crate::profile::Profile;
use reqwest::Method;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The server.
    #[arg(value_name = "URL")]
    url: Option<String>,
    /// The one-time code that the server printed.
    #[arg(long, conflicts_with_all = ["user", "password_stdin"])]
    code: Option<String>,
    /// Sign in with a password: the user's id or mail address.
    #[arg(long)]
    user: Option<String>,
    /// Read the password from standard input.
    #[arg(long, requires = "user")]
    password_stdin: bool,
}

pub(crate) async fn run(common: &Common, args: Args) -> Result<ExitCode, CliFailure> {
    let mut common = common.clone();
    common.server = args.url.or(common.server);
    let client = Client::new(&common)?;
    let signed_in = |answer: serde_json::Value| answer["token"].as_str().unwrap_or_default().to_owned();
    let token = match (args.code, args.user, &common.token) {
        (Some(code), _, _) => {
            signed_in(client.post("login", &serde_json::json!({ "code": code, "client": "windlass" })).await?)
        }
        (None, Some(user), _) => {
            let password = password::ask("Password: ", args.password_stdin)?;
            let body = serde_json::json!({ "user": user, "password": password, "client": "windlass" });
            signed_in(client.post("login", &body).await?)
        }
        (None, None, Some(token)) => token.clone(),
        (None, None, None) => {
            return Err(CliFailure::usage("give --user, --code, or --token with an API key"));
        }
    };
    common.token = Some(token.clone());
    let me = Client::new(&common)?.get("me").await?;
    let ca_file = client.ca_file().map(std::path::absolute).transpose();
    let ca_file =
        ca_file.map_err(|error| CliFailure::failed(format!("cannot tell where the authorities lie: {error}")))?;
    let path = Profile { server: client.server().to_owned(), token, ca_file }.save()?;
    output::line(format!(
        "Signed in as {} at {}; remembered in {}",
        output::cell(&me, "/name"),
        client.server(),
        path.display()
    ));
    Ok(ExitCode::SUCCESS)
}

/// Ends the session, here and at the server.
pub(crate) async fn out(common: &Common) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    client.send(client.request(Method::POST, "logout")).await?;
    let ca_file = client.ca_file().map(ToOwned::to_owned);
    let path = Profile { server: client.server().to_owned(), token: String::new(), ca_file }.save()?;
    output::line(format!("Signed out; {} holds no token any more", path.display()));
    Ok(ExitCode::SUCCESS)
}
