use crate::chart::{Chart, Dependency};
use crate::values::Table;
use serde_json::Value as Json;
use std::borrow::Cow;
use std::cell::Cell;

/// A chart in a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Id(usize);

/// An entry of a chart's list of dependencies. Copies of a chart under other names share their entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryId(usize);

/// The charts of one rendering: which are enabled, under which name, with which values of their own.
///
/// It is shaped as the reference's is, where a chart under two names is a copy that shares the charts inside of it, and
/// a chart knows only the last one that took it in.
#[derive(Debug)]
pub(crate) struct Tree<'c> {
    nodes: Vec<Node<'c>>,
    entries: Vec<Dependency>,
    /// Entries whose values were imported: another copy of the chart imports nothing for them.
    imported: Vec<EntryId>,
    /// Values that were merged.
    work: Cell<usize>,
}

/// So many values may be merged in all: charts within charts under several names would never come to an end.
const MOST_WORK: usize = 50_000_000;

#[derive(Clone, Debug)]
struct Node<'c> {
    chart: &'c Chart,
    name: String,
    parent: Option<Id>,
    children: Vec<Id>,
    entries: Option<Vec<EntryId>>,
    values: Cow<'c, Table>,
    /// How many values that is.
    size: usize,
}

impl<'c> Tree<'c> {
    pub(crate) fn new(chart: &'c Chart) -> Self {
        let mut tree = Self { nodes: Vec::new(), entries: Vec::new(), imported: Vec::new(), work: Cell::new(0) };
        tree.add(chart, None);
        tree
    }

    pub(crate) const ROOT: Id = Id(0);

    fn add(&mut self, chart: &'c Chart, parent: Option<Id>) -> Id {
        let id = Id(self.nodes.len());
        let entries = chart.metadata.dependencies.as_ref().map(|all| {
            let first = self.entries.len();
            self.entries.extend(all.iter().cloned());
            (first..self.entries.len()).map(EntryId).collect()
        });
        let name = chart.name().to_owned();
        let values = Cow::Borrowed(&chart.values);
        let size = chart.values.values().map(size).sum();
        self.nodes.push(Node { chart, name, parent, children: Vec::new(), entries, values, size });
        for inner in &chart.dependencies {
            let inner = self.add(inner, Some(id));
            self.nodes[id.0].children.push(inner);
        }
        id
    }

    pub(crate) fn chart(&self, id: Id) -> &'c Chart {
        self.nodes[id.0].chart
    }

    pub(crate) fn name(&self, id: Id) -> &str {
        &self.nodes[id.0].name
    }

    pub(crate) fn is_root(&self, id: Id) -> bool {
        self.nodes[id.0].parent.is_none()
    }

    pub(crate) fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        self.nodes[id.0].children.iter().copied()
    }

    pub(crate) fn values(&self, id: Id) -> &Table {
        &self.nodes[id.0].values
    }

    pub(crate) fn set_values(&mut self, id: Id, values: Table) {
        self.nodes[id.0].size = values.values().map(size).sum();
        self.nodes[id.0].values = Cow::Owned(values);
    }

    pub(crate) fn entries(&self, id: Id) -> Option<&[EntryId]> {
        self.nodes[id.0].entries.as_deref()
    }

    pub(crate) fn set_entries(&mut self, id: Id, entries: Vec<EntryId>) {
        // An empty list becomes none: as the reference appends to nothing.
        self.nodes[id.0].entries = (!entries.is_empty()).then_some(entries);
    }

    pub(crate) fn entry(&self, id: EntryId) -> &Dependency {
        &self.entries[id.0]
    }

    pub(crate) fn entry_mut(&mut self, id: EntryId) -> &mut Dependency {
        &mut self.entries[id.0]
    }

    /// True the first time.
    pub(crate) fn imports(&mut self, id: EntryId) -> bool {
        let is_new = !self.imported.contains(&id);
        self.imported.push(id);
        is_new
    }

    /// A copy under another name, which has no place yet.
    pub(crate) fn copy(&mut self, id: Id, alias: &str) -> Id {
        let mut node = self.nodes[id.0].clone();
        if !alias.is_empty() {
            node.name = alias.to_owned();
        }
        self.nodes.push(node);
        Id(self.nodes.len() - 1)
    }

    pub(crate) fn set_children(&mut self, id: Id, children: Vec<Id>) {
        for child in &children {
            self.nodes[child.0].parent = Some(id);
        }
        self.nodes[id.0].children = children;
    }

    /// `chart/charts/inner`
    pub(crate) fn path(&self, id: Id) -> String {
        match self.nodes[id.0].parent {
            Some(parent) => format!("{}/charts/{}", self.path(parent), self.name(id)),
            None => self.name(id).to_owned(),
        }
    }

    /// Counts the values of a chart as merged once more.
    pub(crate) fn merges(&self, id: Id) -> Result<(), String> {
        let work = self.work.get().saturating_add(self.nodes[id.0].size + 1);
        self.work.set(work);
        if work > MOST_WORK { Err(format!("more than {MOST_WORK} values are merged")) } else { Ok(()) }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }
}

fn size(value: &Json) -> usize {
    match value {
        Json::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Json::Object(table) => 1 + table.values().map(size).sum::<usize>(),
        _ => 1,
    }
}
