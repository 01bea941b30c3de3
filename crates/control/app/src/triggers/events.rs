//! The log of events: what came in, and why it did or did not start a run.

use super::custom;
use crate::access::{Authorized, Caller, Permission, Resource, StoredTrigger};
use crate::{Answer, App, Failure};
use schemars::JsonSchema;
use serde::Serialize;
use windlass_model::id::EventId;
use windlass_model::{Identifier, Json, RunId, Scope, Timestamp};
use windlass_store::trigger_events::{TriggerEvent, TriggerOutcome};
use windlass_store::{Page, PageRequest, Scopes};

/// One event.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventRow {
    pub id: EventId,
    pub scope: Scope,
    /// `custom/payment/on_build`, `github`.
    pub source: String,
    pub received_at: Timestamp,
    pub sender: String,
    pub status: String,
    pub message: String,
    /// What each trigger made of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Vec<OutcomeRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Json>,
}

/// What one trigger made of an event.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeRow {
    pub event: EventId,
    pub scope: Scope,
    pub pipeline: Identifier,
    pub trigger: Identifier,
    pub at: Timestamp,
    pub status: String,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
}

impl From<TriggerEvent> for EventRow {
    fn from(event: TriggerEvent) -> Self {
        let TriggerEvent { id, scope, source, received_at, sender, status, message, .. } = event;
        Self { id, scope, source, received_at, sender, status, message, outcomes: None, payload: None }
    }
}

impl From<TriggerOutcome> for OutcomeRow {
    fn from(outcome: TriggerOutcome) -> Self {
        let TriggerOutcome { event, scope, pipeline, trigger, at, status, message, run } = outcome;
        Self { event, scope, pipeline, trigger, at, status, message, run }
    }
}

/// Events may be for any pipeline of their scope.
fn place(scope: &Scope) -> Resource {
    Resource::any(Permission::PipelineView.resource(), scope.clone())
}

impl App {
    /// Events, the youngest first.
    pub async fn trigger_events(
        &self,
        by: &Caller,
        scope: &Scope,
        status: Option<&str>,
        page: &PageRequest,
    ) -> Answer<Page<EventRow>> {
        let found = self.store().trigger_events().list(&Scopes::Within(scope.clone()), status, page).await?;
        let sees = |event: &TriggerEvent| by.may(Permission::PipelineView, &place(&event.scope));
        let items: Vec<EventRow> = found.items.into_iter().filter(sees).map(EventRow::from).collect();
        let nothing = items.is_empty() && found.next.is_none() && page.after.is_none();
        by.may_list(Permission::PipelineView, scope, nothing)?;
        Ok(Page { items, next: found.next })
    }

    /// An event with its payload and what each trigger made of it.
    pub async fn trigger_event(&self, by: &Caller, event: &str) -> Answer<EventRow> {
        let missing = || Failure::not_found(format!("there is no event `{event}`"));
        let id: EventId = event.parse().map_err(|_| missing())?;
        let event = self.store().trigger_events().get(id).await?.ok_or_else(missing)?;
        by.authorize(Permission::PipelineView, place(&event.scope)).await.map_err(|_| missing())?;
        let payload = custom::payload_of(&event.payload);
        let outcomes = self.store().trigger_events().outcomes(id).await?;
        let outcomes = outcomes.into_iter().map(OutcomeRow::from).collect();
        Ok(EventRow { outcomes: Some(outcomes), payload: Some(payload), ..event.into() })
    }

    /// What a trigger made of events, the youngest first.
    pub async fn trigger_outcomes(
        &self,
        trigger: &Authorized<StoredTrigger>,
        page: &PageRequest,
    ) -> Answer<Page<OutcomeRow>> {
        Ok(self.store().trigger_events().of_trigger(&trigger.key, page).await?.map(OutcomeRow::from))
    }
}
