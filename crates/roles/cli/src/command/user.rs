use super::password;
use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use reqwest::Method;
use serde_json::json;
use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb {
    /// Make an account for a person: with a password, or with an API key from `windlass api-key create`.
    Create {
        id: String,
        #[arg(long)]
        email: String,
        #[arg(long, default_value = "")]
        name: String,
        /// Read a password from standard input.
        #[arg(long)]
        password_stdin: bool,
    },
    /// List people.
    List,
    /// Delete a person with their sessions and keys.
    Delete {
        id: String,
    },
    /// Nobody signs in as this person any more.
    Disable {
        id: String,
    },
    Enable {
        id: String,
    },
    /// Set a new password: one's own, or with an id somebody else's.
    Password {
        id: Option<String>,
        /// Read from standard input: the old password, if there is one and it is one's own, and the new, a line each.
        #[arg(long)]
        password_stdin: bool,
    },
}

pub(crate) async fn run(common: &Common, verb: Verb) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    match verb {
        Verb::Create { id, email, name, password_stdin } => {
            let password = if password_stdin { Some(password::ask("", true)?) } else { None };
            let body = json!({ "id": id, "email": email, "name": name, "password": password });
            let created = client.post("users", &body).await?;
            match common.output {
                Format::Table => output::line(format!("user/{id} created")),
                format => output::value(format, &created),
            }
        }
        Verb::List => {
            let found = client.all("users").await?;
            let columns = [
                ("USER", "/identifier"),
                ("NAME", "/name"),
                ("EMAIL", "/email"),
                ("STATE", "/state"),
                ("CREATED", "/createdAt"),
            ];
            output::rows(common.output, &columns, &found);
        }
        Verb::Delete { id } => {
            client.send(client.request(Method::DELETE, &format!("users/{id}"))).await?;
            output::line(format!("user/{id} deleted"));
        }
        Verb::Disable { id } => return change(&client, &id, true).await,
        Verb::Enable { id } => return change(&client, &id, false).await,
        Verb::Password { id, password_stdin } => {
            let path = match &id {
                Some(id) => format!("users/{id}/password"),
                None => "me/password".to_owned(),
            };
            let old = match id {
                Some(_) => None,
                None => Some(password::ask("Old password: ", password_stdin)?),
            };
            let new = password::ask("New password: ", password_stdin)?;
            if !password_stdin && password::ask("The new password again: ", false)? != new {
                return Err(CliFailure::usage("the two new passwords differ"));
            }
            let body = match old {
                Some(old) => json!({ "old": old, "new": new }),
                None => json!({ "new": new }),
            };
            client.send(client.request(Method::PUT, &path).json(&body)).await?;
            output::line("password changed; every session of this user has ended");
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn change(client: &Client, id: &str, disabled: bool) -> Result<ExitCode, CliFailure> {
    let body = json!({ "disabled": disabled });
    client.send(client.request(Method::PATCH, &format!("users/{id}")).json(&body)).await?;
    output::line(format!("user/{id} {}", if disabled { "disabled" } else { "enabled" }));
    Ok(ExitCode::SUCCESS)
}
