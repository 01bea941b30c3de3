//! Stored documents as they read. The text is the truth; it is read once and not at every use.

use crate::{Answer, App, Failure};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use windlass_diagnostic::Diagnostics;
use windlass_document::{Kind, read};
use windlass_model::{Json, Scope};
use windlass_store::documents::Document;

/// When so many bytes of text were read, what nobody asked for since as many before is dropped. What is read takes some twenty
/// times the room of its text.
const ROOM: usize = 256 * 1024;

/// What a text holds.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) documents: Vec<windlass_document::Document>,
    pub(crate) problems: Diagnostics,
}

impl Parsed {
    /// The document itself, not what was derived from parts of it.
    pub(crate) fn of(&self, kind: Kind) -> Option<&windlass_document::Document> {
        self.documents.iter().find(|document| document.kind == kind)
    }
}

/// By everything that decides how a text reads, so that nothing here can be old.
type Question = (Kind, Scope, String);

#[derive(Debug, Default)]
pub(crate) struct Readings(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    young: HashMap<Question, Arc<Parsed>>,
    /// What was young before; who is asked for again is young again.
    old: HashMap<Question, Arc<Parsed>>,
    /// The texts of the young.
    bytes: usize,
}

impl Known {
    fn find(&mut self, question: &Question) -> Option<Arc<Parsed>> {
        if let Some(young) = self.young.get(question) {
            return Some(Arc::clone(young));
        }
        let (question, parsed) = self.old.remove_entry(question)?;
        self.keep(question, Arc::clone(&parsed));
        Some(parsed)
    }

    fn keep(&mut self, question: Question, parsed: Arc<Parsed>) {
        if self.bytes > ROOM {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += question.2.len();
        self.young.insert(question, parsed);
    }
}

impl Readings {
    fn read(&self, kind: Kind, scope: &Scope, text: &str) -> Arc<Parsed> {
        let question = (kind, scope.clone(), text.to_owned());
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parsed) = known().find(&question) {
            return parsed;
        }
        let (documents, problems) = read("", text, scope, Some(kind));
        let parsed = Arc::new(Parsed { documents, problems });
        known().keep(question, Arc::clone(&parsed));
        parsed
    }
}

impl App {
    /// A stored document as it reads.
    pub(crate) fn parsed(&self, kind: Kind, document: &Document) -> Arc<Parsed> {
        self.readings().read(kind, &document.key.scope, &document.text)
    }

    /// What is inside the root key of a stored document.
    pub(crate) fn body_of(&self, kind: Kind, document: &Document) -> Answer<Json> {
        let parsed = self.parsed(kind, document);
        let body = parsed.of(kind).map(|document| document.body.clone());
        body.ok_or_else(|| {
            let (name, problems) = (&document.key.identifier, &parsed.problems);
            Failure::internal(format!("the stored {kind} `{name}` cannot be read: {problems}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ROOM, Readings};
    use std::sync::Arc;
    use windlass_document::Kind;
    use windlass_model::Scope;

    #[test]
    fn a_text_is_read_once_as_long_as_it_is_asked_for() {
        let readings = Readings::default();
        let text = |name: &str| format!("environment: {{identifier: {name}, name: {name}, type: Production}}\n");
        let read = |text: &str| readings.read(Kind::Environment, &Scope::Account, text);
        let long = |name: &str| format!("{}#{}", text(name), "x".repeat(ROOM));
        let (asked, left) = (read(&text("asked")), read(&text("left")));
        assert_eq!(left.of(Kind::Environment).unwrap().body["identifier"], "left");
        for name in ["a", "b", "c"] {
            read(&long(name));
            assert!(Arc::ptr_eq(&asked, &read(&text("asked"))));
        }
        assert!(!Arc::ptr_eq(&left, &read(&text("left"))));
        let known = readings.0.lock().unwrap();
        assert!(known.young.len() + known.old.len() < 5);
    }
}
