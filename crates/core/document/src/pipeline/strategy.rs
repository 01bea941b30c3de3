//! Failure strategies (pipelines §5.1–5.4).

use crate::common::{self, code};
use std::collections::BTreeSet;
use windlass_diagnostic::Diagnostic;
use windlass_model::FailureType;
use windlass_model::pipeline::{Action, ErrorMatch, FailureStrategy, Field};
use windlass_yaml::{Fields, Reader};

/// Where a strategy stands: some actions have a place of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Stage,
    Group,
    Step,
    /// Steps that undo others know fewer actions (pipelines §5.5).
    RollbackStep,
}

pub(super) fn read(fields: &Fields<'_>, level: Level) -> Vec<FailureStrategy> {
    let Some(reader) = fields.opt("failureStrategies") else { return Vec::new() };
    let mut named: BTreeSet<FailureType> = BTreeSet::new();
    let mut strategies = Vec::new();
    for item in reader.items().unwrap_or_default() {
        let Some(strategy) = strategy(&item, level) else { continue };
        if let Some(twice) = strategy.errors.types.iter().find(|t| named.contains(t)) {
            item.report(Diagnostic::warning(
                code::STRATEGY,
                format!("`{twice}` has a strategy already; the first one wins"),
            ));
        }
        named.extend(&strategy.errors.types);
        strategies.push(strategy);
    }
    strategies
}

fn strategy(item: &Reader<'_>, level: Level) -> Option<FailureStrategy> {
    let fields = item.fields()?;
    let on_failure = fields.required("onFailure");
    fields.finish();
    let fields = on_failure?.fields()?;
    let errors = fields.required("errors").and_then(|e| errors(&e));
    let action = fields.required("action").and_then(|a| action(&a, level, Inside::Nothing));
    fields.finish();
    let (errors, action) = (errors?, action?);
    if action == Action::ProceedWithDefaultValues
        && (errors.all || errors.types.iter().any(|t| *t != FailureType::InputTimeoutError))
    {
        item.report(Diagnostic::error(
            code::STRATEGY,
            "ProceedWithDefaultValues goes with `errors: [InputTimeoutError]` only",
        ));
    }
    Some(FailureStrategy { errors, action })
}

fn errors(reader: &Reader<'_>) -> Option<ErrorMatch> {
    let mut found = ErrorMatch::default();
    for item in reader.items()? {
        let Some(word) = item.string() else { continue };
        if word == "AllErrors" {
            found.all = true;
        } else if let Some(kind) = FailureType::parse(&word) {
            found.types.insert(kind);
        } else {
            let known = FailureType::ALL.iter().map(|t| t.name()).chain(["AllErrors"]);
            item.report(
                Diagnostic::warning(code::STRATEGY, format!("`{word}` is not a type of error; it is ignored"))
                    .nearest_of(&word, known),
            );
        }
    }
    Some(found)
}

/// What an action is nested in: some may not be nested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Nothing,
    Retry,
    Intervention,
}

fn action(reader: &Reader<'_>, level: Level, inside: Inside) -> Option<Action> {
    let fields = reader.fields()?;
    let kind = fields.required("type");
    let word = kind.as_ref().and_then(Reader::string);
    let spec = fields.opt("spec");
    fields.finish();
    let (kind, word) = (kind?, word?);
    let refuse = |text: &str| {
        kind.report(Diagnostic::error(code::STRATEGY, text.to_owned()));
        None
    };
    let action = match word.as_str() {
        "Ignore" => Action::Ignore,
        "MarkAsSuccess" => Action::MarkAsSuccess,
        "MarkAsFailure" => Action::MarkAsFailure,
        "Abort" => Action::Abort,
        "StageRollback" => Action::StageRollback,
        "StepGroupRollback" => Action::StepGroupRollback,
        "PipelineRollback" => Action::PipelineRollback,
        "ProceedWithDefaultValues" => Action::ProceedWithDefaultValues,
        "Retry" if inside == Inside::Retry => return refuse("what follows an exhausted Retry cannot be a Retry"),
        "Retry" => retry(&spec_of(reader, spec)?, level)?,
        "RetryStepGroup" if inside == Inside::Retry => {
            return refuse("what follows an exhausted Retry cannot be RetryStepGroup");
        }
        "RetryStepGroup" => {
            let spec = spec_of(reader, spec)?;
            let fields = spec.fields()?;
            let (count, intervals) = counts(&fields);
            fields.finish();
            Action::RetryStepGroup { count: count?, intervals }
        }
        "ManualIntervention" if inside == Inside::Intervention => {
            return refuse("what follows an unanswered ManualIntervention cannot be one");
        }
        "ManualIntervention" => intervention(&spec_of(reader, spec)?, level)?,
        other => {
            let problem = format!("`{other}` is not an action of a failure strategy");
            kind.report(Diagnostic::error(code::STRATEGY, problem).nearest_of(other, ACTIONS.iter().copied()));
            return None;
        }
    };
    let group_only = matches!(action, Action::RetryStepGroup { .. } | Action::StepGroupRollback);
    if group_only && level != Level::Group {
        return refuse(&format!("`{word}` belongs to step groups"));
    }
    if level == Level::RollbackStep && matches!(action, Action::StageRollback | Action::PipelineRollback) {
        return refuse(&format!("`{word}` cannot be used by a step that is part of a rollback"));
    }
    Some(action)
}

pub(crate) const ACTIONS: &[&str] = &[
    "Ignore",
    "MarkAsSuccess",
    "MarkAsFailure",
    "Abort",
    "Retry",
    "RetryStepGroup",
    "StageRollback",
    "StepGroupRollback",
    "PipelineRollback",
    "ManualIntervention",
    "ProceedWithDefaultValues",
];

fn spec_of<'a>(action: &Reader<'a>, spec: Option<Reader<'a>>) -> Option<Reader<'a>> {
    if spec.is_none() {
        action.report(Diagnostic::error(windlass_yaml::code::MISSING_KEY, "`spec` is missing"));
    }
    spec
}

fn counts(fields: &Fields<'_>) -> (Option<Field<u32>>, Vec<Field<windlass_model::Millis>>) {
    let count = fields.required("retryCount").and_then(|r| {
        let count = common::count(&r)?;
        if count.fixed().is_some_and(|n| *n > 10) {
            r.report(Diagnostic::warning(code::STRATEGY, "the vendor allows at most 10 retries"));
        }
        Some(count)
    });
    let intervals = fields.list("retryIntervals", |r| common::duration(&r));
    (count, intervals)
}

fn retry(spec: &Reader<'_>, level: Level) -> Option<Action> {
    let fields = spec.fields()?;
    let (count, intervals) = counts(&fields);
    let condition = fields.opt_string("condition");
    let exhausted = fields.opt_with("onRetryFailure", |r| nested(&r, level, Inside::Retry));
    fields.finish();
    Some(Action::Retry {
        count: count?,
        intervals,
        condition,
        on_exhausted: Box::new(exhausted.unwrap_or(Action::MarkAsFailure)),
    })
}

fn intervention(spec: &Reader<'_>, level: Level) -> Option<Action> {
    let fields = spec.fields()?;
    let timeout = fields.required("timeout").and_then(|r| common::duration(&r));
    let on_timeout = fields.required("onTimeout").and_then(|r| nested(&r, level, Inside::Intervention));
    fields.finish();
    Some(Action::ManualIntervention { timeout: timeout?, on_timeout: Box::new(on_timeout?) })
}

fn nested(reader: &Reader<'_>, level: Level, inside: Inside) -> Option<Action> {
    let fields = reader.fields()?;
    let action = fields.required("action").and_then(|a| action(&a, level, inside));
    fields.finish();
    action
}
