use crate::node::Properties;
use crate::{Node, Report, code};
use std::collections::{BTreeMap, HashSet};
use windlass_diagnostic::{Diagnostic, Place, Severity};

/// What aliases of the present document may stand for.
#[derive(Default)]
pub(super) struct Anchors {
    closed: BTreeMap<usize, Anchored>,
    /// Lists and mappings that are not yet complete: an alias of one stands within itself.
    open: HashSet<usize>,
}

struct Anchored {
    node: Node,
    size: Size,
}

/// How much a part of the text holds once its aliases are replaced.
#[derive(Clone, Copy, Default)]
pub(super) struct Size {
    pub(super) chars: usize,
    pub(super) nodes: usize,
    /// Lists and mappings within each other.
    pub(super) height: usize,
}

impl Anchors {
    /// A list or mapping starts. Anchors count from 1; 0 is none.
    pub(super) fn open(&mut self, anchor: usize) {
        if anchor != 0 {
            self.open.insert(anchor);
        }
    }

    /// A node is complete.
    pub(super) fn close(&mut self, anchor: usize, node: &Node, size: Size) {
        if anchor != 0 {
            self.open.remove(&anchor);
            self.closed.insert(anchor, Anchored { node: node.clone(), size });
        }
    }

    pub(super) fn clear(&mut self) {
        self.closed.clear();
        self.open.clear();
    }

    /// How much an alias adds; nothing when it has no value, which is reported.
    pub(super) fn size(&self, anchor: usize, place: &Place, report: &Report) -> Option<Size> {
        if self.open.contains(&anchor) {
            let problem = "this alias stands within the value that it names, which would never end";
            report.push(Diagnostic::error(code::BAD_ALIAS, problem).at(place.clone()));
        }
        self.closed.get(&anchor).map(|anchored| anchored.size)
    }

    /// The copy that takes the place of an alias: of another place and span than the original, with the same children.
    pub(super) fn copy(&self, anchor: usize) -> Option<Node> {
        let original = &self.closed.get(&anchor)?.node;
        let mut copy = original.clone();
        let alias = original.anchor().map(Into::into);
        copy.properties = Some(Box::new(Properties { tag: original.tag().map(Into::into), anchor: None, alias }));
        Some(copy)
    }

    /// An alias of a name that was not given to anything.
    pub(super) fn report_unknown(&self, name: &str, place: &Place, report: &Report) {
        let problem = Diagnostic::error(code::BAD_ALIAS, format!("no anchor `&{name}` stands before this alias"));
        let problem = if report.wants(Severity::Error) {
            // A few to compare with: there may be very many.
            let known = self.closed.values().rev().take(100).filter_map(|anchored| anchored.node.anchor());
            problem.nearest_of(name, known)
        } else {
            problem
        };
        report.push(problem.at(place.clone()));
    }
}
