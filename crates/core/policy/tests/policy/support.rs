use serde_json::Value as Json;
use windlass_model::Timestamp;
use windlass_policy::{Circumstances, Compiled, EvaluateError, Finding, Limits, compile};

pub(crate) fn at(moment: &str) -> Timestamp {
    Timestamp::parse(moment).unwrap()
}

pub(crate) fn compiled(rego: &str) -> Compiled {
    compile("p.rego", rego).unwrap_or_else(|found| panic!("{found}\n{rego}")).0
}

/// Monday, 2026-03-02 14:00 UTC.
pub(crate) fn ask(rego: &str, input: &Json) -> Result<Finding, EvaluateError> {
    ask_at(rego, input, "2026-03-02T14:00:00Z")
}

pub(crate) fn ask_at(rego: &str, input: &Json, moment: &str) -> Result<Finding, EvaluateError> {
    let circumstances = Circumstances { now: at(moment), seed: "run_1/3" };
    compiled(rego).evaluate(input, &circumstances, &Limits::default())
}

pub(crate) fn messages(rego: &str, input: &Json) -> Vec<String> {
    ask(rego, input).unwrap().messages
}
