//! Runs and triggers as things that may be seen or acted on: parts of their pipeline.

use super::kinds::{Verb, one_of};
use super::{Authorized, Caller, Permission, Resource};
use crate::{Answer, App};
use windlass_access::Protected;
use windlass_document::Kind;
use windlass_model::{Identifier, RunId, Scope};
use windlass_store::documents::DocumentKey;
use windlass_store::trigger_events::TriggerKey;

/// A run there is.
#[derive(Clone, Debug)]
pub struct StoredRun {
    pub id: RunId,
    resource: Resource,
}

impl Protected for StoredRun {
    fn resource(&self) -> Resource {
        self.resource.clone()
    }
}

/// A trigger there is.
#[derive(Clone, Debug)]
pub struct StoredTrigger {
    pub key: TriggerKey,
    resource: Resource,
}

impl Protected for StoredTrigger {
    fn resource(&self) -> Resource {
        self.resource.clone()
    }
}

impl App {
    /// A pipeline by its name, whether it is still there or not, with its tags if it is.
    pub(super) async fn pipeline_resource(&self, scope: &Scope, pipeline: &Identifier) -> Answer<Resource> {
        let key = DocumentKey {
            kind: Kind::Pipeline.words().root.to_owned(),
            scope: scope.clone(),
            parent: None,
            identifier: pipeline.clone(),
        };
        let tags = self.store().documents().get(&key).await?.map(|found| found.tags).unwrap_or_default();
        Ok(one_of(Kind::Pipeline, Verb::View, &key, &tags, None))
    }
}

impl Caller {
    /// A run by its id or the vendor's form of it.
    pub async fn run(&self, permission: Permission, id: &str) -> Answer<Authorized<StoredRun>> {
        self.stored_run(permission, self.app().run_id(id)?).await
    }

    pub async fn stored_run(&self, permission: Permission, id: RunId) -> Answer<Authorized<StoredRun>> {
        let run = self.app().known_run(id).await?;
        let resource = self.app().pipeline_resource(&run.scope, &run.pipeline).await?;
        self.authorize(permission, StoredRun { id, resource }).await.map_err(|failure| {
            // Not the pipeline was asked for.
            if failure.kind == crate::FailureKind::NotFound { crate::runs::unknown(id) } else { failure }
        })
    }

    /// A pipeline by its name, there or not.
    pub(crate) async fn pipeline(
        &self,
        permission: Permission,
        scope: &Scope,
        pipeline: &Identifier,
    ) -> Answer<Authorized<Resource>> {
        self.authorize(permission, self.app().pipeline_resource(scope, pipeline).await?).await
    }

    /// A trigger by its name; `pipeline` is needed where several have one of this name.
    pub async fn trigger(
        &self,
        permission: Permission,
        scope: &Scope,
        pipeline: Option<&str>,
        id: &str,
    ) -> Answer<Authorized<StoredTrigger>> {
        let key = self.app().trigger_key(scope, pipeline, id).await?;
        let resource = self.app().pipeline_resource(&key.scope, &key.pipeline).await?;
        self.authorize(permission, StoredTrigger { key, resource }).await
    }

    /// Whether a pipeline and what belongs to it may be seen; for lists.
    pub(crate) async fn sees_pipeline(&self, scope: &Scope, pipeline: &Identifier) -> Answer<bool> {
        let plain = Resource::new(super::ResourceType::Pipeline, pipeline.clone(), scope.clone());
        if self.may(Permission::PipelineView, &plain) {
            return Ok(true);
        }
        // Perhaps by its tags.
        Ok(self.may(Permission::PipelineView, &self.app().pipeline_resource(scope, pipeline).await?))
    }
}
