use crate::{Answer, App, Failure};
use serde::Serialize;
use std::collections::BTreeMap;
use windlass_document::Kind;
use windlass_model::{Identifier, Scope, Timestamp};
use windlass_store::documents::{Document, DocumentFilter, DocumentKey};
use windlass_store::trigger_events::TriggerKey;
use windlass_store::{Page, PageRequest, Scopes};

/// One document, whole.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    #[serde(flatten)]
    pub listed: Listed,
    pub etag: String,
    /// The author's text.
    pub yaml: String,
}

/// One row of a list.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    pub kind: Kind,
    pub identifier: Identifier,
    pub name: String,
    pub scope: Scope,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Identifier>,
    pub tags: BTreeMap<String, String>,
    pub version: u64,
    pub created_at: Timestamp,
    pub created_by: String,
    pub updated_at: Timestamp,
    pub updated_by: String,
}

impl Listed {
    fn of(kind: Kind, document: &Document) -> Self {
        Self {
            kind,
            identifier: document.key.identifier.clone(),
            name: document.name.clone(),
            scope: document.key.scope.clone(),
            parent: document.key.parent.clone(),
            tags: document.tags.clone(),
            version: document.version,
            created_at: document.created_at,
            created_by: document.created_by.clone(),
            updated_at: document.updated_at,
            updated_by: document.updated_by.clone(),
        }
    }
}

impl App {
    pub async fn document(&self, kind: Kind, scope: &Scope, parent: Option<&str>, id: &str) -> Answer<Found> {
        match self.find_document(kind, id, scope, parent).await? {
            super::Lookup::Found(document) => {
                Ok(Found { listed: Listed::of(kind, &document), etag: document.etag(), yaml: document.text })
            }
            super::Lookup::Missing { why } => Err(Failure::not_found(why)),
        }
    }

    pub async fn documents(
        &self,
        kind: Kind,
        scopes: Scopes,
        text: Option<String>,
        page: &PageRequest,
    ) -> Answer<Page<Listed>> {
        let filter = DocumentFilter { kind: Some(kind.words().root.to_owned()), scopes, text, ..Default::default() };
        Ok(self.store().documents().list(&filter, page).await?.map(|d| Listed::of(kind, &d)))
    }

    /// Deletes a document. `etag`: only as it was read.
    pub async fn delete_document(
        &self,
        by: &str,
        kind: Kind,
        scope: &Scope,
        parent: Option<&str>,
        id: &str,
        etag: Option<&str>,
    ) -> Answer<()> {
        let document = match self.find_document(kind, id, scope, parent).await? {
            super::Lookup::Found(document) => document,
            super::Lookup::Missing { why } => return Err(Failure::not_found(why)),
        };
        if etag.is_some_and(|etag| etag != document.etag()) {
            return Err(Failure::conflict("API0005", format!("the {kind} `{id}` was changed since you read it")));
        }
        let now = self.clock().now();
        let mut write = windlass_store::Write::new();
        write.delete_document(&document, by, now);
        if kind == Kind::Secret {
            write.delete_secret(&document.key.scope, &document.key.identifier);
        }
        if let (Kind::Trigger, Some(pipeline)) = (kind, document.key.parent.clone()) {
            let (scope, trigger) = (document.key.scope.clone(), document.key.identifier.clone());
            write.drop_webhook_tokens(&TriggerKey { scope, pipeline, trigger });
        }
        write.audit(&crate::audit::record(
            now,
            &document.key.scope,
            by,
            "DELETE",
            kind,
            document.key.identifier.as_str(),
            serde_json::json!({ "oldYaml": document.text }),
        ));
        self.store().write(write).await?;
        Ok(())
    }
}

/// The store's name of a document.
pub(crate) fn key_of(kind: Kind, scope: &Scope, parent: Option<Identifier>, identifier: Identifier) -> DocumentKey {
    DocumentKey { kind: kind.words().root.to_owned(), scope: scope.clone(), parent, identifier }
}
