//! People step in: abort, mark as failed, pause and go on, decide, give inputs (pipelines §5.7).

use super::{Submission, refused, run_of};
use crate::access::{Authorized, StoredRun};
use crate::{Answer, App, Failure, Principal};
use std::collections::BTreeMap;
use windlass_diagnostic::nearest;
use windlass_engine::{Choice, ExecutionInputs, Input, Interrupt, InterruptKind, Node, NodeAttempt, NodeId, Run};
use windlass_model::{Json, RunId, Status};
use windlass_store::Write;

/// What a person wants of a run. Nodes are named by their path, or by an identifier that is unique in the run.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    Abort,
    /// Aborting a stage ends the run.
    AbortStage {
        stage: String,
    },
    MarkAsFailed {
        node: String,
    },
    /// A Wait step ends now, and well.
    MarkAsSuccess {
        node: String,
    },
    /// A stage with `runMode: Manual` goes on.
    StartStage {
        stage: String,
    },
    Pause,
    Resume,
    /// The choice that a manual intervention waits for.
    Intervene {
        node: String,
        choice: Choice,
    },
    /// Values for execution inputs, by path.
    GiveInputs {
        node: String,
        values: BTreeMap<String, Json>,
    },
}

impl App {
    /// Does to a run what somebody asks for.
    pub async fn interrupt(&self, by: &Principal, run: &Authorized<StoredRun>, command: Command) -> Answer<()> {
        let run = run.id;
        let by = by.id.clone();
        let kind = match command {
            Command::Abort => InterruptKind::AbortAll,
            Command::Pause => InterruptKind::Pause,
            Command::Resume => InterruptKind::Resume,
            Command::AbortStage { stage } => InterruptKind::AbortStage { node: self.node_of(run, &stage).await?.node },
            Command::MarkAsFailed { node } => {
                InterruptKind::UserMarkedFailure { node: self.node_of(run, &node).await?.node }
            }
            Command::MarkAsSuccess { node } => {
                InterruptKind::MarkAsSuccess { node: self.node_of(run, &node).await?.node }
            }
            Command::StartStage { stage } => InterruptKind::StartStage { node: self.node_of(run, &stage).await?.node },
            Command::Intervene { node, choice } => {
                InterruptKind::Intervene { at: self.node_of(run, &node).await?, choice }
            }
            Command::GiveInputs { node, values } => {
                let at = self.node_of(run, &node).await?;
                return self.tell(run, Input::InputsGiven(ExecutionInputs { at, values, by })).await;
            }
        };
        self.tell(run, Input::Interrupt(Interrupt { kind, by })).await
    }

    async fn tell(&self, run: RunId, input: Input) -> Answer<()> {
        match self.submit(run, input, Write::new()).await? {
            Submission::Done => Ok(()),
            Submission::Refused(refusal) => Err(refused("RUN0007", refusal)),
        }
    }

    /// A run by its id or the vendor's form of it.
    pub fn run_id(&self, text: &str) -> Answer<RunId> {
        run_of(text).ok_or_else(|| Failure::not_found(format!("`{text}` is not a run")))
    }

    pub(crate) async fn known_run(&self, run: RunId) -> Answer<windlass_store::runs::Run> {
        let found = self.store().runs().get(run).await?;
        found.ok_or_else(|| unknown(run))
    }

    async fn node_of(&self, run: RunId, text: &str) -> Answer<NodeAttempt> {
        self.machine().look(run, |run| find(run, text)).await?
    }
}

/// A run that is not there, or that whoever asks may not see.
pub(crate) fn unknown(run: RunId) -> Failure {
    Failure::not_found(format!("there is no run {run}"))
}

/// A node by its path, or by its identifier: one that is under way wins over those that have ended.
fn find(run: &Run, text: &str) -> Answer<NodeAttempt> {
    let at = |node: &Node| NodeAttempt { node: node.id.clone(), attempt: node.attempt };
    if let Some(node) = run.node(&NodeId::from(text)) {
        return Ok(at(node));
    }
    let short = |node: &Node| node.id.as_str().rsplit('.').next().unwrap_or_default().to_owned();
    let named: Vec<&Node> = run.nodes().filter(|node| short(node) == text).collect();
    let open: Vec<&Node> =
        named.iter().copied().filter(|node| !node.status.is_terminal() && node.status != Status::NotStarted).collect();
    match (open.as_slice(), named.as_slice()) {
        ([node], _) | ([], [node]) => Ok(at(node)),
        ([], []) => {
            let known: Vec<String> = run.nodes().map(short).collect();
            let failure = Failure::not_found(format!("{} has no node `{text}`", run.id()));
            Err(match nearest(text, known.iter().map(String::as_str)) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure.hint("`windlass run show` lists them; a node that has not started cannot be named"),
            })
        }
        (several, all) => {
            let several = if several.is_empty() { all } else { several };
            let paths: Vec<&str> = several.iter().map(|node| node.id.as_str()).collect();
            Err(Failure::invalid("RUN0008", format!("`{text}` could be any of {}", paths.join(", ")))
                .hint("give the whole path"))
        }
    }
}
