use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use reqwest::Method;
use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb {
    /// Make a key. It is shown once.
    Create {
        name: String,
        /// The person it acts as.
        #[arg(long, conflicts_with = "service_account", required_unless_present = "service_account")]
        user: Option<String>,
        /// The service account it acts as.
        #[arg(long)]
        service_account: Option<String>,
        /// How long it opens anything: `90d`. Default: until it is revoked.
        #[arg(long, value_name = "DURATION")]
        lifetime: Option<String>,
    },
    /// List keys.
    List,
    /// A revoked key opens nothing.
    Revoke { id: String },
}

pub(crate) async fn run(common: &Common, verb: Verb) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    match verb {
        Verb::Create { name, user, service_account, lifetime } => {
            let lifetime = lifetime.map(|text| windlass_model::Millis::parse(&text)).transpose();
            let lifetime = lifetime.map_err(|e| CliFailure::usage(e.to_string()))?;
            let body = serde_json::json!({
                "name": name,
                "user": user,
                "serviceAccount": service_account,
                "lifetime": lifetime.map(|l| l.0 / 1_000),
                "org": client.org(),
                "project": client.project(),
            });
            let created = client.post("api-keys", &body).await?;
            match common.output {
                Format::Table => output::line(output::cell(&created, "/token")),
                format => output::value(format, &created),
            }
        }
        Verb::List => {
            let found = client.get("api-keys").await?;
            if common.output != Format::Table {
                output::value(common.output, &found["items"]);
                return Ok(ExitCode::SUCCESS);
            }
            let pointers = ["/id", "/name", "/owner", "/createdAt", "/expiresAt", "/revokedAt", "/usedAt"];
            let rows: Vec<Vec<String>> = found["items"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|row| pointers.iter().map(|p| output::short(row, p)).collect())
                .collect();
            output::table(&["KEY", "NAME", "OWNER", "CREATED", "EXPIRES", "REVOKED", "USED"], &rows);
        }
        Verb::Revoke { id } => {
            client.send(client.request(Method::DELETE, &format!("api-keys/{id}"))).await?;
            output::line(format!("api-key/{id} revoked"));
        }
    }
    Ok(ExitCode::SUCCESS)
}
