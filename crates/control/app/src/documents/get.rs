use crate::access::{Authorized, Caller, StoredDocument, Verb, permission_of};
use crate::{Answer, App, Failure};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use windlass_document::Kind;
use windlass_model::{Identifier, Scope, Timestamp};
use windlass_store::documents::{Document, DocumentFilter, DocumentKey};
use windlass_store::trigger_events::TriggerKey;
use windlass_store::{Page, PageRequest, Scopes};

/// One document, whole.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    #[serde(flatten)]
    pub listed: Listed,
    pub etag: String,
    /// The author's text.
    pub yaml: String,
}

/// One row of a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
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
    /// A document whole.
    pub fn document(&self, found: Authorized<StoredDocument>) -> Found {
        let StoredDocument { kind, document, .. } = found.into_inner();
        Found { listed: Listed::of(kind, &document), etag: document.etag(), yaml: document.text }
    }

    /// Documents of a kind that the caller may see, by identifier.
    pub async fn documents(
        &self,
        by: &Caller,
        kind: Kind,
        scopes: Scopes,
        text: Option<String>,
        page: &PageRequest,
    ) -> Answer<Page<Listed>> {
        let filter = DocumentFilter {
            kind: Some(kind.words().root.to_owned()),
            scopes: scopes.clone(),
            text,
            ..Default::default()
        };
        let found = self.store().documents().list(&filter, page).await?;
        let seen = found.items.iter().filter(|document| by.sees_document(kind, document));
        let items: Vec<Listed> = seen.map(|document| Listed::of(kind, document)).collect();
        let (Scopes::At(scope) | Scopes::Within(scope) | Scopes::VisibleFrom(scope)) = &scopes;
        let nothing = items.is_empty() && found.next.is_none() && page.after.is_none();
        by.may_list(permission_of(kind, Verb::View), scope, nothing)?;
        Ok(Page { items, next: found.next })
    }

    /// Deletes a document. `etag`: only as it was read.
    pub async fn delete_document(
        &self,
        by: &Caller,
        found: Authorized<StoredDocument>,
        etag: Option<&str>,
    ) -> Answer<()> {
        let StoredDocument { kind, document, .. } = found.into_inner();
        let id = &document.key.identifier;
        if etag.is_some_and(|etag| etag != document.etag()) {
            return Err(Failure::conflict("API0005", format!("the {kind} `{id}` was changed since you read it")));
        }
        if kind == Kind::RoleAssignment && self.body_of(kind, &document)?["managed"] == true {
            let text = format!("`{id}` is kept by the platform: without it nobody could manage access any more");
            return Err(Failure::conflict("API0011", text));
        }
        let now = self.clock().now();
        let mut write = windlass_store::Write::new();
        write.delete_document(&document, &by.id, now);
        if kind == Kind::Secret {
            write.delete_secret(&document.key.scope, id);
        }
        if kind == Kind::UserGroup {
            write.remove_members(&document.key.scope, id);
        }
        if kind == Kind::ServiceAccount {
            let owner = crate::triggers::service_account(&document.key.scope, id.as_str());
            write.revoke_api_keys_of(&owner, self.clock().real().now());
        }
        if let (Kind::Trigger, Some(pipeline)) = (kind, document.key.parent.clone()) {
            let (scope, trigger) = (document.key.scope.clone(), id.clone());
            write.drop_webhook_tokens(&TriggerKey { scope, pipeline, trigger });
        }
        let diff = serde_json::json!({ "oldYaml": document.text, "oldEtag": document.etag() });
        write.audit(&crate::audit::record(now, &document.key.scope, &by.id, "DELETE", kind, id.as_str(), diff));
        self.store().write(write).await?;
        Ok(())
    }
}

/// The store's name of a document.
pub(crate) fn key_of(kind: Kind, scope: &Scope, parent: Option<Identifier>, identifier: Identifier) -> DocumentKey {
    DocumentKey { kind: kind.words().root.to_owned(), scope: scope.clone(), parent, identifier }
}
