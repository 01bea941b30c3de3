use super::Found;
use windlass_diagnostic::Diagnostic;
use windlass_model::pipeline::{Field, Step};
use windlass_model::{Json, Millis};

pub(super) fn check(at: &Found<'_, '_>, step: &Step) {
    let spec = &step.spec;
    let nested = &spec["spec"];
    if nested.is_null() {
        at.report(if spec.get("duration").is_some() {
            Diagnostic::warning("SEED-53", "the vendor wants `duration` inside a nested `spec`")
                .remedy("it is read from here too")
        } else {
            Diagnostic::error(windlass_yaml::code::MISSING_KEY, "Verify needs `spec.duration`")
        });
    }
    let duration = nested["duration"].as_str().or(spec["duration"].as_str()).and_then(|d| Millis::parse(d).ok());
    let timeout = step.timeout.as_ref().and_then(Field::fixed);
    if let (Some(duration), Some(timeout)) = (duration, timeout)
        && *timeout <= duration
    {
        at.report(
            Diagnostic::warning(
                "SEED-54",
                format!("the timeout {timeout} leaves no time beyond the duration {duration}"),
            )
            .remedy("the step gets the duration and ten minutes"),
        );
    }
    if matches!(spec["monitoredService"], Json::Null) {
        at.report(
            Diagnostic::info("SEED-54", "no monitored service is named")
                .remedy("the one of service and environment is used, else the built-in metrics of the cluster"),
        );
    }
}
