//! What a worker says about different tasks is dealt with side by side, about one task in order.
//!
//! Most of the time is waiting until something is on disk, and what waits together becomes durable together.

use crate::{Answer, App};
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use std::collections::{HashMap, VecDeque};
use windlass_link::ToServer;
use windlass_model::TaskId;
use windlass_model::id::DelegateId;

/// So many messages of one worker at once; it waits with more.
const MOST: usize = 64;

pub(super) struct Lanes<'a> {
    app: &'a App,
    delegate: DelegateId,
    working: FuturesUnordered<BoxFuture<'a, (TaskId, Answer<()>)>>,
    /// The tasks that are dealt with, and what was said about them since.
    behind: HashMap<TaskId, VecDeque<ToServer>>,
    count: usize,
}

impl<'a> Lanes<'a> {
    pub(super) fn new(app: &'a App, delegate: DelegateId) -> Self {
        Self { app, delegate, working: FuturesUnordered::new(), behind: HashMap::new(), count: 0 }
    }

    pub(super) fn has_room(&self) -> bool {
        self.count < MOST
    }

    /// Takes what was said about a task.
    pub(super) fn take(&mut self, task: TaskId, message: ToServer) {
        self.count += 1;
        match self.behind.get_mut(&task) {
            Some(behind) => behind.push_back(message),
            None => {
                self.behind.insert(task, VecDeque::new());
                self.begin(task, message);
            }
        }
    }

    /// The next message that is dealt with; `None` when there are none. Safe to drop and to call again.
    pub(super) async fn next(&mut self) -> Option<Answer<()>> {
        let (task, answer) = self.working.next().await?;
        self.count -= 1;
        match self.behind.get_mut(&task).and_then(VecDeque::pop_front) {
            Some(message) => self.begin(task, message),
            None => {
                self.behind.remove(&task);
            }
        }
        Some(answer)
    }

    fn begin(&mut self, task: TaskId, message: ToServer) {
        let (app, delegate) = (self.app, self.delegate);
        self.working.push(Box::pin(async move { (task, app.heard(delegate, message).await) }));
    }
}

/// The task that a message is about. What is about all of them waits until everything before it is dealt with.
pub(super) fn task_of(message: &ToServer) -> Option<TaskId> {
    match message {
        ToServer::Accept { task, .. } | ToServer::Decline { task, .. } | ToServer::Log { task, .. } => Some(*task),
        ToServer::Progress { lease, .. } | ToServer::Result { lease, .. } => Some(lease.task),
        ToServer::Hello { .. } | ToServer::Heartbeat { .. } | ToServer::Draining { .. } => None,
    }
}
