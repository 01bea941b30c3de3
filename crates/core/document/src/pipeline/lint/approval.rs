use super::Found;
use windlass_diagnostic::Diagnostic;
use windlass_model::Json;
use windlass_model::pipeline::Step;

pub(super) fn check(at: &Found<'_, '_>, step: &Step) {
    let approvers = &step.spec["approvers"];
    if step.spec.get("includePipelineExecutionHistory").is_none() {
        at.report(
            Diagnostic::warning("SEED-40", "the vendor's schema demands `includePipelineExecutionHistory`")
                .remedy("it counts as false here"),
        );
    }
    let inputs = step.spec["approverInputs"].as_array().map(Vec::as_slice).unwrap_or_default();
    if inputs.iter().any(|i| i.get("type").is_some() || i.get("label").is_some()) {
        at.report(
            Diagnostic::warning("SEED-41", "the vendor ignores `type` and `label` of approver inputs")
                .remedy("the label is shown here; the type is always String"),
        );
    }
    let groups = approvers["userGroups"].as_array().map_or(0, Vec::len);
    let minimum = match &approvers["minimumCount"] {
        Json::Number(n) => n.as_u64(),
        Json::String(s) => s.parse().ok(),
        _ => None,
    };
    if groups >= 2 && minimum == Some(groups as u64) && approvers.get("minimumPerGroup").is_none() {
        at.report(
            Diagnostic::warning(
                "SEED-42",
                "people are counted over all groups: several of one group may satisfy this approval",
            )
            .remedy("write `minimumPerGroup: {group: 1}`, or one approval step for each group"),
        );
    }
    let message = step.spec["approvalMessage"].as_str().unwrap_or_default();
    if message.contains("pipeline.triggeredBy.email") {
        at.report(
            Diagnostic::warning("SEED-44", "runs that a webhook starts have no e-mail address")
                .remedy("the trigger's name is shown instead; nobody is kept from approving as executor then"),
        );
    }
    let rejects = step
        .failure_strategies
        .iter()
        .any(|s| s.errors.all || s.errors.types.contains(&windlass_model::FailureType::ApprovalRejection));
    if !step.failure_strategies.is_empty() && !rejects {
        at.report(
            Diagnostic::info(
                "SEED-43",
                "a rejection is not among the errors of this step: the stage's strategy decides then",
            )
            .remedy("name ApprovalRejection to decide here"),
        );
    }
}
