//! Stored documents as they read. The text is the truth; it is read once and not at every use.

use crate::{Answer, App, Failure};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use windlass_diagnostic::Diagnostics;
use windlass_document::{Kind, read};
use windlass_model::{Json, Scope};
use windlass_store::documents::Document;

/// The most bytes of text whose readings are kept. What is read takes several times the room.
const ROOM: usize = 2 * 1024 * 1024;

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
    readings: HashMap<Question, Arc<Parsed>>,
    bytes: usize,
}

impl Readings {
    fn read(&self, kind: Kind, scope: &Scope, text: &str) -> Arc<Parsed> {
        let question = (kind, scope.clone(), text.to_owned());
        if let Some(known) = self.0.lock().unwrap_or_else(PoisonError::into_inner).readings.get(&question) {
            return Arc::clone(known);
        }
        let (documents, problems) = read("", text, scope, Some(kind));
        let parsed = Arc::new(Parsed { documents, problems });
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.bytes + text.len() > ROOM {
            known.readings.clear();
            known.bytes = 0;
        }
        known.bytes += text.len();
        known.readings.insert(question, Arc::clone(&parsed));
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
    fn a_text_is_read_once_and_the_room_is_bounded() {
        let readings = Readings::default();
        let text = |name: &str| format!("environment: {{identifier: {name}, name: {name}, type: Production}}\n");
        let read = |text: &str| readings.read(Kind::Environment, &Scope::Account, text);
        assert!(Arc::ptr_eq(&read(&text("a")), &read(&text("a"))));
        assert_eq!(read(&text("b")).of(Kind::Environment).unwrap().body["identifier"], "b");
        let first = read(&text("a"));
        read(&format!("{}#{}", text("c"), "x".repeat(ROOM)));
        assert!(!Arc::ptr_eq(&first, &read(&text("a"))));
        assert!(readings.0.lock().unwrap().bytes < ROOM);
    }
}
