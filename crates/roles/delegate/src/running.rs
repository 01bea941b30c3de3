//! The tasks this process runs, and what it has to say.

use crate::Config;
use crate::opening::{self, Mask};
use crate::reporter::TaskReporter;
use crate::silence::Silence;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use windlass_clock::Clock;
use windlass_link::{Lease, ToServer};
use windlass_model::task::{Outcome, Task, TaskResult};
use windlass_model::{Failure, FailureType, Json, Millis, TaskId};
use windlass_secrets::SecretStores;
use windlass_task::{Handler, TaskContext};

/// Where words for the server go, connected or not.
#[derive(Clone)]
pub(crate) struct Outgoing(pub(crate) mpsc::UnboundedSender<ToServer>);

impl Outgoing {
    pub(crate) fn say(&self, message: ToServer) {
        // The receiver lives as long as the process.
        let _ = self.0.send(message);
    }
}

/// Running tasks by id, and the last that ended.
#[derive(Clone, Default)]
pub(crate) struct Running(Arc<Mutex<Table>>);

#[derive(Default)]
struct Table {
    running: BTreeMap<TaskId, Entry>,
    /// An assignment that comes again after the end must not begin anew: its result is on the way.
    ended: VecDeque<Lease>,
}

/// Ended tasks that are remembered: more than can be on the way.
const REMEMBERED: usize = 1_000;

struct Entry {
    lease: Lease,
    cancel: CancellationToken,
    /// Set when the lease is gone: the result is nobody's business any more.
    lost: bool,
}

/// What a task is run with.
pub(crate) struct Runner {
    pub(crate) config: Config,
    pub(crate) clock: Clock,
    pub(crate) handlers: BTreeMap<&'static str, Arc<dyn Handler>>,
    pub(crate) secrets: SecretStores,
    pub(crate) outgoing: Outgoing,
    pub(crate) running: Running,
    /// Of the server.
    pub(crate) silence: Silence,
    pub(crate) drain: CancellationToken,
}

impl Table {
    /// Whether it runs or has ended here.
    fn knows(&self, lease: Lease) -> bool {
        let running = self.running.get(&lease.task).is_some_and(|entry| entry.lease.attempt == lease.attempt);
        running || self.ended.contains(&lease)
    }

    fn remember(&mut self, ended: Lease) {
        if self.ended.len() == REMEMBERED {
            self.ended.pop_front();
        }
        self.ended.push_back(ended);
    }
}

impl Running {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn leases(&self) -> Vec<Lease> {
        self.table().running.values().filter(|e| !e.lost).map(|e| e.lease).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.table().running.len()
    }

    /// Whether this task is to be started: it neither runs nor has ended here.
    pub(crate) fn begin(&self, lease: Lease, cancel: &CancellationToken) -> bool {
        let mut table = self.table();
        let known = table.knows(lease);
        if !known {
            table.running.insert(lease.task, Entry { lease, cancel: cancel.clone(), lost: false });
        }
        !known
    }

    /// Whether this task was to be started some day, and now never will.
    pub(crate) fn refuse(&self, lease: Lease) -> bool {
        let mut table = self.table();
        let known = table.knows(lease);
        if !known {
            table.remember(lease);
        }
        !known
    }

    /// Forgets a task that has ended. Answers with whether its result is still wanted.
    pub(crate) fn end(&self, lease: Lease) -> bool {
        let mut table = self.table();
        table.remember(lease);
        let own = table.running.get(&lease.task).is_some_and(|entry| entry.lease == lease);
        own && table.running.remove(&lease.task).is_some_and(|entry| !entry.lost)
    }

    /// Asks a task to stop. `lost`: somebody else has it, its result must not be sent.
    pub(crate) fn cancel(&self, task: TaskId, attempt: u32, lost: bool) {
        if let Some(entry) = self.table().running.get_mut(&task).filter(|e| e.lease.attempt == attempt) {
            entry.lost |= lost;
            entry.cancel.cancel();
        }
    }

    pub(crate) fn cancel_all(&self, lost: bool) {
        for entry in self.table().running.values_mut() {
            entry.lost |= lost;
            entry.cancel.cancel();
        }
    }
}

impl Runner {
    pub(crate) fn new(
        config: Config,
        clock: Clock,
        handlers: Vec<Arc<dyn Handler>>,
        secrets: SecretStores,
        outgoing: Outgoing,
        drain: CancellationToken,
    ) -> Self {
        let mut by_type: BTreeMap<&'static str, Arc<dyn Handler>> = BTreeMap::new();
        for handler in handlers {
            for kind in handler.types() {
                by_type.insert(kind, Arc::clone(&handler));
            }
        }
        let (running, silence) = (Running::default(), Silence::new(clock));
        Self { config, clock, handlers: by_type, secrets, outgoing, running, silence, drain }
    }

    /// Starts a task that was assigned. One that runs already goes on; one that has ended stays so.
    pub(crate) fn start(self: &Arc<Self>, lease: Lease, task: Task) {
        let cancel = CancellationToken::new();
        if self.running.begin(lease, &cancel) {
            let runner = Arc::clone(self);
            tokio::spawn(async move { runner.run(lease, task, cancel).await });
        }
    }

    /// Stops a task that was cancelled. One that has not begun never will: its assignment is on the way, or was lost.
    pub(crate) fn cancel(&self, lease: Lease) {
        if self.running.refuse(lease) {
            let outcome = Outcome::Aborted { done: "it had not begun".to_owned() };
            self.say_result(lease, outcome);
        } else {
            self.running.cancel(lease.task, lease.attempt, false);
        }
    }

    fn say_result(&self, lease: Lease, outcome: Outcome) {
        let result = TaskResult { task: lease.task, attempt: lease.attempt, finished_at: self.clock.now(), outcome };
        self.outgoing.say(ToServer::Result { lease, result: Box::new(result) });
    }

    async fn run(&self, lease: Lease, task: Task, cancel: CancellationToken) {
        let log_key = task.log_key.clone();
        let (opened, mask) = match opening::open(&self.secrets, task).await {
            Ok((task, mask)) => (Ok(task), mask),
            Err(failure) => (Err(failure), Mask::default()),
        };
        let reporter =
            Arc::new(TaskReporter::new(lease, log_key, self.outgoing.clone(), mask.clone(), self.silence.clone()));
        reporter.begun();
        let outcome = match opened {
            Ok(task) => mask.outcome(self.outcome(task, cancel, &reporter).await),
            Err(failure) => Outcome::Failed { failure, output: Json::Null },
        };
        let ours = self.running.end(lease);
        reporter.flush(ours);
        if ours {
            self.say_result(lease, outcome);
        }
    }

    async fn outcome(&self, task: Task, cancel: CancellationToken, reporter: &Arc<TaskReporter>) -> Outcome {
        let failed = |kind, text: String| Outcome::Failed { failure: Failure::new(kind, text), output: Json::Null };
        let kind = task.work.type_name();
        let Some(handler) = self.handlers.get(kind) else {
            return failed(
                FailureType::DelegateProvisioning,
                format!("this delegate does not know tasks of type {kind}"),
            );
        };
        let folder = self.config.work_folder.join(format!("{}-{}", task.id, task.attempt));
        if let Err(error) = std::fs::create_dir_all(&folder) {
            let text = format!("the delegate cannot make its work folder {}: {error}", folder.display());
            return failed(FailureType::InfrastructureFailure, text);
        }
        let cx = TaskContext::new(Arc::clone(reporter) as _, self.clock, cancel.clone(), folder.clone());
        let outcome = {
            let work = handler.run(&cx, &task);
            tokio::pin!(work);
            let left = task.deadline.since(self.clock.now());
            let deadline = self.clock.sleep(left);
            tokio::pin!(deadline);
            let real = self.clock.real();
            let mut expired = false;
            loop {
                tokio::select! {
                    biased;
                    outcome = &mut work => break late(outcome, expired, &task),
                    () = &mut deadline, if !expired => {
                        expired = true;
                        cancel.cancel();
                    }
                    () = real.sleep(Millis(250)) => reporter.flush(false),
                }
            }
        };
        if let Err(error) = std::fs::remove_dir_all(&folder) {
            tracing::warn!(folder = %folder.display(), %error, "cannot delete a task's work folder");
        }
        self.drained(opening::sealed(&task.secrets, &task.origin, outcome))
    }

    /// A task that was stopped since the process leaves goes on elsewhere.
    fn drained(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Aborted { .. } if self.drain.is_cancelled() => Outcome::Interrupted { checkpoint: None },
            other => other,
        }
    }
}

/// A task that its deadline stopped has failed for that reason, whatever it says itself.
fn late(outcome: Outcome, expired: bool, task: &Task) -> Outcome {
    match outcome {
        Outcome::Aborted { done } if expired => Outcome::Failed {
            failure: Failure::new(FailureType::Timeout, format!("the step did not end by {}; {done}", task.deadline)),
            output: Json::Null,
        },
        other => other,
    }
}
