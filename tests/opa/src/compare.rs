//! The comparison: what was asked, how often both agreed, and where they did not.

use crate::calls::{self, AFTER, BEFORE};
use crate::error::Error;
use crate::opa::Opa;
use crate::ours::Ours;
use crate::question::{Answer, Question};
use crate::rules;
use crate::{inputs, shipped};
use std::collections::BTreeMap;
use windlass_test_dice::Dice;

/// One question that both were asked.
#[derive(Debug)]
pub struct Compared {
    /// The file of a policy, or the name of a function.
    pub name: String,
    pub question: Question,
    pub opa: Answer,
    pub ours: Answer,
    /// The rule of docs/compatibility/rego.md under which they differ.
    pub rule: Option<u8>,
}

impl Compared {
    /// Whether they differ where they must not.
    pub fn differs(&self) -> bool {
        self.rule.is_none() && !self.opa.agrees(&self.ours)
    }

    /// What a call is written as.
    pub fn expression(&self) -> &str {
        let last = self.question.policy.lines().last().unwrap_or_default();
        last.strip_prefix(BEFORE).and_then(|rest| rest.strip_suffix(AFTER)).unwrap_or(last)
    }
}

/// Asks about every shipped policy.
pub fn policies(opa: &mut Opa, inputs: usize, seed: u64) -> Result<Vec<Compared>, Error> {
    let mut ours = Ours::default();
    let mut compared = Vec::new();
    for (name, policy) in shipped::policies()? {
        let mut dice = Dice::new(seed);
        for _ in 0..inputs {
            let (input, now) = inputs::make(&policy, &mut dice).ok_or_else(|| Error::Shape(name.clone()))?;
            let question = Question { policy: policy.clone(), rule: shipped::rule(&policy), input, now };
            let (opa, ours) = (opa.ask(&question)?, ours.decision(&question));
            let rule = rules::decision(&opa, &ours);
            compared.push(Compared { name: name.clone(), question, opa, ours, rule });
        }
    }
    Ok(compared)
}

/// Asks for the values of function calls. That there is no value may be said as an error too.
pub fn functions(opa: &mut Opa, count: usize, seed: u64) -> Result<Vec<Compared>, Error> {
    let mut ours = Ours::default();
    let mut dice = Dice::new(seed);
    let mut compared = Vec::new();
    for _ in 0..count {
        let call = calls::make(&mut dice);
        let question = call.question();
        let opa = without_words(opa.ask(&question)?);
        let ours = ours.value(&question);
        let rule = if opa.agrees(&without_words(ours.clone())) {
            None
        } else {
            rules::rule(&call.name, &question, &opa, &ours)
        };
        let ours = without_words(ours);
        compared.push(Compared { name: call.name, question, opa, ours, rule });
    }
    Ok(compared)
}

fn without_words(answer: Answer) -> Answer {
    match answer {
        Answer::Error(_) => Answer::Undefined,
        other => other,
    }
}

/// How many of each name were asked, and how many had something to say.
pub fn tally(compared: &[Compared]) -> BTreeMap<&str, (usize, usize)> {
    let mut tally = BTreeMap::new();
    for one in compared {
        let (asked, said): &mut (usize, usize) = tally.entry(one.name.as_str()).or_default();
        *asked += 1;
        *said += usize::from(match &one.opa {
            Answer::Value(serde_json::Value::Array(denied)) if one.name.ends_with(".rego") => !denied.is_empty(),
            Answer::Value(_) => true,
            _ => false,
        });
    }
    tally
}
