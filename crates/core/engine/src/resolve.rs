//! Expressions of a node, evaluated, and what it means when one has no value (pipelines §3.8, §3.9).

mod compiled;
mod fields;
mod importance;
mod secrets;
mod spec;

pub(crate) use compiled::Compiled;
pub(crate) use importance::Importance;
pub(crate) use secrets::{SEALED_OUTPUTS, Sealer, bring_along};
pub(crate) use spec::Spec;

use crate::deployment::ServiceFacts;
use crate::draft::Draft;
use crate::effect::{EntityKind, EntityRef};
use crate::node::SeenExpression;
use crate::nodes::NodeIx;
use crate::plan::PlanIx;
use crate::run::Run;
use crate::scope::{FILE, RunScope};
use windlass_expression::{Condition, Error, ErrorKind, Evaluator, Explanation, Missing, Template, Trace, Value};
use windlass_model::{Failure, FailureType, Json, Scope, Timestamp};

/// Why something has no value now.
#[derive(Clone, Debug)]
pub(crate) enum Trouble {
    Failed(Failure),
    /// These have to be looked up first.
    Lookup(Vec<EntityRef>),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Trouble {
    /// For places that cannot wait for a look-up.
    pub(crate) fn into_failure(self) -> Failure {
        match self {
            Self::Failed(failure) => failure,
            Self::Lookup(references) => {
                let names: Vec<_> = references.iter().map(|one| one.reference.as_str()).collect();
                let what = format!("files cannot be read here: {}", names.join(", "));
                Failure::new(FailureType::Unknown, what).hint("read the file in a step's spec and use its output")
            }
        }
    }
}

/// An evaluator for one place of a run.
pub(crate) struct Eyes<'r> {
    scope: RunScope<'r>,
    now: Timestamp,
}

impl<'r> Eyes<'r> {
    pub(crate) fn of(run: &'r Run, ix: NodeIx, now: Timestamp) -> Self {
        Self { scope: RunScope::of(run, ix), now }
    }

    pub(crate) fn before(run: &'r Run, plan: PlanIx, parent: NodeIx, now: Timestamp) -> Self {
        Self { scope: RunScope::before(run, plan, parent), now }
    }

    pub(crate) fn with(mut self, extra: &'r Json) -> Self {
        self.scope.extra = Some(extra);
        self
    }

    pub(crate) fn naming_the_starter(mut self) -> Self {
        self.scope.name_for_email = true;
        self
    }

    pub(crate) fn with_service(mut self, service: &'r ServiceFacts) -> Self {
        self.scope.service = Some(service);
        self
    }

    pub(crate) fn strict(&self) -> bool {
        self.scope.run.settings().strict_expressions
    }

    fn evaluator(&self) -> Evaluator<'_> {
        Evaluator::new(&self.scope, self.now.to_jiff())
    }

    /// A text in mode *value*, with what was missing.
    pub(crate) fn value(&self, template: &Template) -> Result<windlass_expression::Outcome<Value>, Trouble> {
        self.evaluator().value(template).map_err(|error| trouble(&error, template.source(), &self.scope.run.scope()))
    }

    /// A whole text; what is missing fails.
    pub(crate) fn required(&self, text: &str, what: &str) -> Result<Value, Trouble> {
        if !text.contains("<+") {
            return Ok(Value::from(text));
        }
        let outcome = self.value(&Template::parse(text)).map_err(|trouble| in_field(trouble, what))?;
        match unresolved(&outcome.missing) {
            Some(failure) => Err(in_field(failure.into(), what)),
            None => Ok(outcome.value),
        }
    }

    /// A text for a worker or an entity look-up: nothing in it may be missing.
    pub(crate) fn text(&self, text: &str, what: &str) -> Result<String, Trouble> {
        let value = self.required(text, what)?;
        Ok(Sealer::of(self.scope.run).text(&value.to_text())?)
    }

    /// A name for display: what has no value stays as it was written.
    pub(crate) fn display(&self, text: &str) -> String {
        if !text.contains("<+") {
            return text.to_owned();
        }
        self.evaluator().text_or_verbatim(&Template::parse(text)).to_string()
    }

    /// A condition, with what its expressions saw.
    pub(crate) fn condition(&self, text: &str) -> Result<(bool, Vec<SeenExpression>), Failure> {
        let condition = Condition::parse(text);
        let evaluator = self.evaluator();
        let outcome = evaluator
            .condition(&condition)
            .map_err(|error| trouble(&error, text, &self.scope.run.scope()).into_failure())?;
        if self.strict()
            && let Some(failure) = unresolved(&outcome.missing)
        {
            return Err(failure);
        }
        Ok((outcome.value, seen(&evaluator.explain_condition(&condition))))
    }

    pub(crate) fn explain(&self, template: &Template) -> Vec<SeenExpression> {
        seen(&self.evaluator().explain(template))
    }
}

impl Draft {
    pub(crate) fn eyes(&self, ix: NodeIx) -> Eyes<'_> {
        Eyes::of(&self.run, ix, self.now)
    }

    pub(crate) fn condition_seen(
        &self,
        plan: PlanIx,
        parent: NodeIx,
        condition: &str,
    ) -> Result<(bool, Vec<SeenExpression>), Failure> {
        Eyes::before(&self.run, plan, parent, self.now).condition(condition)
    }
}

/// Every expression of a text that led nowhere, as one failure.
pub(crate) fn unresolved<'m>(missing: impl IntoIterator<Item = &'m Missing>) -> Option<Failure> {
    let mut names: Vec<String> = Vec::new();
    let mut hints: Vec<String> = Vec::new();
    for one in missing {
        let name = format!("<+{}>", one.expression);
        if !names.contains(&name) {
            names.push(name);
            hints.extend(one.remedy.clone());
        }
    }
    if names.is_empty() {
        return None;
    }
    let message = match names.as_slice() {
        [one] => format!("{one} has no value"),
        many => format!("these expressions have no value: {}", many.join(", ")),
    };
    let failure = Failure::new(FailureType::Unknown, message);
    Some(hints.into_iter().fold(failure, Failure::hint))
}

fn trouble(error: &Error, source: &str, from: &Scope) -> Trouble {
    if let ErrorKind::NotYet(pending) = &error.kind {
        let file = |path: &str| EntityRef { kind: EntityKind::Files, reference: path.to_owned(), from: from.clone() };
        let files: Vec<_> = pending.iter().filter_map(|one| one.reference.strip_prefix(FILE)).map(file).collect();
        if files.len() == pending.len() {
            return Trouble::Lookup(files);
        }
    }
    let mut message = format!("`{}`: {}", shorten(source), error.kind);
    for variable in error.via.iter().rev() {
        message.push_str(&format!(", in the value of `{variable}`"));
    }
    let failure = Failure::new(FailureType::Unknown, message);
    Trouble::Failed(error.remedy.iter().fold(failure, |failure, remedy| failure.hint(remedy.clone())))
}

pub(crate) fn in_field(trouble: Trouble, what: &str) -> Trouble {
    match trouble {
        Trouble::Failed(mut failure) => {
            failure.message = format!("{what}: {}", failure.message);
            Trouble::Failed(failure)
        }
        files => files,
    }
}

/// The paths of an explanation with their values, each once.
fn seen(explanation: &Explanation) -> Vec<SeenExpression> {
    let mut found: Vec<SeenExpression> = Vec::new();
    let mut open: Vec<&Trace> = explanation.steps.iter().rev().collect();
    while let Some(trace) = open.pop() {
        // The leaves are what was looked at; what surrounds them is computed.
        if !trace.parts.is_empty() && trace.variable.is_none() && found.len() < MOST_SEEN {
            open.extend(trace.parts.iter().rev());
            continue;
        }
        let (expression, value) = (shorten(&trace.text), shorten(&trace.seen.to_string()));
        if trace.variable.is_some() {
            continue;
        }
        match found.iter().position(|one| one.expression == expression) {
            Some(at) => found[at].count += 1,
            None if found.len() < MOST_SEEN => found.push(SeenExpression { expression, value, count: 1 }),
            None => {}
        }
    }
    found
}

/// More would not be read by anybody.
const MOST_SEEN: usize = 100;

fn shorten(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
