//! The nodes of a run: found by their entry of the plan, kept in the order in which they started, cheap to copy.

use crate::node::Node;
use crate::plan::PlanIx;
use std::ops::Index;
use std::sync::Arc;

/// Where a node lies among the [`Nodes`] of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeIx(pub usize);

/// Nodes that are copied together.
const CHUNK: usize = 32;

/// A copy shares every node with its original until one of them changes: a decision is made on a copy, and a run of ten
/// thousand nodes must not make each decision ten thousand times as long.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    chunks: Vec<Arc<Vec<Arc<Node>>>>,
    /// By entry of the plan. A loop will have several nodes of one entry: these will be found by id.
    by_plan: Vec<Slot>,
    /// The number of the event that is being applied.
    pub(crate) now: u64,
}

/// The node of an entry of the plan, in as little room as possible.
#[derive(Clone, Copy, Debug)]
struct Slot(u32);

impl Slot {
    const FREE: Self = Self(u32::MAX);

    fn of(ix: NodeIx) -> Self {
        u32::try_from(ix.0).map_or(Self::FREE, Self)
    }

    fn get(self) -> Option<NodeIx> {
        (self.0 != u32::MAX).then_some(NodeIx(self.0 as usize))
    }
}

impl Nodes {
    fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (NodeIx, &Node)> {
        (0..self.len()).map(|ix| (NodeIx(ix), self.get(NodeIx(ix))))
    }

    pub(crate) fn get(&self, ix: NodeIx) -> &Node {
        &self.chunks[ix.0 / CHUNK][ix.0 % CHUNK]
    }

    pub(crate) fn get_mut(&mut self, ix: NodeIx) -> &mut Node {
        let chunk = Arc::make_mut(&mut self.chunks[ix.0 / CHUNK]);
        let node = Arc::make_mut(&mut chunk[ix.0 % CHUNK]);
        node.changed = self.now;
        node
    }

    /// The node of an entry of the plan.
    pub(crate) fn of_plan(&self, plan: PlanIx) -> Option<NodeIx> {
        self.by_plan.get(plan.0).and_then(|slot| slot.get())
    }

    pub(crate) fn push(&mut self, node: Node) -> NodeIx {
        let ix = NodeIx(self.len());
        if self.by_plan.len() <= node.plan.0 {
            self.by_plan.resize(node.plan.0 + 1, Slot::FREE);
        }
        self.by_plan[node.plan.0] = Slot::of(ix);
        if let Some(parent) = node.parent {
            self.get_mut(parent).children.push(ix);
        }
        let node = Arc::new(Node { changed: self.now, ..node });
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => Arc::make_mut(last).push(node),
            _ => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(node);
                self.chunks.push(Arc::new(chunk));
            }
        }
        ix
    }
}

impl Index<NodeIx> for Nodes {
    type Output = Node;

    fn index(&self, ix: NodeIx) -> &Node {
        self.get(ix)
    }
}
