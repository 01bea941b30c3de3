//! Open questions, and one with everything about it.

use super::Question;
use super::membership::Memberships;
use crate::access::Caller;
use crate::{Answer, App, Failure, Principal};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use windlass_engine::Preview;
use windlass_model::approval::ApprovalActivity;
use windlass_model::id::ApprovalId;
use windlass_model::{ApprovalSpec, Identifier, RunId, Timestamp};
use windlass_store::approvals::{Approval, ApprovalFilter};
use windlass_store::{Page, PageRequest, Scopes};

/// Which questions somebody asks for.
#[derive(Clone, Debug, Default)]
pub struct ListApprovals {
    pub scopes: Scopes,
    pub run: Option<RunId>,
    /// Only those that wait for an answer.
    pub open: bool,
    /// Only those that the asker may answer.
    pub mine: bool,
}

/// A question as people see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRow {
    pub id: ApprovalId,
    pub run: RunId,
    pub pipeline: Identifier,
    pub node: String,
    pub state: String,
    pub asked_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Message, groups, inputs.
    #[serde(flatten)]
    pub spec: ApprovalSpec,
    /// Whether whoever asks is in one of the groups.
    pub mine: bool,
    /// What was answered; only of a single question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activities: Option<Vec<ApprovalActivity>>,
    /// What the stage would change on its infrastructure, or why that is not known; only of a single question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<Arc<Preview>>,
}

impl ApprovalRow {
    fn new(approval: &Approval, spec: ApprovalSpec, mine: bool) -> Self {
        Self {
            id: approval.id,
            run: approval.run,
            pipeline: approval.pipeline.clone(),
            node: approval.node.clone(),
            state: approval.state.clone(),
            asked_at: approval.asked_at,
            deadline: approval.deadline,
            ended_at: approval.ended_at,
            spec,
            mine,
            activities: None,
            preview: None,
        }
    }
}

impl App {
    /// Questions, the youngest first: those that the asker may answer, and those of pipelines that the asker may see.
    pub async fn approvals(&self, by: &Caller, list: &ListApprovals, page: &PageRequest) -> Answer<Page<ApprovalRow>> {
        let filter =
            ApprovalFilter { scopes: list.scopes.clone(), run: list.run, open: list.open, ..ApprovalFilter::default() };
        let found = self.store().approvals().list(&filter, page).await?;
        let mut memberships = Memberships::of(self, by);
        let mut items = Vec::new();
        for approval in &found.items {
            let question = Question::of(approval)?;
            let mine = may_answer(&mut memberships, by, approval, &question.spec).await?;
            if mine || (!list.mine && by.sees_pipeline(&approval.scope, &approval.pipeline).await?) {
                items.push(ApprovalRow::new(approval, question.spec, mine));
            }
        }
        Ok(Page { items, next: found.next })
    }

    /// One question with its answers.
    pub async fn approval(&self, by: &Caller, id: ApprovalId) -> Answer<ApprovalRow> {
        let approval = self.stored_approval(id).await?;
        let Question { at, spec } = Question::of(&approval)?;
        let mine = may_answer(&mut Memberships::of(self, by), by, &approval, &spec).await?;
        if !mine && !by.sees_pipeline(&approval.scope, &approval.pipeline).await? {
            return Err(Failure::denied(format!(
                "{} is in no group that is asked: {}",
                by.name,
                spec.user_groups.join(", ")
            )));
        }
        let (activities, preview) = self
            .machine()
            .look(approval.run, |run| {
                let node = run.node(&at.node).filter(|n| n.attempt == at.attempt);
                (node.map(|n| n.activities.clone()), node.and_then(|n| n.preview.clone()))
            })
            .await?;
        Ok(ApprovalRow { activities, preview, ..ApprovalRow::new(&approval, spec, mine) })
    }

    pub(super) async fn stored_approval(&self, id: ApprovalId) -> Answer<Approval> {
        let found = self.store().approvals().get(id).await?;
        found.ok_or_else(|| Failure::not_found(format!("there is no approval {id}")))
    }
}

async fn may_answer(
    memberships: &mut Memberships<'_>,
    by: &Principal,
    approval: &Approval,
    spec: &ApprovalSpec,
) -> Answer<bool> {
    if !by.person {
        return Ok(spec.service_accounts.iter().any(|listed| {
            let id = by.id.trim_start_matches("serviceAccount:");
            listed == id || listed.replacen('.', "/", 1) == id || id.rsplit('/').next() == Some(listed)
        }));
    }
    Ok(!memberships.among(&spec.user_groups, &approval.scope).await?.is_empty())
}
