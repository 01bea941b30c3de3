//! What was decided elsewhere about delegates that are connected here: their tasks are stopped, their tokens were revoked.
//!
//! Servers do not speak to each other: one stores what it wants and says that there is something, whoever holds the delegate's
//! connection looks (architecture §5). What is not heard is found at the delegate's next heartbeat, or by the look of every minute.

use crate::{Answer, App};
use std::collections::BTreeMap;
use windlass_link::ToWorker;
use windlass_model::{Millis, TaskId, Timestamp};
use windlass_store::{Change, Scopes, Topic};

/// Between two looks at all tokens, in real time: one may also end at a time that was set before.
const LOOK: Millis = Millis::from_secs(60);

/// What a change is called after which tokens are looked at.
const TOKENS: &str = "tokens";

/// Says to the other servers that a token was revoked.
pub(super) fn revoked() -> Change {
    Change::one(Topic::Dismissals, TOKENS)
}

pub(crate) async fn forward(app: App) -> Answer<()> {
    let real = app.clock().real();
    let mut changes = app.store().changes();
    let mut looked = real.now();
    loop {
        let left = LOOK.0.saturating_sub(real.now().since(looked).0);
        let heard = real.timeout(Millis(left.max(1)), changes.next()).await;
        match heard {
            Ok(Some(change)) if change.topic == Topic::Dismissals && change.key != TOKENS => {
                if let Ok(task) = change.key.parse() {
                    stop(&app, task).await?;
                }
            }
            Ok(Some(change)) if !change.concerns(Topic::Dismissals) => {}
            Ok(None) => return Ok(()),
            Ok(Some(_)) | Err(_) => {
                looked = real.now();
                dismiss(&app, looked).await?;
            }
        }
    }
}

/// Tells a delegate that is connected here to stop a task.
async fn stop(app: &App, task: TaskId) -> Answer<()> {
    let Some(row) = app.store().tasks().get(task).await? else { return Ok(()) };
    if let Some(delegate) = row.delegate
        && row.ended_at.is_none()
        && row.cancel_at.is_some()
    {
        let reason = "the run no longer needs it".to_owned();
        app.hub().send(delegate, ToWorker::Cancel { task, attempt: row.attempt, reason }).await;
    }
    Ok(())
}

/// Ends the connections of delegates whose tokens do not count any more.
async fn dismiss(app: &App, now: Timestamp) -> Answer<()> {
    if app.hub().is_empty() {
        return Ok(());
    }
    let tokens = app.store().delegates().tokens(&Scopes::default()).await?;
    let tokens: BTreeMap<_, _> =
        tokens.into_iter().map(|token| ((token.scope.clone(), token.name.clone()), token.is_active(now))).collect();
    for delegate in app.store().delegates().list(&Scopes::default()).await? {
        if tokens.get(&(delegate.scope, delegate.token)) == Some(&false) {
            app.hub().dismiss(delegate.id, "revoked", "the delegate token was revoked", false).await;
        }
    }
    Ok(())
}
