//! What comes from people, from systems outside and from delegates.

use bytes::Bytes;
use serde_json::{Value as Json, json};
use windlass_engine::TriggerContext;
use windlass_engine::runtime_inputs::{TriggerScope, of_trigger};
use windlass_expression::{Condition, Evaluator, Limits, Template, Tree};
use windlass_link::{ToServer, ToWorker, decode, encode};
use windlass_model::{Millis, Timestamp};
use windlass_policy::{Circumstances, compile};
use windlass_secrets::{Clear, MASK, MaskPatterns, Masker};

/// Two halves at the first line `--`.
fn halves(bytes: &[u8]) -> (&[u8], &[u8]) {
    let at = bytes.windows(4).position(|window| window == b"\n--\n");
    at.map_or((bytes, &[]), |at| (&bytes[..at], &bytes[at + 4..]))
}

/// Texts with expressions, alone and as a condition: each has a value, is pending or is refused, and what was resolved in part
/// reads as a text again.
pub fn expression(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let scope = Tree::new(json!({"pipeline": {"name": "p", "variables": {
        "env": "prod", "count": 3, "on": true, "none": null, "list": ["a", "b"], "again": "<+pipeline.variables.env>",
        "loop": "<+pipeline.variables.loop>", "text": text,
    }}}));
    let limits = Limits { steps: 20_000, regex_backtracks: 20_000, ..Limits::default() };
    let evaluator = Evaluator::new(&scope, Timestamp::from_secs(1_700_000_000).to_jiff()).limits(limits);
    let template = Template::parse(text);
    if let Ok(outcome) = evaluator.text(&template) {
        assert!(outcome.value.to_string().len() <= 2 * limits.text_bytes);
    }
    let _ = evaluator.partial(&template);
    let _ = evaluator.condition(&Condition::parse(text));
}

/// The body of a webhook, and before it what a trigger makes of it. What comes from outside is never read as code.
pub fn webhook(bytes: &[u8]) {
    let (input, payload) = halves(bytes);
    let Ok(payload) = serde_json::from_slice::<Json>(payload) else { return };
    let Ok(input) = std::str::from_utf8(input) else { return };
    let event = TriggerContext { payload, ..TriggerContext::default() };
    let now = Timestamp::from_secs(1_700_000_000);
    let input = json!({"pipeline": {"variables": [{"name": "x", "value": input}]}});
    let _ = of_trigger(&input, &event, now);
    let scope = TriggerScope(&event);
    let found = Evaluator::new(&scope, now.to_jiff()).text(&Template::parse("<+trigger.payload.text>"));
    if let (Ok(found), Some(text)) = (found, event.payload.get("text").and_then(Json::as_str)) {
        assert_eq!(found.value.to_string(), text, "a text of the payload is what it is");
    }
}

/// A policy, and behind it an input: compiled or refused with places, then an answer within its time.
pub fn rego(bytes: &[u8]) {
    let (policy, input) = halves(bytes);
    let Ok(policy) = std::str::from_utf8(policy) else { return };
    let Ok((compiled, _)) = compile("policy.rego", policy) else { return };
    let input: Json = serde_json::from_slice(input).unwrap_or_default();
    let limits = windlass_policy::Limits { time: Millis(200), ..windlass_policy::Limits::default() };
    let circumstances = Circumstances { now: Timestamp::from_secs(1_700_000_000), seed: "fuzz" };
    let _ = compiled.evaluate(&input, &circumstances, &limits);
}

/// Frames of a delegate or of somebody who says so: read by both sides. What was read can be sent and read to the same.
pub fn link(bytes: &[u8]) {
    let Ok(frames) = decode(Bytes::copy_from_slice(bytes)) else { return };
    let again = decode(encode(&frames));
    assert_eq!(again.ok().as_ref(), Some(&frames));
    for frame in frames {
        let _ = ToServer::try_from(frame.clone());
        let _ = ToWorker::try_from(frame);
    }
}

/// A log that comes in pieces, with a secret in it: cut anywhere, it is the same as uncut, and the secret is gone.
pub fn log(bytes: &[u8]) {
    let Some((cut, text)) = bytes.split_first() else { return };
    const SECRET: &str = "s3cr3t-\u{e9}-value";
    let patterns = MaskPatterns::new([&Clear::from(SECRET.to_owned())]);
    let whole = {
        let mut masker = Masker::new(patterns.clone());
        let mut out = masker.push(text);
        out.extend(masker.finish());
        out
    };
    let mut masker = Masker::new(patterns);
    let mut pieces = Vec::new();
    for piece in text.chunks(usize::from(*cut).max(1)) {
        pieces.extend(masker.push(piece));
    }
    pieces.extend(masker.finish());
    assert_eq!(pieces, whole, "cut every {cut} bytes");
    let holds = |found: &[u8], what: &str| found.windows(what.len()).any(|window| window == what.as_bytes());
    assert!(!holds(&whole, SECRET));
    assert!(holds(&whole, MASK) || !holds(text, SECRET));
}
