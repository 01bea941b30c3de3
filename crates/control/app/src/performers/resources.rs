//! Tells runs that what they queued for is theirs, or who has it.

use super::GLANCE;
use crate::{Answer, App};
use windlass_engine::{Input, NodeId, ResourceBusy, ResourceId, ResourceKind};
use windlass_model::RunId;
use windlass_store::resources::ResourceClaim;
use windlass_store::{Topic, Write};

pub(super) async fn run(app: App) -> Answer<()> {
    let mut changes = app.store().changes();
    loop {
        for claim in app.store().resources().untold(256).await? {
            tell(&app, &claim).await?;
        }
        for claim in app.store().resources().waiting_untold(256).await? {
            tell_to_wait(&app, &claim).await?;
        }
        let _ = app.clock().real().timeout(GLANCE, changes.any_of(&[Topic::Resources])).await;
    }
}

async fn tell(app: &App, claim: &ResourceClaim) -> Answer<()> {
    let mut told = Write::new();
    told.resource_told(&claim.key, &claim.holder);
    let Some((run, resource)) = resource_of(claim) else {
        app.store().write(told).await?;
        return Ok(());
    };
    app.machine().submit(run, Input::ResourceGranted(resource), told).await?;
    Ok(())
}

async fn tell_to_wait(app: &App, claim: &ResourceClaim) -> Answer<()> {
    let mut told = Write::new();
    told.resource_wait_told(&claim.key, &claim.holder);
    match (resource_of(claim), app.who_is_before(claim).await?) {
        (Some((run, resource)), Some(why)) => {
            app.machine().submit(run, Input::ResourceBusy(ResourceBusy { resource, why }), told).await?;
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
