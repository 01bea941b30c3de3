//! Where payloads come in: our address, the vendor's, and GitHub's (pipelines §7.2, §7.3, SEED-73).

use crate::Api;
use crate::caller::{Caller, key_of};
use crate::openapi::{Operation, Takes, body};
use crate::peer::Peer;
use crate::routes::{Door, Routes};
use crate::vendor::{Vendor, Where, success};
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Query, Request, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::HeaderMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use windlass_app::Failure;
use windlass_app::access::Permission::PipelineView;
use windlass_app::triggers::{Address, Received};
use windlass_model::id::EventId;
use windlass_model::{Identifier, RunId, Timestamp};

/// The largest payload, in bytes.
const LIMIT: usize = 1024 * 1024;

pub(crate) fn routes() -> Routes {
    let view = Door::Needs(PipelineView);
    let mut routes = Routes::new().post("/webhook/{token}", Door::Open, by_token);
    for prefix in ["/gateway/pipeline/api", "/pipeline/api", "/gateway/ng/api", "/ng/api"] {
        routes = routes
            .post(&format!("{prefix}/webhook/custom"), Door::Open, bare)
            .post(&format!("{prefix}/webhook/custom/v2"), Door::Open, of_project)
            .post(&format!("{prefix}/webhook/custom/{{token}}/v3"), Door::Open, by_token)
            .get(&format!("{prefix}/webhook/triggerExecutionDetails/{{event}}"), view, details)
            .get(&format!("{prefix}/webhook/triggerProcessingDetails"), view, processing);
    }
    for prefix in ["/gateway/ng/api", "/ng/api"] {
        routes = routes.post(&format!("{prefix}/webhook"), Door::Open, github);
    }
    routes.around(|router| router.layer(DefaultBodyLimit::max(LIMIT)))
}

/// What was sent, and by whom.
struct Delivery {
    peer: String,
    headers: HeaderMap,
    body: Bytes,
}

impl FromRequest<Api> for Delivery {
    type Rejection = Response;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Response> {
        let peer = request.extensions().get::<Peer>().map(|Peer(address)| address.to_string()).unwrap_or_default();
        let headers = request.headers().clone();
        let body = Bytes::from_request(request, api).await.map_err(IntoResponse::into_response)?;
        Ok(Self { peer, headers, body })
    }
}

/// Any payload: what it must be is for the trigger to say.
impl Takes for Delivery {
    fn takes(operation: &mut Operation) {
        body(operation, "application/json", json!({}));
    }
}

impl Delivery {
    fn to(self, address: Address) -> Received {
        let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        Received {
            address,
            key: key_of(&self.headers),
            peer: self.peer,
            headers: self.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect(),
            body: self.body.to_vec(),
        }
    }
}

/// The vendor's acknowledgement: nothing has been matched yet.
fn acknowledged(api: &Api, event: EventId) -> Response {
    let (base, account) = (&api.app.parts().public_url, &api.app.parts().account);
    let path = format!("webhook/triggerExecutionDetails/{event}?accountIdentifier={account}");
    success(json!({
        "eventCorrelationId": event,
        "apiUrl": format!("{base}/gateway/pipeline/api/{path}"),
        "uiUrl": format!("{base}/trigger-events/{event}"),
        "uiSetupUrl": format!("{base}/triggers"),
    }))
}

async fn by_token(State(api): State<Api>, Path(token): Path<String>, delivery: Delivery) -> Vendor {
    let event = api.app.receive(delivery.to(Address::Token(token))).await?;
    Ok(acknowledged(&api, event))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Target {
    #[serde(flatten)]
    place: Where,
    #[serde(default)]
    pipeline_identifier: Option<String>,
    #[serde(default)]
    trigger_identifier: Option<String>,
}

impl Target {
    fn address(&self) -> Result<Address, Failure> {
        let part = |text: &Option<String>| {
            let text = text.as_deref().filter(|text| !text.is_empty()).map(Identifier::folded);
            text.as_deref().map(Identifier::parse).transpose().map_err(|e| Failure::invalid("API0006", e.to_string()))
        };
        let (pipeline, trigger) = (part(&self.pipeline_identifier)?, part(&self.trigger_identifier)?);
        if pipeline.is_none() && trigger.is_some() {
            return Err(Failure::invalid("API0006", "`triggerIdentifier` goes with `pipelineIdentifier`"));
        }
        Ok(Address::Custom { scope: self.place.project()?, pipeline, trigger })
    }
}

async fn aimed(api: &Api, target: &Target, delivery: Delivery) -> Result<EventId, Failure> {
    target.place.account(&api.app)?;
    api.app.receive(delivery.to(target.address()?)).await
}

async fn of_project(State(api): State<Api>, Query(target): Query<Target>, delivery: Delivery) -> Vendor {
    let event = aimed(&api, &target, delivery).await?;
    Ok(acknowledged(&api, event))
}

/// The older form answers with the bare id.
async fn bare(State(api): State<Api>, Query(target): Query<Target>, delivery: Delivery) -> Vendor {
    let event = aimed(&api, &target, delivery).await?;
    Ok(success(json!(event)))
}

async fn github(State(api): State<Api>, Query(place): Query<Where>, delivery: Delivery) -> Vendor {
    place.account(&api.app)?;
    if !delivery.headers.contains_key("x-github-event") {
        let failure =
            Failure::invalid("TRG0003", "only GitHub's webhooks are understood here: `X-GitHub-Event` is missing");
        return Err(failure.hint("custom webhooks have their own address: `windlass trigger url`").into());
    }
    let event = api.app.receive(delivery.to(Address::Github)).await?;
    Ok(success(json!(event)))
}

async fn details(State(api): State<Api>, caller: Caller, Path(event): Path<String>) -> Vendor {
    shown(&api, &caller, &event).await
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfEvent {
    event_id: String,
}

async fn processing(State(api): State<Api>, caller: Caller, Query(of): Query<OfEvent>) -> Vendor {
    shown(&api, &caller, &of.event_id).await
}

/// What became of an event, in the vendor's words.
async fn shown(api: &Api, caller: &Caller, event: &str) -> Vendor {
    let event = api.app.trigger_event(&caller.0, event).await?;
    let outcomes = event.outcomes.as_deref().unwrap_or_default();
    let one = outcomes.iter().find(|o| o.run.is_some()).or_else(|| outcomes.first());
    let summary = match one.and_then(|outcome| outcome.run) {
        None => None,
        Some(run) => {
            let row = api.app.run(&caller.0.stored_run(PipelineView, run).await?).await?.run;
            Some(json!({
                "planExecutionId": run.execution_id(),
                "pipelineIdentifier": row.pipeline,
                "name": row.name,
                "status": row.status,
                "startTs": row.started_at.map(Timestamp::millis),
                "endTs": row.ended_at.map(Timestamp::millis),
                "runSequence": row.sequence,
                "executionTriggerInfo": {
                    "triggerType": row.trigger.name(),
                    "triggeredBy": {
                        "uuid": "systemUser",
                        "identifier": row.started_by,
                        "extraInfo": { "eventCorrelationId": event.id },
                    },
                    "isRerun": false,
                },
            }))
        }
    };
    let runs = one.and_then(|outcome| outcome.run);
    Ok(success(json!({
        "webhookProcessingDetails": {
            "eventFound": true,
            "eventId": event.id,
            "accountIdentifier": api.app.parts().account,
            "orgIdentifier": one.and_then(|o| o.scope.org()),
            "projectIdentifier": one.and_then(|o| o.scope.project()),
            "triggerIdentifier": one.map(|o| &o.trigger),
            "pipelineIdentifier": one.map(|o| &o.pipeline),
            "pipelineExecutionId": runs.map(RunId::execution_id),
            "exceptionOccured": event.status == windlass_app::triggers::status::EXCEPTION,
            "status": event.status,
            "message": event.message,
            "payload": event.payload.as_ref().map(ToString::to_string),
            "eventCreatedAt": event.received_at.millis(),
        },
        "executionDetails": { "pipelineExecutionSummary": summary },
    })))
}
