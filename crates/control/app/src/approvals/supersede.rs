//! `isAutoRejectEnabled`: an approval rejects what older runs of the pipeline still ask at the same step (pipelines §6.1 rule 8).

use super::Question;
use crate::{Answer, App};
use std::collections::BTreeSet;
use windlass_engine::{Input, Interrupt, InterruptKind};
use windlass_model::RunId;
use windlass_store::approvals::{Approval, ApprovalFilter};
use windlass_store::{PageRequest, Scopes, Write};

/// Rejects the older questions that an approved one makes pointless. May be done twice: what has ended refuses.
pub(crate) async fn supersede(app: &App, approved: &Approval) -> Answer<()> {
    if !Question::of(approved)?.spec.auto_reject {
        return Ok(());
    }
    let filter = ApprovalFilter {
        scopes: Scopes::At(approved.scope.clone()),
        pipeline: Some(approved.pipeline.clone()),
        node: Some(approved.node.clone()),
        open: true,
        ..ApprovalFilter::default()
    };
    let place = target(app, approved.run).await?;
    let older = app.store().approvals().list(&filter, &PageRequest::first(PageRequest::LARGEST)).await?;
    for older in older.items.into_iter().filter(|other| other.run < approved.run) {
        if target(app, older.run).await? != place {
            continue;
        }
        let kind = InterruptKind::SupersedeApproval {
            at: Question::of(&older)?.at,
            why: format!("rejected automatically: the later run {} was approved here", approved.run),
        };
        let interrupt = Interrupt { kind, by: "system:approvals".to_owned() };
        app.submit(older.run, Input::Interrupt(interrupt), Write::new()).await?;
    }
    Ok(())
}

/// What a run deploys where.
async fn target(app: &App, run: RunId) -> Answer<BTreeSet<(String, String)>> {
    let labels = app.store().runs().labels(run).await?;
    Ok(labels
        .into_iter()
        .filter(|(label, _)| ["service", "environment", "infrastructure"].contains(&label.as_str()))
        .collect())
}
