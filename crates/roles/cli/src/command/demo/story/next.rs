//! The next release, before anybody starts it.

use super::check::{PIPELINE, expect};
use crate::command::demo::house::{House, START};
use crate::command::demo::tell;
use crate::failure::CliFailure;

/// Any addresses do: nothing real is asked.
const FORGE: &str = "https://forge.example";

pub(super) async fn rehearsed(house: &House) -> Result<(), CliFailure> {
    tell::chapter(11, "The next release is rehearsed in virtual time, with a fault: more of its requests fail");
    let sets = [
        "SERVICE_NAME=payment-service".to_owned(),
        "ARCHETYPE=api".to_owned(),
        "TEAM=payments_team".to_owned(),
        format!("GIT_URL={FORGE}"),
        "PROMETHEUS_URL=https://metrics.example".to_owned(),
    ];
    let repository = format!("{FORGE}/acme/platform-catalog=repositories/platform-catalog");
    let mut arguments = vec!["rehearse", "-f", "setup", "-f", "pipeline.yaml", "--pipeline", PIPELINE];
    for set in &sets {
        arguments.extend(["--set", set]);
    }
    for setting in ["manifests.placeholderTag=PLACEHOLDER_TAG", "compat.blueGreenAsHealthCheck=true"] {
        arguments.extend(["--setting", setting]);
    }
    arguments.extend(["--repository", &repository]);
    arguments.extend(["--workloads", "workloads.yaml", "--cluster", "k8s_prod_euw1=clusters/prod.yaml"]);
    arguments.extend(["-i", "imageTag=v2.3.5", "-i", "targetEnvironment=prod", "-i", "targetRegion=euw1"]);
    arguments.extend(["--deployed", "imageTag=v2.3.4", "--at", START, "--fault", "error-rate=8%"]);
    tell::prompt(&arguments);
    let (succeeded, out, err) = house.attempt(None, &arguments).await?;
    tell::say(&out);
    expect(!succeeded, || format!("the rehearsed release succeeded in spite of the fault: {out}"))?;
    expect(out.contains("verification failed"), || format!("the rehearsal does not tell why it failed: {out}{err}"))
}
