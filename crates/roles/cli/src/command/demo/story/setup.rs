//! Everything is started, and the documents are saved.

use super::{Cast, check};
use crate::command::demo::house::{House, START};
use crate::command::demo::people::Person;
use crate::command::demo::tell;
use crate::failure::CliFailure;

/// The documents of the example, in the order of their references.
const DOCUMENTS: &[&str] = &[
    "people.yaml",
    "secrets.yaml",
    "connectors.yaml",
    "environments.yaml",
    "infrastructures.yaml",
    "service.yaml",
    "monitoring.yaml",
    "policies.yaml",
];

pub(super) async fn tell(house: &mut House) -> Result<Cast, CliFailure> {
    tell::chapter(
        1,
        "A server, three clusters in networks of their own, a forge; and the pipeline as the teams wrote it",
    );
    house.start_forge().await?;
    let mut metrics = String::new();
    for environment in ["int-stable", "pre-stable", "prod"] {
        metrics = house.start_cluster(environment).await?;
    }
    let code = house.start_server(START).await?.unwrap_or_default();
    house.quiet(&["login", &house.url(), "--code", &code]).await?;
    for environment in ["int-stable", "pre-stable", "prod"] {
        house.start_delegate(environment).await?;
    }
    let cast = Cast {
        ana: Person::new(house, "ana").await?,
        ben: Person::new(house, "ben").await?,
        chloe: Person::new(house, "chloe").await?,
        eve: Person::new(house, "eve").await?,
        build: program(house, "build").await?,
    };
    let sets = [format!("GIT_URL={}", house.forge_url), format!("PROMETHEUS_URL={metrics}")];
    for role in ["_pipeline_executor", "_project_viewer"] {
        house.quiet(&["role", "bind", role, "--user", cast.ben.name]).await?;
    }
    for name in DOCUMENTS {
        let file = format!("setup/{name}");
        let mut arguments = vec!["apply", "-f", &file];
        if *name == "connectors.yaml" {
            arguments.extend(["--set", &sets[0], "--set", &sets[1]]);
        }
        house.quiet(&arguments).await?;
    }
    // The last step of the pipeline deploys blue/green and never swaps: its name says that it wants to look at the health.
    house.quiet(&["setting", "set", "compat.blueGreenAsHealthCheck", "true"]).await?;
    // The manifests of the catalogue hold a word where the tag belongs.
    house.quiet(&["setting", "set", "manifests.placeholderTag", "PLACEHOLDER_TAG"]).await?;
    let sets = ["SERVICE_NAME=payment-service", "ARCHETYPE=api", "TEAM=payments_team"];
    let mut arguments = vec!["apply", "-f", "pipeline.yaml"];
    for set in &sets {
        arguments.extend(["--set", set]);
    }
    let saved = house.show(&arguments).await?;
    check::expect(saved, || "the pipeline was refused".to_owned())?;
    Ok(cast)
}

/// A service account that may start pipelines, and its key.
async fn program(house: &House, name: &str) -> Result<String, CliFailure> {
    house.quiet(&["service-account", "create", name]).await?;
    for role in ["_pipeline_executor", "_project_viewer"] {
        house.quiet(&["role", "bind", role, "--service-account", name]).await?;
    }
    let key = house.quiet(&["api-key", "create", "demo", "--service-account", name]).await?;
    Ok(key.trim().to_owned())
}
