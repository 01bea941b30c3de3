//! Policies that judge a step: before it starts, and by what it did (pipelines §4.5 `enforce`, §8.2 On Step Start).

use crate::code::POLICY_WARNING;
use crate::draft::Draft;
use crate::effect::PolicyQuestion;
use crate::event::{OutputKnown, PolicyRequested};
use crate::flow::End;
use crate::input::{PolicyStatus, PolicyVerdict};
use crate::nodes::NodeIx;
use crate::resolve::Trouble;
use crate::steps::selection;
use serde_json::json;
use windlass_diagnostic::Diagnostic;
use windlass_model::{Failure, FailureType, Json, Status};

/// Whether a step may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Door {
    Open,
    Waits,
}

/// Asks the policy sets of action `onstepstart`, when there are some.
pub(super) fn may_start(draft: &mut Draft, ix: NodeIx) -> Result<Door, Trouble> {
    if !draft.run.settings().step_start_policies {
        return Ok(Door::Open);
    }
    match draft[ix].verdicts.first().cloned() {
        Some(verdict) => {
            verdict_on(draft, ix, &verdict, "a policy on step start")?;
            Ok(Door::Open)
        }
        None => {
            let spec = draft.resolve_spec(ix)?.shown();
            let payload = document(draft, ix, spec);
            ask(draft, ix, PolicyQuestion::StepStart { payload });
            Ok(Door::Waits)
        }
    }
}

/// The first verdict that is the step's own, after the one on its start.
pub(super) fn own_verdicts(draft: &Draft, ix: NodeIx) -> &[PolicyVerdict] {
    let verdicts = draft[ix].verdicts.as_slice();
    let skip = usize::from(draft.run.settings().step_start_policies).min(verdicts.len());
    &verdicts[skip..]
}

/// A step has succeeded; with `enforce.policySets` it is judged first.
pub(super) fn judge(draft: &mut Draft, ix: NodeIx, end: End) {
    let sets = draft.plan(ix).step().map(|step| step.enforce.clone()).unwrap_or_default();
    if sets.is_empty() || draft[ix].outcome.is_none() {
        return draft.finish_node(ix, end);
    }
    let spec = draft[ix].spec.as_deref().cloned().unwrap_or_default();
    let mut payload = document(draft, ix, spec);
    if let Some(output) = end.output {
        let node = &draft[ix];
        let (node, attempt) = (node.id.clone(), node.attempt);
        draft.emit(OutputKnown { node, attempt, output });
    }
    payload["output"] = draft[ix].output.as_deref().cloned().unwrap_or_default();
    ask(draft, ix, PolicyQuestion::Sets { sets, payload });
}

/// The verdict on what a step did.
pub(super) fn proceed(draft: &mut Draft, ix: NodeIx) -> Result<(), Trouble> {
    let Some(verdict) = own_verdicts(draft, ix).last().cloned() else { return Ok(()) };
    verdict_on(draft, ix, &verdict, "an enforced policy")?;
    draft.finish_node(ix, End::with(Status::Success));
    Ok(())
}

pub(super) fn ask(draft: &mut Draft, ix: NodeIx, question: PolicyQuestion) {
    let node = &draft[ix];
    let request = u32::try_from(node.verdicts.len() + 1).unwrap_or(u32::MAX);
    let (node, attempt) = (node.id.clone(), node.attempt);
    draft.emit(PolicyRequested { node, attempt, request, question });
}

/// A denial is a failure, a warning is shown.
pub(super) fn verdict_on(draft: &mut Draft, ix: NodeIx, verdict: &PolicyVerdict, what: &str) -> Result<(), Failure> {
    match verdict {
        PolicyVerdict::Unable { failure } => Err(failure.clone()),
        PolicyVerdict::Judged { status: PolicyStatus::Pass, .. } => Ok(()),
        PolicyVerdict::Judged { status: PolicyStatus::Warning, messages, .. } => {
            draft.warn(ix, Diagnostic::warning(POLICY_WARNING, format!("{what} warns: {}", told(messages))));
            Ok(())
        }
        PolicyVerdict::Judged { status: PolicyStatus::Error, messages, .. } => {
            let why = format!("{what} denies this: {}", told(messages));
            Err(Failure::new(FailureType::PolicyEvaluationFailure, why))
        }
    }
}

fn told(messages: &[String]) -> String {
    if messages.is_empty() { "it gives no reason".to_owned() } else { messages.join("; ") }
}

/// The step as policies see it (pipelines §8.3); who asks is added by whoever asks.
fn document(draft: &Draft, ix: NodeIx, mut spec: Json) -> Json {
    let (entry, node) = (draft.plan(ix), &draft[ix]);
    // What cannot be resolved yet is no reason to refuse: the step itself fails with it.
    let selection = selection::of(draft, ix, None).unwrap_or_default();
    if let (false, Some(spec)) = (selection.selectors.is_empty(), spec.as_object_mut()) {
        let selectors = json!([{ "delegateSelectors": selection.selectors, "origin": selection.level }]);
        spec.insert("delegateSelectors".to_owned(), selectors);
    }
    let timeout = node.deadline().zip(node.started_at).map(|(end, start)| end.since(start).to_string());
    json!({
        "identifier": &*entry.identifier,
        "name": &*node.name,
        "type": entry.type_name(),
        "timeout": timeout,
        "spec": spec,
        "uuid": node.id,
    })
}
