//! The nodes of a run: found by id, kept in the order in which they started, cheap to copy.

use crate::id::NodeId;
use crate::node::Node;
use crate::plan::PlanIx;
use std::collections::HashMap;
use std::ops::Index;
use std::sync::Arc;

/// Where a node lies among the [`Nodes`] of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeIx(pub usize);

/// A copy shares every node with its original until one of them changes: a decision is made on a copy.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    list: Vec<Arc<Node>>,
    /// By entry of the plan, for nodes that are no turn of a loop.
    by_plan: Vec<Option<NodeIx>>,
    /// The number of the event that is being applied.
    pub(crate) now: u64,
    /// The others, by id.
    looped: Arc<HashMap<NodeId, NodeIx>>,
}

impl Nodes {
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (NodeIx, &Node)> {
        self.list.iter().enumerate().map(|(ix, node)| (NodeIx(ix), node.as_ref()))
    }

    pub(crate) fn get(&self, ix: NodeIx) -> &Node {
        &self.list[ix.0]
    }

    pub(crate) fn get_mut(&mut self, ix: NodeIx) -> &mut Node {
        let node = Arc::make_mut(&mut self.list[ix.0]);
        node.changed = self.now;
        node
    }

    /// The node of an entry of the plan, when the entry is not looped.
    pub(crate) fn of_plan(&self, plan: PlanIx) -> Option<NodeIx> {
        self.by_plan.get(plan.0).copied().flatten()
    }

    pub(crate) fn looped(&self, id: &NodeId) -> Option<NodeIx> {
        self.looped.get(id).copied()
    }

    /// Adds a node; `looped` when it or something above it is a turn of a loop.
    pub(crate) fn push(&mut self, node: Node, looped: bool) -> NodeIx {
        let ix = NodeIx(self.list.len());
        if looped {
            Arc::make_mut(&mut self.looped).insert(node.id.clone(), ix);
        } else {
            if self.by_plan.len() <= node.plan.0 {
                self.by_plan.resize(node.plan.0 + 1, None);
            }
            self.by_plan[node.plan.0] = Some(ix);
        }
        if let Some(parent) = node.parent {
            self.get_mut(parent).children.push(ix);
        }
        self.list.push(Arc::new(Node { changed: self.now, ..node }));
        ix
    }
}

impl Index<NodeIx> for Nodes {
    type Output = Node;

    fn index(&self, ix: NodeIx) -> &Node {
        self.get(ix)
    }
}
