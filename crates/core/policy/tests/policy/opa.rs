//! What the real OPA answered, frozen: `cargo run -p windlass-test-opa -- freeze` asks it again.

use serde::Deserialize;
use serde_json::Value as Json;
use windlass_model::Timestamp;
use windlass_policy::{Circumstances, Limits, SAMPLES, compile};

#[derive(Deserialize)]
struct Line {
    policy: Option<String>,
    call: Option<String>,
    input: Json,
    /// Nanoseconds.
    now: i64,
    /// Null is undefined.
    value: Json,
}

#[test]
fn decisions_and_values_are_those_of_opa() {
    let lines: Vec<_> = include_str!("../opa.jsonl").lines().collect();
    assert!(lines.len() > 500, "{} lines", lines.len());
    for text in lines {
        let line: Line = serde_json::from_str(text).unwrap();
        assert_eq!(ours(&line), line.value, "{text}");
    }
}

fn ours(line: &Line) -> Json {
    let circumstances = Circumstances { now: Timestamp::from_micros(line.now / 1_000), seed: "" };
    let ask = |rego: &str| compile("p.rego", rego).unwrap().0.evaluate(&line.input, &circumstances, &Limits::default());
    if let Some(policy) = &line.policy {
        let text =
            SAMPLES.iter().map(|sample| sample.rego).find(|rego| rego.contains(policy.trim_end_matches(".rego")));
        return ask(text.unwrap()).unwrap().messages.into();
    }
    let call = line.call.as_deref().unwrap();
    // A call that is an error has no value either.
    let found = ask(&format!("package call\nimport rego.v1\ndeny := [{{\"value\": {call}}}]")).unwrap_or_default();
    found.messages.first().map_or(Json::Null, |message| serde_json::from_str::<Json>(message).unwrap()["value"].take())
}
