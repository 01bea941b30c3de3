use super::Found;
use crate::common::code;
use windlass_diagnostic::Diagnostic;
use windlass_model::Json;
use windlass_model::pipeline::{Deployment, ServiceUse, Step};

pub(super) fn apply(at: &Found<'_, '_>, step: &Step) {
    let flags = step.spec["commandFlags"].as_array().map(Vec::as_slice).unwrap_or_default();
    if flags.iter().any(Json::is_string) {
        at.report(
            Diagnostic::warning("SEED-47", "the vendor wants flags as `{commandType: Apply, flag: …}`")
                .remedy("plain texts are read as flags of Apply"),
        );
    }
    let text = |flag: &Json| flag.as_str().or(flag["flag"].as_str()).unwrap_or_default().to_owned();
    let flags: Vec<_> = flags.iter().map(text).collect();
    if flags.iter().any(|f| f.starts_with("--prune")) {
        at.report(
            Diagnostic::warning(
                "SEED-47",
                "`--prune` deletes what earlier applies of this service created and the manifests no longer hold",
            )
            .remedy("objects that others own, and configuration that a kept release needs, stay"),
        );
    }
}

/// Steps whose order makes one of them pointless.
pub(super) fn order<'a: 'r, 'r>(steps: &[&Step], deployment: &Deployment, at: impl Fn(&str) -> Found<'a, 'r>) {
    for step in steps.iter().filter(|step| !step.spec["trafficRouting"].is_null()) {
        at(&step.identifier).report(
            Diagnostic::warning(code::UNSUPPORTED, "`trafficRouting` does nothing yet")
                .remedy("requests are divided as the pods are: by their numbers"),
        );
    }
    let position = |kind: &str| steps.iter().position(|s| s.kind == kind);
    let rolling = position("K8sRollingDeploy");
    if let (Some(apply), Some(_)) = (position("K8sApply"), rolling)
        && applies_the_service(steps[apply], deployment)
    {
        at(&steps[apply].identifier).report(
            Diagnostic::warning("SEED-48", "this file is applied twice: here, and by the rolling deployment")
                .remedy("what this step applies is no release; the rolling deployment finds it unchanged"),
        );
    }
    if let (Some(rolling), Some(canary)) = (rolling, position("K8sCanaryDeploy"))
        && rolling < canary
    {
        at(&steps[canary].identifier).report(
            Diagnostic::warning(
                "SEED-50",
                "this canary comes after the full rollout: every pod runs the new version already",
            )
            .remedy("put the canary group before the rolling deployment"),
        );
    }
    if let (Some(rolling), Some(blue)) = (rolling, position("K8sBlueGreenDeploy"))
        && rolling < blue
        && !steps[blue..].iter().any(|s| s.kind == "K8sBGSwapServices")
    {
        at(&steps[blue].identifier).report(
            Diagnostic::warning(
                "SEED-55",
                "a blue/green deployment after a rolling one, never swapped, leaves a second copy",
            )
            .remedy("the setting `compat.blueGreenAsHealthCheck` turns it into a check of the running release"),
        );
    }
}

fn applies_the_service(step: &Step, deployment: &Deployment) -> bool {
    let ServiceUse::Reference { inline: Some(inline), .. } = &deployment.service else { return false };
    let files = step.spec["filePaths"].as_array().map(Vec::as_slice).unwrap_or_default();
    let manifests = inline["spec"]["manifests"].as_array().map(Vec::as_slice).unwrap_or_default();
    manifests.iter().any(|m| {
        let paths = m["manifest"]["spec"]["store"]["spec"]["paths"].as_array().map(Vec::as_slice).unwrap_or_default();
        files.iter().any(|f| paths.contains(f))
    })
}
