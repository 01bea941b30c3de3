//! From a reference to a document (pipelines §1.1, SEED-03).

use crate::{Answer, App};
use windlass_diagnostic::nearest;
use windlass_document::Kind;
use windlass_model::{Identifier, Scope, ScopedRef};
use windlass_store::documents::{Document, DocumentFilter, DocumentKey};
use windlass_store::{PageRequest, Scopes};

/// What a reference led to.
#[derive(Debug)]
pub enum Lookup {
    Found(Box<Document>),
    /// Why not, with the nearest names.
    Missing {
        why: String,
    },
}

impl App {
    /// Looks a reference up, as it was written in a document of scope `from`: exactly first; else by the form in which
    /// `int-stable` and `int_stable` are the same, when that names one document only.
    pub(crate) async fn find_document(
        &self,
        kind: Kind,
        reference: &str,
        from: &Scope,
        parent: Option<&str>,
    ) -> Answer<Lookup> {
        let parsed = match ScopedRef::parse(reference) {
            Ok(parsed) => parsed,
            Err(error) => return Ok(Lookup::Missing { why: error.to_string() }),
        };
        let scope = match parsed.resolve(from) {
            Ok(scope) => scope,
            Err(error) => return Ok(Lookup::Missing { why: error.to_string() }),
        };
        let parent = match parent {
            None => None,
            Some(parent) => match Identifier::parse_dashed(parent) {
                Ok(parent) => Some(parent),
                Err(error) => return Ok(Lookup::Missing { why: error.to_string() }),
            },
        };
        let key = DocumentKey { kind: kind.words().root.to_owned(), scope, parent, identifier: parsed.id };
        if let Some(found) = self.store().documents().get(&key).await? {
            return Ok(Lookup::Found(Box::new(found)));
        }
        self.find_folded(kind, &key).await
    }

    async fn find_folded(&self, kind: Kind, key: &DocumentKey) -> Answer<Lookup> {
        let wanted = Identifier::folded(key.identifier.as_str());
        let filter = DocumentFilter {
            kind: Some(key.kind.clone()),
            scopes: Scopes::At(key.scope.clone()),
            parent: key.parent.clone(),
            ..DocumentFilter::default()
        };
        let mut page = PageRequest::first(PageRequest::LARGEST);
        let (mut alike, mut known) = (Vec::new(), Vec::new());
        loop {
            let found = self.store().documents().list(&filter, &page).await?;
            for document in found.items {
                known.push(document.key.identifier.to_string());
                if Identifier::folded(document.key.identifier.as_str()) == wanted {
                    alike.push(document);
                }
            }
            match found.next {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        if alike.len() == 1
            && let Some(document) = alike.pop()
        {
            return Ok(Lookup::Found(Box::new(document)));
        }
        let place = match &key.parent {
            Some(parent) => format!("{} of {parent}", key.scope),
            None => key.scope.to_string(),
        };
        let mut why = format!("there is no {kind} `{}` in {place}", key.identifier);
        if let Some(near) = nearest(key.identifier.as_str(), known.iter().map(String::as_str)) {
            why.push_str(&format!("; did you mean `{near}`?"));
        } else if !known.is_empty() {
            known.truncate(8);
            why.push_str(&format!("; there are {}", known.join(", ")));
        }
        Ok(Lookup::Missing { why })
    }
}
