//! Functions that call themselves.

use std::collections::{BTreeMap, BTreeSet};

/// A name on a cycle, if there is one.
pub(super) fn cycle(edges: &BTreeMap<&str, Vec<String>>) -> Option<String> {
    let mut left: BTreeMap<&str, BTreeSet<&str>> =
        edges.iter().map(|(name, to)| (*name, to.iter().map(String::as_str).collect())).collect();
    // Take away what calls nothing that is left; what cannot be taken away calls itself, or calls what does.
    loop {
        let done: Vec<&str> = left.iter().filter(|(_, to)| to.is_empty()).map(|(name, _)| *name).collect();
        if done.is_empty() {
            break;
        }
        left.retain(|name, _| !done.contains(name));
        left.values_mut().for_each(|to| to.retain(|name| !done.contains(name)));
    }
    // Among them one that can be reached from itself.
    left.keys().find(|name| reaches(&left, name)).map(|name| (*name).to_owned())
}

fn reaches(edges: &BTreeMap<&str, BTreeSet<&str>>, start: &str) -> bool {
    let mut open: Vec<&str> = edges.get(start).into_iter().flatten().copied().collect();
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if name == start {
            return true;
        }
        if seen.insert(name) {
            open.extend(edges.get(name).into_iter().flatten());
        }
    }
    false
}
