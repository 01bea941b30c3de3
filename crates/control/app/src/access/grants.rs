//! Everything that was granted, read from documents and kept until one of them changes.

use crate::{Answer, App, Failure};
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Mutex as Mailbox;
use windlass_access::{Grants, GroupId, Principal, ResourceGroup, Role, RoleAssignment};
use windlass_document::Kind;
use windlass_model::{Identifier, Json, Millis, Timestamp};
use windlass_store::documents::{Document, DocumentFilter};
use windlass_store::{Change, Changes, PageRequest, Topic};

/// A lost hint costs this much: what another server granted or took away is known after this time at the latest.
const GLANCE: Millis = Millis::from_secs(5);

/// Grants as they were last read.
#[derive(Debug)]
pub(crate) struct GrantsCache {
    known: Mailbox<Option<Known>>,
    changes: Mutex<Changes>,
}

#[derive(Debug)]
struct Known {
    at: Timestamp,
    grants: Arc<Grants>,
}

impl GrantsCache {
    pub(crate) fn new(changes: Changes) -> Self {
        Self { known: Mailbox::default(), changes: Mutex::new(changes) }
    }

    /// Whether anything that grants may have changed since somebody asked last.
    fn changed(&self) -> bool {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = false;
        while let Some(change) = changes.ready() {
            changed |= concerns(&change);
        }
        changed
    }
}

fn concerns(change: &Change) -> bool {
    const KINDS: [Kind; 4] = [Kind::Role, Kind::ResourceGroup, Kind::RoleAssignment, Kind::UserGroup];
    change.concerns(Topic::Users)
        || (change.concerns(Topic::Documents)
            && (change.key.is_empty() || KINDS.iter().any(|kind| kind.words().root == change.key)))
}

impl App {
    /// What everybody may do, right now.
    pub(crate) async fn grants(&self) -> Answer<Arc<Grants>> {
        let now = self.clock().real().now();
        let mut known = self.grants_cache().known.lock().await;
        // Asked before reading: what changes while reading is seen the next time.
        let changed = self.grants_cache().changed();
        if let Some(known) = known.as_ref()
            && !changed
            && now.since(known.at) < GLANCE
        {
            return Ok(Arc::clone(&known.grants));
        }
        *known = None;
        let grants = Arc::new(self.read_grants().await?);
        *known = Some(Known { at: now, grants: Arc::clone(&grants) });
        Ok(grants)
    }

    async fn read_grants(&self) -> Answer<Grants> {
        let mut grants = Grants::new();
        for document in self.documents_of(Kind::Role).await? {
            if let Some(role) = self.granting::<Role>(Kind::Role, &document) {
                grants.role(document.key.scope, role);
            }
        }
        for document in self.documents_of(Kind::ResourceGroup).await? {
            if let Some(group) = self.granting::<ResourceGroup>(Kind::ResourceGroup, &document) {
                grants.resource_group(document.key.scope, group);
            }
        }
        for document in self.documents_of(Kind::RoleAssignment).await? {
            if let Some(assignment) = self.granting::<RoleAssignment>(Kind::RoleAssignment, &document) {
                grants.assign(document.key.scope, assignment);
            }
        }
        self.read_members(&mut grants).await?;
        Ok(grants)
    }

    /// Groups list people by id or by address.
    async fn read_members(&self, grants: &mut Grants) -> Answer<()> {
        let groups = self.documents_of(Kind::UserGroup).await?;
        let mut by_address: HashMap<String, String> = HashMap::new();
        let mut page = PageRequest::first(PageRequest::LARGEST);
        while !groups.is_empty() {
            let people = self.store().users().list(None, &page).await?;
            by_address.extend(people.items.into_iter().map(|user| (user.email, user.id)));
            match people.next {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        for document in groups {
            let group = || GroupId { scope: document.key.scope.clone(), identifier: document.key.identifier.clone() };
            let body = self.body_of(Kind::UserGroup, &document).unwrap_or_default();
            for listed in body["users"].as_array().into_iter().flatten().filter_map(Json::as_str) {
                let id = by_address.get(&listed.to_lowercase()).map_or(listed, String::as_str);
                grants.member(Principal::user(id), group());
            }
            for member in self.store().groups().members(&document.key.scope, &document.key.identifier).await? {
                if let Some(principal) = super::principal_of(&member) {
                    grants.member(principal, group());
                }
            }
        }
        Ok(())
    }

    /// A document that cannot be read grants nothing.
    fn granting<T: DeserializeOwned>(&self, kind: Kind, document: &Document) -> Option<T> {
        let read = self.body_of(kind, document).and_then(|body| typed(body, &document.key.identifier));
        match read {
            Ok(parsed) => Some(parsed),
            Err(error) => {
                let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
                tracing::warn!(%kind, identifier = %document.key.identifier, %cause, "a stored document grants nothing");
                None
            }
        }
    }

    async fn documents_of(&self, kind: Kind) -> Answer<Vec<Document>> {
        let filter = DocumentFilter { kind: Some(kind.words().root.to_owned()), ..DocumentFilter::default() };
        let mut page = PageRequest::first(PageRequest::LARGEST);
        let mut all = Vec::new();
        loop {
            let found = self.store().documents().list(&filter, &page).await?;
            all.extend(found.items);
            match found.next {
                Some(next) => page.after = Some(next),
                None => return Ok(all),
            }
        }
    }
}

/// A body as what it says, under the identifier it was saved with.
pub(super) fn typed<T: DeserializeOwned>(mut body: Json, identifier: &Identifier) -> Answer<T> {
    if let Some(fields) = body.as_object_mut() {
        fields.insert("identifier".to_owned(), Json::String(identifier.to_string()));
    }
    serde_json::from_value(body).map_err(Failure::internal)
}
