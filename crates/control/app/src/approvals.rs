//! Questions to people (pipelines §6.1): who may answer is looked up when they do, what an answer does is the engine's.

mod answer;
mod membership;
mod show;
mod supersede;

pub use answer::GivenAnswer;
pub use show::{ApprovalRow, ListApprovals};

pub(crate) use supersede::supersede;

use crate::{Answer, Failure};
use serde::Deserialize;
use windlass_engine::NodeAttempt;
use windlass_model::ApprovalSpec;
use windlass_store::approvals::Approval;

/// What a question is about, as it was asked.
#[derive(Clone, Debug, Deserialize)]
struct Question {
    at: NodeAttempt,
    spec: ApprovalSpec,
}

impl Question {
    fn of(approval: &Approval) -> Answer<Self> {
        serde_json::from_str(&approval.body).map_err(Failure::internal)
    }
}
