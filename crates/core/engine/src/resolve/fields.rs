//! Single typed fields: durations, numbers, selectors.

use super::Trouble;
use crate::draft::Draft;
use crate::nodes::NodeIx;
use windlass_expression::Value;
use windlass_model::pipeline::{Field, Selectors};
use windlass_model::{Failure, FailureType, Millis};

fn wrong(what: &str, why: impl std::fmt::Display) -> Failure {
    Failure::new(FailureType::ConfigurationFailure, format!("{what}: {why}"))
}

impl Draft {
    pub(crate) fn duration(&self, ix: NodeIx, field: &Field<Millis>, what: &str) -> Result<Millis, Failure> {
        match field {
            Field::Fixed(value) => Ok(*value),
            Field::Expression(text) => {
                let text = self.text_of(ix, text, what).map_err(Trouble::into_failure)?;
                Millis::parse(&text).map_err(|error| wrong(what, error))
            }
        }
    }

    pub(crate) fn whole(&self, ix: NodeIx, field: &Field<u32>, what: &str) -> Result<u32, Failure> {
        match field {
            Field::Fixed(value) => Ok(*value),
            Field::Expression(text) => {
                let text = self.text_of(ix, text, what).map_err(Trouble::into_failure)?;
                text.trim().parse().map_err(|_| wrong(what, format!("`{text}` is not a whole number")))
            }
        }
    }

    /// A retry's condition, an assertion.
    pub(crate) fn condition(&self, ix: NodeIx, condition: &str) -> Result<bool, Failure> {
        self.eyes(ix).condition(condition).map(|(value, _)| value)
    }

    /// A text for a worker or an entity look-up: nothing in it may be missing.
    pub(crate) fn text_of(&self, ix: NodeIx, text: &str, what: &str) -> Result<String, Trouble> {
        self.eyes(ix).text(text, what)
    }

    /// A list of selectors, written out or from one expression that gives a list or a text with commas.
    pub(crate) fn selectors(&self, ix: NodeIx, selectors: &Selectors) -> Result<Vec<String>, Failure> {
        const WHAT: &str = "delegateSelectors";
        let text = |text: &str| self.text_of(ix, text, WHAT).map_err(Trouble::into_failure);
        let split = |text: &str| text.split(',').map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()).collect();
        match selectors {
            Field::Fixed(list) => list.iter().map(|one| text(one)).collect(),
            Field::Expression(expression) => {
                match self.eyes(ix).required(expression, WHAT).map_err(Trouble::into_failure)? {
                    Value::List(items) => Ok(items.iter().map(ToString::to_string).collect()),
                    other => Ok(split(&other.to_string())),
                }
            }
        }
    }
}
