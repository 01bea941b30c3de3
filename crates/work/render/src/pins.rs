//! One commit for each repository and branch, for a whole stage (kubernetes-deploy §1.3, rule 1).

use std::collections::BTreeMap;
use windlass_model::task::source::{GitReference, ManifestSource, Store};

/// What a stage already decided, and what this rendering adds.
///
/// A commit is kept twice: by the identifier of the manifest, for people, and by repository and reference, which is what
/// counts. Identifiers of overrides may repeat those of the service, and a step may bring a manifest of its own.
#[derive(Debug)]
pub(crate) struct Pins<'p> {
    known: &'p BTreeMap<String, String>,
    made: BTreeMap<String, String>,
}

impl<'p> Pins<'p> {
    pub(crate) fn new(known: &'p BTreeMap<String, String>) -> Self {
        Self { known, made: BTreeMap::new() }
    }

    /// The commit that an entry has to be read at.
    pub(crate) fn of(&self, source: &ManifestSource) -> Option<String> {
        let place = place(&source.store)?;
        if let Some(commit) = self.made.get(&place).or_else(|| self.known.get(&place)) {
            return Some(commit.clone());
        }
        // Pins by identifiers alone are somebody's own choice.
        let by_place = self.known.keys().any(|key| key.contains(' '));
        if by_place { None } else { self.known.get(&source.identifier).cloned() }
    }

    pub(crate) fn hold(&mut self, source: &ManifestSource, commit: &str) {
        self.made.insert(source.identifier.clone(), commit.to_owned());
        self.made.extend(place(&source.store).map(|place| (place, commit.to_owned())));
    }

    /// What is known of places, for those who fetch more.
    pub(crate) fn all(&self) -> BTreeMap<String, String> {
        let mut all = self.known.clone();
        all.extend(self.made.clone());
        all
    }

    /// What was decided for a place that is no manifest of its own.
    pub(crate) fn at(&self, place: &str) -> Option<&str> {
        self.made.get(place).or_else(|| self.known.get(place)).map(String::as_str)
    }

    pub(crate) fn hold_at(&mut self, place: &str, what: &str) {
        self.made.insert(place.to_owned(), what.to_owned());
    }

    pub(crate) fn into_commits(self) -> BTreeMap<String, String> {
        self.made
    }
}

/// `https://host/path branch main`: holds a space, which no identifier does.
fn place(store: &Store) -> Option<String> {
    let Store::Git { repository, reference, .. } = store else { return None };
    let name = match reference {
        GitReference::Branch(name) => format!("branch {name}"),
        GitReference::Tag(name) => format!("tag {name}"),
        GitReference::Commit(name) => format!("commit {name}"),
    };
    Some(format!("{} {name}", repository.url))
}
