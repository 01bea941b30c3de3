//! The next release, before anybody starts it.

use super::check::expect;
use crate::command::demo::house::{House, START};
use crate::command::demo::tell;
use crate::failure::CliFailure;

/// The pipeline in the recommended order.
const PIPELINE: &str = "payment_service_canary_first";

/// Any addresses do: nothing real is asked.
const FORGE: &str = "https://forge.example";

pub(super) async fn rehearsed(house: &House) -> Result<(), CliFailure> {
    tell::chapter(11, "The next release is rehearsed in virtual time, with a fault: more of its requests fail");
    tell::say("This time in the order that we recommend: a few pods first, all of them when those did well.");
    let (forge, repository) =
        (format!("GIT_URL={FORGE}"), format!("{FORGE}/acme/platform-catalog=repositories/platform-catalog"));
    let mut arguments = vec!["rehearse", "-f", "setup", "-f", "pipeline-canary-first.yaml", "--pipeline", PIPELINE];
    arguments.extend(["--set", &forge, "--set", "PROMETHEUS_URL=https://metrics.example"]);
    arguments.extend(["--setting", "manifests.placeholderTag=PLACEHOLDER_TAG", "--repository", &repository]);
    arguments.extend(["--workloads", "workloads.yaml", "--cluster", "k8s_prod_euw1=clusters/prod.yaml"]);
    arguments.extend(["-i", "imageTag=v2.3.5", "-i", "targetEnvironment=prod", "-i", "targetRegion=euw1"]);
    arguments.extend(["--deployed", "imageTag=v2.3.4", "--at", START, "--fault", "error-rate=8%"]);
    tell::prompt(&arguments);
    let (succeeded, out, err) = house.attempt(None, &arguments).await?;
    tell::say(&out);
    expect(!succeeded, || format!("the rehearsed release succeeded in spite of the fault: {out}"))?;
    expect(out.contains("verification failed"), || format!("the rehearsal does not tell why it failed: {out}{err}"))
}
