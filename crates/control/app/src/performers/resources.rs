//! Tells runs that what they queued for is theirs, or who has it. What was free at once is told by [`Machine`](crate::runs::Machine).

use super::GLANCE;
use crate::{Answer, App};
use futures::{TryStreamExt, stream};
use windlass_engine::{Input, NodeId, ResourceBusy, ResourceId, ResourceKind};
use windlass_model::RunId;
use windlass_store::resources::ResourceClaim;
use windlass_store::{Topic, Write};

/// How many are told beside each other: they are of different runs and become durable together.
const BESIDE: usize = 32;

pub(super) async fn run(app: App) -> Answer<()> {
    let mut changes = app.store().changes();
    loop {
        let granted = app.store().resources().untold(256).await?;
        stream::iter(granted.into_iter().map(Ok)).try_for_each_concurrent(BESIDE, |claim| tell(&app, claim)).await?;
        let waiting = app.store().resources().waiting_untold(256).await?;
        stream::iter(waiting.into_iter().map(Ok))
            .try_for_each_concurrent(BESIDE, |claim| tell_to_wait(&app, claim))
            .await?;
        let _ = app.clock().real().timeout(GLANCE, changes.any_of(&[Topic::Resources])).await;
    }
}

async fn tell(app: &App, claim: ResourceClaim) -> Answer<()> {
    let mut told = Write::new();
    told.resource_told(&claim.key, &claim.holder);
    let Some((run, resource)) = resource_of(&claim) else {
        app.store().write(told).await?;
        return Ok(());
    };
    app.submit(run, Input::ResourceGranted(resource), told).await?;
    Ok(())
}

async fn tell_to_wait(app: &App, claim: ResourceClaim) -> Answer<()> {
    let mut told = Write::new();
    told.resource_wait_told(&claim.key, &claim.holder);
    match (resource_of(&claim), app.who_is_before(&claim).await?) {
        (Some((run, resource)), Some(why)) => {
            app.submit(run, Input::ResourceBusy(ResourceBusy { resource, why }), told).await?;
        }
        // Whoever had it has left, so this one is next: the grant is told.
        (Some(_), None) => {}
        (None, _) => {
            app.store().write(told).await?;
        }
    }
    Ok(())
}

/// The run and the resource that a claim is about.
pub(crate) fn resource_of(claim: &ResourceClaim) -> Option<(RunId, ResourceId)> {
    let (kind, key) = claim.key.split_once('/')?;
    let (run, holder) = claim.holder.split_once('/')?;
    let kind = match kind {
        "infrastructure" => ResourceKind::Infrastructure,
        "queue" => ResourceKind::Queue,
        _ => return None,
    };
    Some((run.parse().ok()?, ResourceId { kind, key: key.to_owned(), holder: NodeId::from(holder) }))
}
