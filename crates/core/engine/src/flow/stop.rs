//! Running work below a node is brought to rest, so that something else can follow.

use crate::draft::Draft;
use crate::event::{Ending, NodeEnding, NodeStopping};
use crate::flow::finish::End;
use crate::id::Purpose;
use crate::node::Wait;
use crate::nodes::NodeIx;
use std::sync::Arc;
use windlass_model::{Failure, Status};

impl Draft {
    /// Lets nothing new start below `ix`, stops what runs, and has `then` follow once all of it rests.
    pub(crate) fn end_below(&mut self, ix: NodeIx, then: Ending, why: &str) {
        let weaker =
            self[ix].container.as_ref().and_then(|c| c.ending.as_ref()).is_some_and(|e| rank(e) >= rank(&then));
        if weaker || !self[ix].is_active() {
            return;
        }
        let status = match &then {
            Ending::Fail { status, .. } => *status,
            Ending::Finish { status, .. } if !status.is_good() => *status,
            _ => Status::Aborted,
        };
        self.clear_timer(ix, Purpose::Retry);
        // A rollback must be neither lost nor cut short since the work before it took long (pipelines §4.5): the time of
        // its own steps bounds it. Only the end of the whole pipeline's time ends that too.
        if then == Ending::Rollback && self[ix].parent.is_some() {
            self.clear_timer(ix, Purpose::Timeout);
        }
        let node = self[ix].id.clone();
        self.emit(NodeEnding { node, then, why: why.to_owned() });
        self.stop_children(ix, status, why);
        self.agenda.push_back(ix);
    }

    fn stop_children(&mut self, ix: NodeIx, status: Status, why: &str) {
        for child in self[ix].children.clone().into_iter().rev() {
            if !self[child].is_active() {
                continue;
            }
            if self[child].container.is_some() {
                // One that ends by a failure of its own keeps that.
                let ends = self[child].container.as_ref().and_then(|container| container.ending.as_ref());
                if !matches!(ends, Some(Ending::Finish { .. })) {
                    let node = self[child].id.clone();
                    let then = Ending::Finish { status, discontinued: true };
                    self.emit(NodeEnding { node, then, why: why.to_owned() });
                }
                self.stop_children(child, status, why);
                self.agenda.push_back(child);
            } else {
                self.stop_leaf(child, status, why);
            }
        }
    }

    fn stop_leaf(&mut self, ix: NodeIx, status: Status, why: &str) {
        match self[ix].wait {
            Wait::Task => self.cancel_task(ix, status, None, why),
            Wait::Cancel { .. } => {}
            _ => self.finish_node(ix, End::discontinued(status).because(why)),
        }
    }

    /// Asks a worker to stop, and waits a little for its word: what follows must not meet it at the same objects.
    pub(crate) fn cancel_task(&mut self, ix: NodeIx, status: Status, failure: Option<Arc<Failure>>, why: &str) {
        self.clear_timers(ix);
        let node = &self[ix];
        let (node, attempt) = (node.id.clone(), node.attempt);
        self.emit(NodeStopping { node, attempt, status, failure, why: why.to_owned() });
        let until = self.now + self.run.settings().cancel_grace;
        self.set_timer(ix, Purpose::Cancel, until);
    }

    /// Asks a worker to stop without waiting for its word.
    pub(crate) fn stop_unheard(&mut self, ix: NodeIx, why: &str) {
        let node = &self[ix];
        let (node, attempt) = (node.id.clone(), node.attempt);
        self.emit(NodeStopping { node, attempt, status: Status::Expired, failure: None, why: why.to_owned() });
    }

    /// A node above one that ends by itself fails with everything in it: its time ran out.
    pub(crate) fn fail_container(&mut self, ix: NodeIx, status: Status, failure: Failure) {
        let why = failure.message.clone();
        self.end_below(ix, Ending::Fail { status, failure: Arc::new(failure) }, &why);
    }
}

/// A stronger ending replaces a weaker one.
fn rank(ending: &Ending) -> u8 {
    match ending {
        Ending::Retry { .. } => 0,
        Ending::Rollback => 1,
        Ending::Fail { .. } => 2,
        Ending::Finish { .. } => 3,
    }
}
