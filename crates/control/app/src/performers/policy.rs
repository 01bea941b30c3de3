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
    let scope = app.machine().look(run, crate::runs::scope_of).await?;
    let (sets, payload) = match question {
        PolicyQuestion::Sets { sets, payload } => (Some(sets), payload),
        PolicyQuestion::StepStart { payload } => (None, payload),
    };
    let verdict = app.judge_step(&scope, sets.as_deref(), payload, run, &at).await?;
    let input = Input::PolicyJudged(PolicyAnswer { at, request, verdict });
    app.machine().submit(run, input, done).await?;
    Ok(())
}
