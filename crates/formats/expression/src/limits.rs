//! Bounds of one evaluation, and the meter that watches them.

use crate::error::{ErrorKind, Outcome};
use crate::regex::Regex;
use crate::value::Value;
use std::collections::HashMap;
use std::rc::Rc;

/// Bounds of one evaluation. The defaults are those of pipelines §3.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How often a variable's text may lead to another variable's text.
    pub depth: usize,
    /// Bytes of the result of one expression, as text.
    pub result_bytes: usize,
    /// Bytes of a whole evaluated text.
    pub text_bytes: usize,
    /// Units of work: one for each node, more for work that grows with its data.
    pub steps: u64,
    /// Steps back that one regular expression match may take.
    pub regex_backtracks: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 10,
            result_bytes: 256 * 1024,
            text_bytes: 3 * 1024 * 1024,
            steps: 200_000,
            regex_backtracks: 1_000_000,
        }
    }
}

/// How deep operators, brackets and expressions may be nested in one text. Keeps the call stack small.
pub(crate) const NESTING: usize = 64;
/// The same over all texts of one evaluation.
pub(crate) const STACK: usize = 64;
/// Bytes of one expression.
pub(crate) const EXPRESSION_BYTES: usize = 64 * 1024;
/// Expressions in one text.
pub(crate) const EXPRESSIONS: usize = 10_000;

/// Spends the budget of one evaluation.
pub(crate) struct Meter {
    limits: Limits,
    steps_left: u64,
    patterns: HashMap<String, Rc<Regex>>,
}

impl Meter {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, steps_left: limits.steps, patterns: HashMap::new() }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn spend(&mut self, steps: usize) -> Outcome<()> {
        match self.steps_left.checked_sub(steps as u64) {
            Some(left) => {
                self.steps_left = left;
                Ok(())
            }
            None => {
                self.steps_left = 0;
                Err(ErrorKind::Limit { what: "the work of this evaluation", limit: as_usize(self.limits.steps) }.into())
            }
        }
    }

    /// Pays for walking over so many bytes.
    pub(crate) fn spend_bytes(&mut self, bytes: usize) -> Outcome<()> {
        self.spend(bytes / 64)
    }

    /// Refuses a text before it is built.
    pub(crate) fn allow_bytes(&mut self, bytes: usize) -> Outcome<()> {
        if bytes > self.limits.result_bytes {
            return Err(ErrorKind::Limit { what: "the result", limit: self.limits.result_bytes }.into());
        }
        self.spend_bytes(bytes)
    }

    /// Lets a new value pass when it is small enough.
    pub(crate) fn admit(&mut self, value: Value) -> Outcome<Value> {
        let size = value.size_up_to(self.limits.result_bytes + 1);
        self.allow_bytes(size)?;
        Ok(value)
    }

    pub(crate) fn regex(&mut self, pattern: &str) -> Outcome<Rc<Regex>> {
        if let Some(known) = self.patterns.get(pattern) {
            return Ok(Rc::clone(known));
        }
        self.spend(100)?;
        let regex = Rc::new(Regex::new(pattern, self.limits.regex_backtracks)?);
        self.patterns.insert(pattern.to_owned(), Rc::clone(&regex));
        Ok(regex)
    }
}

fn as_usize(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
