use crate::common::{code, is_expression};
use windlass_diagnostic::Diagnostic;
use windlass_model::InputSpec;
use windlass_model::pipeline::{RunWhen, When};
use windlass_yaml::{Fields, Reader};

/// Reads `when`: `pipelineStatus` on stages, `stageStatus` on steps and groups; the other one is taken too (SEED-22).
pub(super) fn read(fields: &Fields<'_>, right: &'static str, wrong: &'static str) -> Option<When> {
    let reader = fields.opt("when")?;
    if reader.node().as_str().is_some_and(InputSpec::is_input) {
        return Some(When { status: RunWhen::Success, condition: Some(reader.string()?) });
    }
    let fields = reader.fields()?;
    let status = match (fields.opt(right), fields.opt(wrong)) {
        (Some(status), _) => word(&status),
        (None, Some(status)) => {
            status.report(Diagnostic::warning(
                "SEED-22",
                format!("`{wrong}` does not belong here; it is read as `{right}`"),
            ));
            word(&status)
        }
        (None, None) => Some(RunWhen::Success),
    };
    let condition = fields.opt("condition").and_then(|c| {
        let text = c.string()?;
        if text.contains(".executionInput()") {
            c.report(Diagnostic::error(code::INPUT, "a condition cannot be an execution input"));
        }
        Some(text)
    });
    fields.finish();
    Some(When { status: status?, condition: condition.filter(|c| !c.trim().is_empty()) })
}

fn word(reader: &Reader<'_>) -> Option<RunWhen> {
    if reader.node().as_str().is_some_and(is_expression) {
        reader.report(Diagnostic::error(code::CHOICE, "the status of a `when` is one of Success, Failure, All"));
        return None;
    }
    reader.choice(&[("Success", RunWhen::Success), ("Failure", RunWhen::Failure), ("All", RunWhen::All)])
}
