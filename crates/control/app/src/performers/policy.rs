//! What policy sets say about a step (pipelines §8.3).

use crate::{Answer, App};
use windlass_engine::{Input, NodeAttempt, PolicyAnswer, PolicyQuestion};
use windlass_model::RunId;
use windlass_store::Write;

pub(super) async fn answer(
    app: &App,
    run: RunId,
    at: NodeAttempt,
    request: u32,
    question: PolicyQuestion,
    done: Write,
) -> Answer<()> {
    let by = |run: &windlass_engine::Run| run.start().map(|start| start.started_by.principal.clone());
    let (scope, by) = app.machine().look(run, |run| (crate::runs::scope_of(run), by(run))).await?;
    let by = by.unwrap_or_default();
    let (sets, payload) = match question {
        PolicyQuestion::Sets { sets, payload } => (Some(sets), payload),
        PolicyQuestion::StepStart { payload } => (None, payload),
    };
    let verdict = app.judge_step(&scope, sets.as_deref(), payload, &by, run, &at).await?;
    let input = Input::PolicyJudged(PolicyAnswer { at, request, verdict });
    app.submit(run, input, done).await?;
    Ok(())
}
