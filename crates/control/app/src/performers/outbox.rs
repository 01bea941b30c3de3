//! Effects that need the world outside.

use super::hands::Given;
use super::{GLANCE, LEASE, approval, cancel, policy, resolve};
use crate::failure::chain;
use crate::{Answer, App, Failure};
use tokio::task::JoinSet;
use windlass_engine::Effect;
use windlass_model::{Millis, RunId};
use windlass_store::outbox::Claim;
use windlass_store::{Topic, Write, outbox};

/// Effects taken at once.
const BATCH: u32 = 64;

pub(super) async fn run(app: App) -> Answer<()> {
    let real = app.clock().real();
    let mut changes = app.store().changes();
    let mut working = JoinSet::new();
    loop {
        while working.try_join_next().is_some() {}
        let now = real.now();
        let due = app.store().outbox().next_due(now).await?;
        if due.is_some_and(|due| due <= now) {
            let claim = Claim { holder: app.parts().replica.clone(), now, until: now + LEASE, limit: BATCH };
            for effect in app.store().outbox().claim(&claim).await? {
                let app = app.clone();
                working.spawn(async move { perform(&app, effect).await });
            }
            continue;
        }
        let wait = due.map_or(GLANCE, |due| due.since(now).min(GLANCE).max(Millis(5)));
        let _ = real.timeout(wait, changes.any_of(&[Topic::Outbox])).await;
    }
}

/// Performs what this server has just decided.
pub(super) async fn at_hand(app: App) -> Answer<()> {
    let mut working = JoinSet::new();
    while let Some(Given { effect, permit }) = app.hands().next().await {
        let app = app.clone();
        working.spawn(async move {
            perform(&app, effect).await;
            drop(permit);
        });
        while working.try_join_next().is_some() {}
    }
    Ok(())
}

async fn perform(app: &App, effect: outbox::Effect) {
    let mut done = Write::new();
    done.effect_done(&effect);
    let Err(failure) = answer(app, &effect, done).await else { return };
    if failure.code == "STO0001" {
        // Somebody else took it since: theirs now.
        return;
    }
    let error = chain(&failure);
    tracing::warn!(key = %effect.key, kind = %effect.kind, attempt = effect.attempts, %error, "an effect could not be performed; trying again");
    let wait = Millis(200_u64 << effect.attempts.min(8));
    let mut retry = Write::new();
    retry.effect_retry(&effect, app.clock().real().now() + wait, &error);
    if let Err(error) = app.store().write(retry).await {
        tracing::warn!(%error, "the effect stays taken until its lease lapses");
    }
}

async fn answer(app: &App, taken: &outbox::Effect, done: Write) -> Answer<()> {
    if taken.kind == crate::triggers::EFFECT {
        return crate::triggers::process(app, taken, done).await;
    }
    let effect: Effect = serde_json::from_str(&taken.body).map_err(Failure::internal)?;
    let run: RunId = taken.run.ok_or_else(|| Failure::internal("an effect without a run"))?;
    match effect {
        Effect::Resolve { at, request, references } => resolve::answer(app, run, at, request, references, done).await,
        Effect::EvaluatePolicy { at, request, question } => policy::answer(app, run, at, request, question, done).await,
        Effect::CloseApproval { at, outcome, why } => approval::close(app, run, &at, outcome, &why, done).await,
        Effect::CancelTask { at, why } => cancel::task(app, run, &at, &why, done).await,
        other => Err(Failure::internal(format!("`{}` is not performed from the outbox", kind_of(&other)))),
    }
}

fn kind_of(effect: &Effect) -> String {
    serde_json::to_value(effect).ok().and_then(|json| json["effect"].as_str().map(str::to_owned)).unwrap_or_default()
}
