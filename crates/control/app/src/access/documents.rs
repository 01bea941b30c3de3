//! From a reference to a document that the caller may see, change or delete.

use super::kinds::{Verb, any_of, one_of, permission_of};
use super::{Authorized, Caller, Permission, Resource};
use crate::documents::Lookup;
use crate::{Answer, App, Failure, FailureKind};
use std::collections::BTreeMap;
use windlass_access::Protected;
use windlass_document::Kind;
use windlass_model::Scope;
use windlass_store::documents::{Document, DocumentKey};

/// A document there is.
#[derive(Clone, Debug)]
pub struct StoredDocument {
    pub kind: Kind,
    pub document: Document,
    resource: Resource,
}

impl Protected for StoredDocument {
    fn resource(&self) -> Resource {
        self.resource.clone()
    }
}

/// A document that somebody wants to save, with what it replaces.
#[derive(Clone, Debug)]
pub(crate) struct Saving<'a> {
    pub(crate) new: &'a windlass_document::Document,
    pub(crate) key: DocumentKey,
    pub(crate) current: Option<Document>,
    resource: Resource,
}

impl Protected for Saving<'_> {
    fn resource(&self) -> Resource {
        self.resource.clone()
    }
}

impl App {
    /// A document as a thing that roles grant. Resource groups look at tags, and at the type of environments and connectors.
    fn resource_of(&self, kind: Kind, verb: Verb, document: &Document) -> Resource {
        let typed = matches!(kind, Kind::Environment | Kind::Connector);
        let parsed = typed.then(|| self.parsed(kind, document));
        let body = parsed.as_ref().and_then(|parsed| parsed.of(kind)).map(|document| &document.body);
        one_of(kind, verb, &document.key, &document.tags, body)
    }
}

impl Caller {
    /// The document that a reference from `scope` means.
    pub async fn document(
        &self,
        verb: Verb,
        kind: Kind,
        scope: &Scope,
        parent: Option<&str>,
        id: &str,
    ) -> Answer<Authorized<StoredDocument>> {
        let hidden = || {
            let view = permission_of(kind, Verb::View);
            let hint = self.whom_to_ask(view, &any_of(kind, scope));
            Failure::not_found(format!("there is no {kind} `{id}` in {scope}, or you may not see it")).hint(hint)
        };
        let document = match self.app().find_document(kind, id, scope, parent).await? {
            Lookup::Found(document) => *document,
            // Names that are near are told to those who may see all names.
            Lookup::Missing { why } => {
                let sees_all = self.may(permission_of(kind, Verb::View), &any_of(kind, scope));
                return Err(if sees_all { Failure::not_found(why) } else { hidden() });
            }
        };
        let resource = self.app().resource_of(kind, verb, &document);
        let resource = if kind == Kind::Trigger { self.of_its_pipeline(resource).await? } else { resource };
        let found = StoredDocument { kind, document, resource };
        self.authorize(permission_of(kind, verb), found)
            .await
            .map_err(|failure| if failure.kind == FailureKind::NotFound { hidden() } else { failure })
    }

    /// Whether a run may use a document on the caller's behalf.
    pub(crate) async fn may_use(&self, kind: Kind, document: &Document) -> Answer<()> {
        let permission = match kind {
            Kind::Service => Permission::ServiceAccess,
            Kind::Environment | Kind::Infrastructure => Permission::EnvironmentAccess,
            Kind::Connector => Permission::ConnectorAccess,
            Kind::Secret => Permission::SecretAccess,
            _ => return Ok(()),
        };
        let resource = self.app().resource_of(kind, Verb::View, document);
        self.authorize(permission, resource).await.map(drop).map_err(|failure| {
            if failure.kind != FailureKind::NotFound {
                return failure;
            }
            // Its name is in the pipeline: that it is there is no secret to whoever starts that.
            let key = &document.key;
            let text = format!("{permission} is missing for the {kind} `{}` in {}", key.identifier, key.scope);
            failure.hints.into_iter().fold(Failure::denied(text), Failure::hint)
        })
    }

    /// Whether a row of a list may be seen.
    pub(crate) fn sees_document(&self, kind: Kind, document: &Document) -> bool {
        self.may(permission_of(kind, Verb::View), &self.app().resource_of(kind, Verb::View, document))
    }

    /// A document as it is to be saved under `key`: new ones need to be created, others edited.
    pub(crate) async fn saving<'a>(
        &self,
        new: &'a windlass_document::Document,
        key: DocumentKey,
        tags: &BTreeMap<String, String>,
    ) -> Answer<Authorized<Saving<'a>>> {
        let current = self.app().store().documents().get(&key).await?;
        let kind = new.kind;
        let verb = if current.is_some() { Verb::Edit } else { Verb::Create };
        let after = one_of(kind, verb, &key, tags, Some(&new.body));
        if let Some(current) = &current {
            // Whoever may edit documents of one kind of environment must not get at others by turning them into one.
            let before = self.app().resource_of(kind, verb, current);
            if before.attributes != after.attributes {
                self.authorize(permission_of(kind, verb), before)
                    .await
                    .map_err(|failure| denied(failure, kind, &key))?;
            }
        }
        let resource = if kind == Kind::Trigger { self.of_its_pipeline(after).await? } else { after };
        let key_of = key.clone();
        let saving = Saving { new, key, current, resource };
        self.authorize(permission_of(kind, verb), saving).await.map_err(|failure| denied(failure, kind, &key_of))
    }

    /// A trigger has the attributes of its pipeline.
    async fn of_its_pipeline(&self, resource: Resource) -> Answer<Resource> {
        match &resource.id {
            Some(pipeline) => self.app().pipeline_resource(&resource.scope, pipeline).await,
            None => Ok(resource),
        }
    }
}

/// Saving says that it is not allowed, also where the thing may not be seen: what the author wrote is no secret to the author.
fn denied(failure: Failure, kind: Kind, key: &DocumentKey) -> Failure {
    if failure.kind != FailureKind::NotFound {
        return failure;
    }
    let text = format!("you may not save the {kind} `{}` in {}", key.identifier, key.scope);
    let refused = Failure::denied(text);
    failure.hints.into_iter().fold(refused, Failure::hint)
}
