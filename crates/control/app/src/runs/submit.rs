//! An input is decided, stored with everything that follows in one transaction, and then kept in memory.
//!
//! After a crash nothing is lost: what was stored is folded again, what was not stored never happened. Several servers may hold
//! the same run; whoever stores first wins, the other loads again and decides anew (architecture §5).

use super::machine::load;
use super::record::{self, Following, Step};
use crate::failure::chain;
use crate::performers::{find_all, resource_of};
use crate::runs::permit::asker;
use crate::{Answer, App, Failure};
use windlass_engine::{Input, Refusal, Resolution, Run, transition};
use windlass_model::{RunId, Timestamp};
use windlass_store::resources::ResourceClaim;
use windlass_store::{Change, StoreError, Topic, Write};

/// How often a decision is made anew when another server was faster.
const ATTEMPTS: usize = 8;

/// So many questions to the store are answered within one decision; more are answered later, so that no transaction grows too long.
const QUESTIONS: usize = 32;

/// What became of an input.
#[derive(Debug)]
pub(crate) enum Submission {
    /// Decided and stored.
    Done,
    /// The engine refused it; only what came along was stored, and that only when the input was merely late.
    Refused(Refusal),
}

impl App {
    /// Decides `input` and stores the decision together with `along`.
    ///
    /// An input that comes twice or too late is no error: `along` (the note that somebody performed an effect) is stored alone.
    /// What the decision asked for and got at once, the run goes on with.
    pub(crate) async fn submit(&self, id: RunId, input: Input, along: Write) -> Answer<Submission> {
        let slot = self.machine().slot(id);
        let mut slot = slot.lock().await;
        let (submission, mut granted) = self.decide(id, &mut slot, input, along).await?;
        while let Some(claim) = granted.pop() {
            let Some((run, resource)) = resource_of(&claim) else { continue };
            let mut told = Write::new();
            told.resource_told(&claim.key, &claim.holder);
            match self.decide(run, &mut slot, Input::ResourceGranted(resource), told).await {
                Ok((_, more)) => granted.extend(more),
                // The grant is stored: a performer finds it.
                Err(failure) => tracing::warn!(%run, error = %chain(&failure), "a run was not told of its resource"),
            }
        }
        Ok(submission)
    }

    /// One input. Answers with the resources that are the run's now.
    async fn decide(
        &self,
        id: RunId,
        slot: &mut Option<Run>,
        input: Input,
        along: Write,
    ) -> Answer<(Submission, Vec<ResourceClaim>)> {
        for _ in 0..ATTEMPTS {
            let remembered = slot.take();
            // What is in memory may be old where other servers go on with the run, too.
            let may_be_old = remembered.is_some() && self.store().is_shared();
            let run = match remembered {
                Some(run) => run,
                None => load(self.store(), id).await?,
            };
            let (now, real) = (self.clock().now(), self.clock().real().now());
            let first = match transition(&run, input.clone(), now) {
                Ok(first) => Step::of(first),
                // A decision on something old fails when it is stored; a refusal would not.
                Err(_) if may_be_old => continue,
                Err(refusal) => {
                    if run.ended().is_none() {
                        *slot = Some(run);
                    }
                    if refusal.is_stale() && !along.is_empty() {
                        self.store().write(along).await?;
                    }
                    return Ok((Submission::Refused(refusal), Vec::new()));
                }
            };
            let steps = self.answered(first, now).await;
            let mut write = along.clone();
            let Following { run, handful, claims } =
                record::decision(&mut write, run.seq(), steps, now, real, self.hands())?;
            match self.store().write(write).await {
                Ok(mut receipt) => {
                    if run.ended().is_some() {
                        self.machine().forget(id);
                    } else {
                        *slot = Some(run);
                    }
                    self.hands().give(handful);
                    let mut granted = Vec::new();
                    for claim in claims {
                        granted.extend(receipt.rows(claim)?);
                    }
                    let asked = granted.len();
                    granted.retain(|claim| claim.granted_at.is_some());
                    if granted.len() < asked {
                        self.store().announce(vec![Change::of(Topic::Resources)]);
                    }
                    return Ok((Submission::Done, granted));
                }
                // Another server was faster: what is in memory is old.
                Err(StoreError::Conflict { what: "run" | "run event" }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Failure::conflict("RUN0009", format!("{id} is changed by others all the time")).hint("try again"))
    }

    /// A decision with those that follow from what the store answers: what a decision asks the store for need not be stored and
    /// looked for first. What cannot be answered now is left to the performers.
    async fn answered(&self, first: Step, now: Timestamp) -> Vec<Step> {
        let mut steps = vec![first];
        for _ in 0..QUESTIONS {
            let asked = steps.iter_mut().enumerate().find_map(|(at, step)| Some((at, step.take_question()?)));
            let Some((step, question)) = asked else { break };
            // There is at least the first.
            let Some(run) = steps.last().map(Step::run) else { break };
            let found = find_all(self, asker(run), &question.references).await;
            let answer = found.map(|found| {
                let (at, request) = (question.at.clone(), question.request);
                transition(run, Input::Resolved(Resolution { at, request, found }), now)
            });
            match answer {
                Ok(Ok(next)) => steps.push(Step::of(next)),
                // Nobody waits for it any more.
                Ok(Err(refusal)) if refusal.is_stale() => {}
                Ok(Err(_)) | Err(_) => {
                    steps[step].give_back(question);
                    break;
                }
            }
        }
        steps
    }
}
