//! What of a tree is shown when there is not room for all of it.
//!
//! What goes on stays, with everything above it, and so does what failed. What has ended well or has not begun goes first.

use crate::output::cell;
use serde_json::Value;
use std::collections::HashMap;
use windlass_model::Status;

/// A line of the tree.
#[derive(Debug, PartialEq)]
pub(super) struct Row<'a> {
    pub(super) node: &'a Value,
    pub(super) level: usize,
}

/// At most `room` lines, and how many more there are. The pipeline itself is not among them.
pub(super) fn fitting<'a>(values: &[&'a Value], room: usize) -> (Vec<Row<'a>>, usize) {
    let nodes = read(values);
    // Each makes it shorter than the one before.
    let steps: [&dyn Fn(&Node<'_>) -> bool; 7] = [
        &|_| true,
        &|node| !node.is_below(&nodes, &|above| above.status.is_some_and(Status::is_good)),
        &|node| !node.is_below(&nodes, &|above| !above.goes_on() && !above.is_bad()),
        &|node| node.level == 0 || !node.status.is_some_and(Status::is_good),
        &|node| node.level == 0 || node.goes_on() || node.is_bad(),
        &|node| node.goes_on() || node.is_bad(),
        &|node| node.goes_on(),
    ];
    let mut keeps: Vec<&Node<'_>> = nodes.iter().collect();
    for step in steps {
        keeps.retain(|node| step(node));
        if keeps.len() <= room {
            break;
        }
    }
    keeps.truncate(room);
    let rows: Vec<Row<'a>> = keeps.iter().map(|node| Row { node: node.value, level: node.level }).collect();
    let hidden = nodes.len() - rows.len();
    (rows, hidden)
}

struct Node<'a> {
    value: &'a Value,
    level: usize,
    parent: Option<usize>,
    status: Option<Status>,
}

impl Node<'_> {
    fn goes_on(&self) -> bool {
        self.status.is_some_and(|status| !status.is_terminal() && status != Status::NotStarted)
    }

    fn is_bad(&self) -> bool {
        self.status.is_some_and(Status::is_bad)
    }

    fn is_below(&self, nodes: &[Node<'_>], wanted: &dyn Fn(&Node<'_>) -> bool) -> bool {
        std::iter::successors(self.parent, |ix| nodes[*ix].parent).any(|ix| wanted(&nodes[ix]))
    }
}

fn read<'a>(values: &[&'a Value]) -> Vec<Node<'a>> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut nodes: Vec<Node<'a>> = Vec::with_capacity(values.len());
    for value in values {
        // The pipeline itself has no parent: its stages stand at the left.
        let Some(parent) = value["parent"].as_str() else { continue };
        let parent = known.get(parent).copied();
        let level = parent.map_or(0, |parent| nodes[parent].level + 1);
        known.insert(value["node"].as_str().unwrap_or_default(), nodes.len());
        nodes.push(Node { value, level, parent, status: Status::parse(&cell(value, "/status")) });
    }
    nodes
}
