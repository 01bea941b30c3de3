//! Calls of functions with arguments by chance: half of them about time.

mod general;
mod kind;
mod time;

use crate::question::Question;
use serde_json::Value as Json;
use windlass_test_dice::Dice;

/// A rule whose message is the value of a call, as JSON.
pub(crate) const BEFORE: &str = "deny := [{\"value\": ";
pub(crate) const AFTER: &str = "}]";

/// One call: which function it is about, and the expression, whose arguments are in the input.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    expression: String,
    arguments: Vec<Json>,
}

impl Call {
    /// `name(input[0], input[1], …)`
    fn plain(name: &str, arguments: Vec<Json>) -> Self {
        let places: Vec<_> = (0..arguments.len()).map(|at| format!("input[{at}]")).collect();
        Self { name: name.to_owned(), expression: format!("{name}({})", places.join(", ")), arguments }
    }

    pub(crate) fn question(&self) -> Question {
        let Self { expression, arguments, .. } = self;
        Question {
            policy: format!("package call\n\nimport rego.v1\n\n{BEFORE}{expression}{AFTER}\n"),
            rule: "data.call.deny[0].value".to_owned(),
            input: arguments.clone().into(),
            now: 0,
        }
    }
}

pub(crate) fn make(dice: &mut Dice) -> Call {
    if dice.percent(50) { time::make(dice) } else { general::make(dice) }
}
