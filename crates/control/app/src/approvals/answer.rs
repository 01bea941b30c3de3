//! Somebody approves or rejects.

use super::Question;
use super::membership::Memberships;
use crate::runs::{Submission, refused};
use crate::{Answer, App, Failure, Principal};
use std::collections::BTreeMap;
use windlass_engine::{ApprovalAnswer, Input};
use windlass_model::approval::Approver;
use windlass_model::id::ApprovalId;
use windlass_model::{ApprovalAction, RunId};
use windlass_store::approvals::ApprovalFilter;
use windlass_store::{PageRequest, Write};

/// What somebody answers.
#[derive(Clone, Debug)]
pub struct GivenAnswer {
    pub action: ApprovalAction,
    pub comments: String,
    pub inputs: BTreeMap<String, String>,
}

/// The longest comment, in characters.
const COMMENTS: usize = 4_096;

impl App {
    /// Answers a question. Whether this person may, and what it comes to, is the engine's to say.
    pub async fn answer_approval(&self, by: &Principal, id: ApprovalId, answer: GivenAnswer) -> Answer<()> {
        if answer.comments.chars().count() > COMMENTS {
            return Err(Failure::invalid("APR0001", format!("a comment has at most {COMMENTS} characters")));
        }
        let approval = self.stored_approval(id).await?;
        let Question { at, spec } = Question::of(&approval)?;
        let groups = Memberships::of(self, by).among(&spec.user_groups, &approval.scope).await?;
        let approver = Approver { principal: by.id.clone(), name: by.name.clone(), email: by.email.clone(), groups };
        let GivenAnswer { action, comments, inputs } = answer;
        let input = Input::ApprovalAnswered(ApprovalAnswer { at, approver, action, comments, inputs });
        match self.submit(approval.run, input, Write::new()).await? {
            Submission::Done => Ok(()),
            Submission::Refused(refusal) => Err(refused("APR0002", refusal)),
        }
    }

    /// The question that is meant by its own id, or as the only open one of a run.
    pub async fn approval_id(&self, text: &str) -> Answer<ApprovalId> {
        if let Ok(id) = text.parse() {
            return Ok(id);
        }
        let run = self.run_id(text)?;
        self.known_run(run).await?;
        self.only_open(run, None).await
    }

    /// The open question of a run, or the one with this callback id (pipelines §6.1).
    pub async fn only_open(&self, run: RunId, callback: Option<&str>) -> Answer<ApprovalId> {
        let filter = ApprovalFilter {
            run: Some(run),
            open: true,
            callback_id: callback.map(str::to_owned),
            ..ApprovalFilter::default()
        };
        let open = self.store().approvals().list(&filter, &PageRequest::first(10)).await?;
        match open.items.as_slice() {
            [one] => Ok(one.id),
            [] => Err(Failure::not_found(format!("{run} does not wait for an approval"))),
            several => {
                let ids: Vec<String> = several.iter().map(|one| format!("{} ({})", one.id, one.node)).collect();
                Err(Failure::invalid("APR0003", format!("{run} waits for several approvals: {}", ids.join(", ")))
                    .hint("name one of them"))
            }
        }
    }
}
