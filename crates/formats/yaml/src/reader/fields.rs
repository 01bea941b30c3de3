use super::Reader;
use crate::{Map, Segment, code};
use std::cell::RefCell;
use std::fmt::Display;
use windlass_diagnostic::{Diagnostic, Severity};

/// The fields of a mapping, each read by one line. A field without a value (`key:`) counts as absent.
///
/// Names ask for a field that must be there, `opt_` for one that may. [`Fields::finish`] warns of keys that were not asked
/// for; read every field before the first `?`, so that all problems are found.
#[derive(Debug)]
pub struct Fields<'a> {
    reader: Reader<'a>,
    map: &'a Map,
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(reader: Reader<'a>, map: &'a Map) -> Self {
        Self { reader, map, asked: RefCell::default() }
    }

    /// The mapping itself.
    pub fn reader(&self) -> &Reader<'a> {
        &self.reader
    }

    /// Whether the key is there with a value. Does not count as asking for it.
    pub fn has(&self, name: &str) -> bool {
        self.map.get(name).is_some_and(|node| !node.is_null())
    }

    pub fn opt(&self, name: &'static str) -> Option<Reader<'a>> {
        self.asked.borrow_mut().push(name);
        let node = self.map.get(name).filter(|node| !node.is_null())?;
        Some(self.reader.below(Segment::Key(name.into()), node))
    }

    pub fn required(&self, name: &'static str) -> Option<Reader<'a>> {
        let found = self.opt(name);
        if found.is_none() {
            let problem = match self.map.entry(name) {
                Some(entry) => {
                    Diagnostic::error(code::MISSING_KEY, format!("`{name}` has no value")).at(entry.key.place.clone())
                }
                None => Diagnostic::error(code::MISSING_KEY, format!("`{name}` is missing")),
            };
            self.reader.report(problem);
        }
        found
    }

    pub fn string(&self, name: &'static str) -> Option<String> {
        self.required(name)?.string()
    }

    pub fn opt_string(&self, name: &'static str) -> Option<String> {
        self.opt(name)?.string()
    }

    pub fn bool(&self, name: &'static str) -> Option<bool> {
        self.required(name)?.bool()
    }

    pub fn opt_bool(&self, name: &'static str) -> Option<bool> {
        self.opt(name)?.bool()
    }

    pub fn int(&self, name: &'static str) -> Option<i64> {
        self.required(name)?.int()
    }

    pub fn opt_int(&self, name: &'static str) -> Option<i64> {
        self.opt(name)?.int()
    }

    /// A text that `read` understands: a duration, an identifier, a reference.
    pub fn parse<T, E: Display>(&self, name: &'static str, read: impl FnOnce(&str) -> Result<T, E>) -> Option<T> {
        self.required(name)?.parse(read)
    }

    pub fn opt_parse<T, E: Display>(&self, name: &'static str, read: impl FnOnce(&str) -> Result<T, E>) -> Option<T> {
        self.opt(name)?.parse(read)
    }

    pub fn choice<T: Clone>(&self, name: &'static str, words: &[(&str, T)]) -> Option<T> {
        self.required(name)?.choice(words)
    }

    pub fn opt_choice<T: Clone>(&self, name: &'static str, words: &[(&str, T)]) -> Option<T> {
        self.opt(name)?.choice(words)
    }

    /// A value that a function of its own reads.
    pub fn with<T>(&self, name: &'static str, read: impl FnOnce(Reader<'a>) -> Option<T>) -> Option<T> {
        read(self.required(name)?)
    }

    pub fn opt_with<T>(&self, name: &'static str, read: impl FnOnce(Reader<'a>) -> Option<T>) -> Option<T> {
        read(self.opt(name)?)
    }

    /// The items of a list that may be absent; items that cannot be read are reported and left out.
    pub fn list<T>(&self, name: &'static str, read: impl FnMut(Reader<'a>) -> Option<T>) -> Vec<T> {
        let items = self.opt(name).and_then(|list| list.items());
        items.unwrap_or_default().into_iter().filter_map(read).collect()
    }

    /// The entries of a mapping that may be absent, in the order of the text; those that cannot be read are left out.
    pub fn entries<T>(&self, name: &'static str, mut read: impl FnMut(Reader<'a>) -> Option<T>) -> Vec<(String, T)> {
        let entries = self.opt(name).and_then(|map| map.entries());
        let read = |(key, value): (&str, Reader<'a>)| Some((key.to_owned(), read(value)?));
        entries.unwrap_or_default().into_iter().filter_map(read).collect()
    }

    /// Keys that are known and read elsewhere, or not at all.
    pub fn known(&self, names: &[&'static str]) {
        self.asked.borrow_mut().extend(names);
    }

    /// Keys that nobody asked for: a warning each, with the nearest known key (pipelines, "Global facts").
    pub fn finish(self) {
        self.finish_as(Severity::Warning);
    }

    /// The same for documents that refuse unknown keys.
    pub fn finish_strict(self) {
        self.finish_as(Severity::Error);
    }

    fn finish_as(self, severity: Severity) {
        let asked = self.asked.into_inner();
        let unknown: Vec<_> = self.map.entries().filter(|(key, _)| !asked.contains(key)).collect();
        for (i, (key, entry)) in unknown.iter().enumerate() {
            if !self.reader.report.wants(severity) {
                self.reader.report.count(severity, unknown.len() - i);
                return;
            }
            let free = asked.iter().copied().filter(|name| !self.map.contains_key(name));
            let problem = Diagnostic::new(severity, code::UNKNOWN_KEY, format!("nobody reads the key `{key}`"))
                .at(entry.key.place.clone())
                .nearest_of(key, free);
            self.reader.report(problem);
        }
    }
}
