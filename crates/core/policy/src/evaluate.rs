//! One policy asked about one input.

use crate::builtins;
use crate::compile::{Compiled, on_large_stack, problem};
use crate::deny;
use regorus::utils::limits::ExecutionTimerConfig;
use regorus::{LimitError, Value};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
use windlass_model::{Json, Millis, Timestamp};

/// What Rego takes for the world.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// What `time.now_ns()` answers.
    pub now: Timestamp,
    /// What `rand.intn` and `uuid.rfc4122` are made from: the same seed gives the same answers.
    pub seed: &'a str,
}

/// How much one evaluation may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Limits {
    /// Looked at between steps of the evaluation; one step, such as a match of a regular expression, is not interrupted.
    pub time: Millis,
    /// Bytes of the input as JSON, about.
    pub input_bytes: usize,
    /// Levels of nesting of the input.
    pub input_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Millis::from_secs(1), input_bytes: 8 << 20, input_depth: 200 }
    }
}

/// What one policy says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    pub denied: bool,
    /// Sorted for sets; empty when the policy gives no reason.
    pub messages: Vec<String>,
}

/// Why a policy has no answer. It counts as a denial.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluateError {
    #[error("{0}")]
    Rego(Box<str>),
    #[error("the policy took longer than {0}")]
    Time(Millis),
    #[error("`deny` is {0}; expected a set of messages, a list, a text or a boolean")]
    Deny(&'static str),
    #[error("the input is larger than {0} bytes")]
    InputSize(usize),
    #[error("the input is nested deeper than {0} levels")]
    InputDepth(usize),
    #[error("the evaluation was given up")]
    GaveUp,
}

/// An input in the form Rego reads; made once for all policies that see it.
#[derive(Clone, Debug)]
pub(crate) struct Prepared(Value);

impl Prepared {
    pub(crate) fn new(input: &Json, limits: &Limits) -> Result<Self, EvaluateError> {
        measure(input, limits)?;
        Ok(Self(Value::from(input.clone())))
    }
}

/// Walks without recursion: the input comes from outside.
fn measure(input: &Json, limits: &Limits) -> Result<(), EvaluateError> {
    let mut bytes = 0usize;
    let mut open = vec![(input, 1usize)];
    while let Some((value, depth)) = open.pop() {
        if depth > limits.input_depth {
            return Err(EvaluateError::InputDepth(limits.input_depth));
        }
        bytes = bytes.saturating_add(match value {
            Json::String(text) => text.len() + 2,
            Json::Object(fields) => fields.keys().map(|key| key.len() + 4).sum(),
            _ => 4,
        });
        if bytes > limits.input_bytes {
            return Err(EvaluateError::InputSize(limits.input_bytes));
        }
        match value {
            Json::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Json::Object(fields) => open.extend(fields.values().map(|field| (field, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}

impl Compiled {
    /// Asks the policy. The same input, moment and seed give the same answer.
    pub fn evaluate(
        &self,
        input: &Json,
        circumstances: &Circumstances<'_>,
        limits: &Limits,
    ) -> Result<Finding, EvaluateError> {
        self.ask(&Prepared::new(input, limits)?, circumstances, limits)
    }

    pub(crate) fn ask(
        &self,
        input: &Prepared,
        circumstances: &Circumstances<'_>,
        limits: &Limits,
    ) -> Result<Finding, EvaluateError> {
        on_large_stack(|| self.ask_here(input, circumstances, limits)).unwrap_or(Err(EvaluateError::GaveUp))
    }

    fn ask_here(
        &self,
        input: &Prepared,
        circumstances: &Circumstances<'_>,
        limits: &Limits,
    ) -> Result<Finding, EvaluateError> {
        let mut engine = self.engine();
        engine.set_execution_timer_config(timer(limits));
        engine.set_input(input.0.clone());
        let answer = builtins::install_given(&mut engine, circumstances)
            .and_then(|()| engine.eval_query(self.query().to_owned(), false))
            .map_err(|error| explain(&error, limits))?;
        let value = answer.result.first().and_then(|result| result.expressions.first()).map(|found| &found.value);
        let denial = deny::read(value.unwrap_or(&Value::Undefined)).map_err(EvaluateError::Deny)?;
        Ok(Finding { denied: denial.denied, messages: denial.messages })
    }
}

pub(crate) fn timer(limits: &Limits) -> ExecutionTimerConfig {
    let check_interval = NonZeroU32::new(500).unwrap_or(NonZeroU32::MIN);
    ExecutionTimerConfig { limit: limits.time.to_std(), check_interval }
}

fn explain(error: &anyhow::Error, limits: &Limits) -> EvaluateError {
    if let Some(LimitError::TimeLimitExceeded { .. }) = error.downcast_ref::<LimitError>() {
        return EvaluateError::Time(limits.time);
    }
    let problem = problem(error, &"policy".into());
    let text = match &problem.place {
        Some(place) => format!("line {}, column {}: {}", place.line, place.column, problem.message),
        None => problem.message,
    };
    EvaluateError::Rego(text.into())
}
