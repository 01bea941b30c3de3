//! Lists are worked off in order; the entries of one item run together.

use crate::draft::Draft;
use crate::event::{Ending, RetryScheduled, RollbackStarted};
use crate::flow::{End, aggregate};
use crate::node::Wait;
use crate::nodes::NodeIx;
use crate::plan::Section;
use windlass_model::Status;

impl Draft {
    /// Goes on wherever something came to rest, until nothing more follows.
    pub(crate) fn settle(&mut self) {
        loop {
            while let Some(ix) = self.agenda.pop_front() {
                self.advance(ix);
            }
            if self.run.barriers.is_empty() || !self.barrier_check() {
                return;
            }
        }
    }

    /// Looks at a container: is it done, does the next entry start, or is something still running?
    fn advance(&mut self, ix: NodeIx) {
        let node = &self[ix];
        if matches!(node.wait, Wait::Retry { .. }) {
            return self.retry_if_due(ix);
        }
        let Some(container) = &node.container else { return };
        if !node.is_active() || node.wait != Wait::Nothing {
            return;
        }
        if node.children.iter().any(|child| self[*child].is_active()) {
            return;
        }
        if let Some(ending) = container.ending.clone() {
            return self.conclude(ix, ending);
        }
        if self.run.paused {
            return;
        }
        let section = container.section;
        let mut next = container.item.map_or(0, |item| item + 1);
        while next < self.plan(ix).items(section).len() {
            if self.start_item(ix, section, next) {
                return;
            }
            next += 1;
        }
        self.section_done(ix, section);
    }

    /// Starts the entries of an item; tells whether there were any.
    fn start_item(&mut self, ix: NodeIx, section: Section, item: usize) -> bool {
        let mut started = false;
        for plan in self.plan(ix).items(section)[item].clone() {
            let still = self[ix].is_active() && self[ix].container.as_ref().is_some_and(|c| c.ending.is_none());
            if !still {
                break;
            }
            started |= self.start(plan, ix);
        }
        started
    }

    fn section_done(&mut self, ix: NodeIx, section: Section) {
        let children = self.judged(ix);
        let status = match section {
            Section::Forward => children,
            // Rolled back since it failed, even where that failure was a person's choice.
            Section::Rollback if children.is_good() && self.only_rolls_back() => children,
            Section::Rollback if children.is_good() => self[ix].failed_as.unwrap_or(Status::Failed),
            Section::Rollback => children,
        };
        self.finish_container(ix, End::with(status));
    }

    /// What the children of a node make of it; those that something elsewhere ended do not count.
    fn judged(&self, ix: NodeIx) -> Status {
        let judged = self[ix].children.iter().filter(|child| !self[**child].discontinued);
        aggregate(judged.map(|child| self[*child].status))
    }

    /// Everything below an ending node rests: what was to follow, follows.
    fn conclude(&mut self, ix: NodeIx, ending: Ending) {
        match ending {
            Ending::Finish { status, discontinued } => {
                // What failed inside says more than that something elsewhere ended the rest.
                let own = self.judged(ix);
                let end = match (discontinued, own.is_good()) {
                    (true, false) => End::with(own),
                    (true, true) => End::discontinued(status),
                    (false, _) => End::with(status),
                };
                self.finish_container(ix, end);
            }
            Ending::Fail { status, failure } => self.fail(ix, status, failure),
            Ending::Rollback => {
                let node = &self[ix];
                let why = node.reason.as_deref().unwrap_or_default().to_owned();
                let event = RollbackStarted { node: node.id.clone(), why, at: self.now };
                self.emit(event);
                self.agenda.push_back(ix);
            }
            Ending::Retry { until, retries, of } => {
                let node = &self[ix];
                let event = RetryScheduled { node: node.id.clone(), attempt: node.attempt, until, number: retries, of };
                self.emit(event);
                self.wait_for_retry(ix, until);
            }
        }
    }
}
