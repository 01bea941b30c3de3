//! The same questions, answered by windlass-policy.

use crate::question::{Answer, Question};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use windlass_model::Timestamp;
use windlass_policy::{Circumstances, Compiled, Limits, compile};

/// Keeps what it has compiled.
#[derive(Debug, Default)]
pub(crate) struct Ours(BTreeMap<String, Result<Compiled, String>>);

impl Ours {
    /// The messages of `deny`, or why there are none.
    pub(crate) fn ask(&mut self, question: &Question) -> Result<Vec<String>, String> {
        let policy = self.0.entry(question.policy.clone()).or_insert_with(|| {
            compile("policy.rego", &question.policy).map(|(policy, _)| policy).map_err(|found| found.to_string())
        });
        let policy = policy.as_ref().map_err(Clone::clone)?;
        let circumstances = Circumstances { now: Timestamp::from_micros(question.now / 1_000), seed: "" };
        let found = policy.evaluate(&question.input, &circumstances, &Limits::default());
        found.map(|found| found.messages).map_err(|error| error.to_string())
    }

    /// What the policy denies, as a list.
    pub(crate) fn decision(&mut self, question: &Question) -> Answer {
        match self.ask(question) {
            Ok(messages) => Answer::Value(messages.into()),
            Err(error) => Answer::Error(error),
        }
    }

    /// The value inside of `deny := [{"value": …}]`; nothing is an error here: it has no value.
    pub(crate) fn value(&mut self, question: &Question) -> Answer {
        let messages = match self.ask(question) {
            Ok(messages) => messages,
            Err(error) => return Answer::Error(error),
        };
        let Some(message) = messages.first() else { return Answer::Undefined };
        match serde_json::from_str::<Json>(message) {
            Ok(mut message) => Answer::Value(message["value"].take()),
            Err(error) => Answer::Error(format!("{error} in {message}")),
        }
    }
}
