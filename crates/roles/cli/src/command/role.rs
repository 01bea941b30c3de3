use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use reqwest::Method;
use serde_json::{Value, json};
use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb {
    /// List the built-in roles and those of the scope.
    List,
    /// List who has which role where.
    Bindings,
    /// Give somebody a role, in the scope of --org and --project.
    Bind {
        role: String,
        #[command(flatten)]
        who: Who,
        /// What the role reaches. Default: everything in the scope, and for account and organization also what is inside.
        #[arg(long, value_name = "ID")]
        resource_group: Option<String>,
    },
    /// Take a role away again, in the scope of --org and --project.
    Unbind {
        role: String,
        #[command(flatten)]
        who: Who,
    },
    /// Tell whether you have a permission, and why: `core_pipeline_execute`.
    Check {
        permission: String,
        /// Over one thing; default: over everything of the type.
        resource: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Who {
    /// A person, by id.
    #[arg(long)]
    user: Option<String>,
    /// A user group: `ops`, `account.ops`.
    #[arg(long)]
    group: Option<String>,
    /// `ci`, `account.ci`.
    #[arg(long)]
    service_account: Option<String>,
}

impl Who {
    /// As assignments name it: a level in front says where a group or service account lives.
    fn principal(&self) -> Value {
        let (kind, name) = match (&self.user, &self.group, &self.service_account) {
            (Some(user), _, _) => return json!({ "type": "USER", "identifier": user }),
            (None, Some(group), _) => ("USER_GROUP", group),
            (None, None, account) => ("SERVICE_ACCOUNT", account.as_ref().unwrap_or(&EMPTY)),
        };
        match name.split_once('.') {
            Some((level @ ("account" | "org"), id)) => {
                let level = if level == "org" { "organization" } else { level };
                json!({ "type": kind, "identifier": id, "scopeLevel": level })
            }
            _ => json!({ "type": kind, "identifier": name }),
        }
    }
}

static EMPTY: String = String::new();

pub(crate) async fn run(common: &Common, verb: Verb) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    match verb {
        Verb::List => list(common, &client).await?,
        Verb::Bindings => {
            let found = client.get("access/grants").await?;
            let columns = [
                ("BINDING", "/identifier"),
                ("SCOPE", "/scope"),
                ("ROLE", "/roleIdentifier"),
                ("RESOURCES", "/resourceGroupIdentifier"),
                ("WHO", "/principal/identifier"),
                ("TYPE", "/principal/type"),
            ];
            output::rows(common.output, &columns, found["items"].as_array().map_or(&[], Vec::as_slice));
        }
        Verb::Bind { role, who, resource_group } => {
            let scope = [client.org(), client.project()].map(|part| part.filter(|part| !part.is_empty()));
            let group = resource_group.unwrap_or_else(|| {
                if scope[1].is_some() {
                    "_all_project_level_resources"
                } else {
                    "_all_resources_including_child_scopes"
                }
                .into()
            });
            let principal = who.principal();
            let name = output::cell(&principal, "/identifier");
            // The same binding has the same name: binding twice changes nothing.
            let id = identifier(&format!("{}_{name}{role}_{group}", output::cell(&principal, "/type").to_lowercase()));
            let assignment = json!({
                "identifier": id,
                "name": id,
                "roleIdentifier": role,
                "resourceGroupIdentifier": group,
                "principal": principal,
            });
            let change = client.apply(&json!({ "roleAssignment": assignment })).await?;
            output::line(format!("role-assignment/{id} {change}"));
        }
        Verb::Unbind { role, who } => {
            let principal = who.principal();
            let found = client.get("access/grants").await?;
            let scope = client.scope();
            let of: Vec<&Value> = found["items"].as_array().into_iter().flatten().collect();
            let bound = of.into_iter().filter(|one| {
                one["roleIdentifier"] == role.as_str() && one["principal"] == principal && one["scope"] == scope
            });
            let mut gone = 0;
            for one in bound {
                let id = output::cell(one, "/identifier");
                client.send(client.request(Method::DELETE, &format!("role-assignments/{id}"))).await?;
                output::line(format!("role-assignment/{id} deleted"));
                gone += 1;
            }
            if gone == 0 {
                let name = output::cell(&principal, "/identifier");
                let failure = CliFailure::failed(format!("{name} has no role {role} in this scope"));
                return Err(failure.hint("`windlass role bindings` shows who has what"));
            }
        }
        Verb::Check { permission, resource } => {
            let mut request = client.request(Method::GET, "access/check").query(&[("permission", &permission)]);
            if let Some(resource) = &resource {
                request = request.query(&[("resource", resource)]);
            }
            let answer = client.json(request).await?;
            let allowed = answer["allowed"] == true;
            match common.output {
                Format::Table => {
                    let word = if allowed { "yes" } else { "no" };
                    output::line(format!("{word}: {}", output::cell(&answer, "/because")));
                }
                format => output::value(format, &answer),
            }
            return Ok(if allowed { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(common: &Common, client: &Client) -> Result<(), CliFailure> {
    let builtin = client.get("access/roles").await?;
    let mut rows: Vec<Value> = builtin["roles"].as_array().cloned().unwrap_or_default();
    for row in &mut rows {
        row["kind"] = Value::from("built in");
    }
    // Whoever may not see custom roles sees the built-in ones.
    if let Ok(custom) = client.all("roles").await {
        rows.extend(custom.into_iter().map(|mut row| {
            row["kind"] = Value::from("custom");
            row
        }));
    }
    let columns =
        [("ROLE", "/identifier"), ("KIND", "/kind"), ("DOES", "/description"), ("LEVELS", "/allowedScopeLevels")];
    output::rows(common.output, &columns, &rows);
    Ok(())
}

/// Letters, digits and `_`, as identifiers are.
fn identifier(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(128).collect()
}
