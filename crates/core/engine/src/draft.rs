//! A decision in the making: the events so far, and the state they lead to.

use crate::decide::Transition;
use crate::event::Event;
use crate::node::Node;
use crate::nodes::NodeIx;
use crate::plan::PlanNode;
use crate::run::Run;
use std::collections::VecDeque;
use std::ops::Index;
use windlass_diagnostic::Diagnostic;
use windlass_model::Timestamp;

/// Works on a shallow copy of the run, so that a rule sees what the rules before it decided.
#[derive(Debug)]
pub(crate) struct Draft {
    pub run: Run,
    pub now: Timestamp,
    events: Vec<Event>,
    /// Containers below which something came to rest: each is looked at before the decision is complete.
    pub(crate) agenda: VecDeque<NodeIx>,
}

impl Draft {
    pub(crate) fn new(run: &Run, now: Timestamp) -> Self {
        Self { run: run.clone(), now, events: Vec::new(), agenda: VecDeque::new() }
    }

    pub(crate) fn finish(self) -> Transition {
        Transition { events: self.events, run: self.run }
    }

    /// Decides a fact.
    pub(crate) fn emit(&mut self, event: impl Into<Event>) {
        let event = event.into();
        crate::apply(&mut self.run, &event);
        self.events.push(event);
    }

    /// Whether the decision has grown so long that what can wait should.
    pub(crate) fn is_long(&self) -> bool {
        self.events.len() > 1_000
    }

    pub(crate) fn plan(&self, ix: NodeIx) -> &PlanNode {
        self.run.plan_of(ix)
    }

    pub(crate) fn warn(&mut self, ix: NodeIx, diagnostic: Diagnostic) {
        let node = self[ix].id.clone();
        self.emit(crate::event::WarningRaised { node, diagnostic });
    }
}

impl Index<NodeIx> for Draft {
    type Output = Node;

    fn index(&self, ix: NodeIx) -> &Node {
        &self.run.nodes[ix]
    }
}
