//! Where payloads come in: our address, the vendor's, and GitHub's (pipelines §7.2, §7.3, SEED-73).

mod details;

use crate::Api;
use crate::caller::key_of;
use crate::openapi::{Operation, Takes, body};
use crate::peer::Peer;
use crate::routes::{Door, Routes};
use crate::vendor::{Success, Vendor, Where};
use axum::Json;
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Query, Request, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::HeaderMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use windlass_app::Failure;
use windlass_app::access::Permission::PipelineView;
use windlass_app::triggers::{Address, Received};
use windlass_model::Identifier;
use windlass_model::id::EventId;

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
            .get(&format!("{prefix}/webhook/triggerExecutionDetails/{{event}}"), view, details::of_path)
            .get(&format!("{prefix}/webhook/triggerProcessingDetails"), view, details::of_query);
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
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Acknowledged {
    event_correlation_id: EventId,
    api_url: String,
    ui_url: String,
    ui_setup_url: String,
}

fn acknowledged(api: &Api, event: EventId) -> Json<Success<Acknowledged>> {
    let (base, account) = (&api.app.parts().public_url, &api.app.parts().account);
    let path = format!("webhook/triggerExecutionDetails/{event}?accountIdentifier={account}");
    Success::json(Acknowledged {
        event_correlation_id: event,
        api_url: format!("{base}/gateway/pipeline/api/{path}"),
        ui_url: format!("{base}/trigger-events/{event}"),
        ui_setup_url: format!("{base}/triggers"),
    })
}

async fn by_token(State(api): State<Api>, Path(token): Path<String>, delivery: Delivery) -> Vendor<Acknowledged> {
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

async fn of_project(State(api): State<Api>, Query(target): Query<Target>, delivery: Delivery) -> Vendor<Acknowledged> {
    let event = aimed(&api, &target, delivery).await?;
    Ok(acknowledged(&api, event))
}

/// The older form answers with the bare id.
async fn bare(State(api): State<Api>, Query(target): Query<Target>, delivery: Delivery) -> Vendor<EventId> {
    let event = aimed(&api, &target, delivery).await?;
    Ok(Success::json(event))
}

async fn github(State(api): State<Api>, Query(place): Query<Where>, delivery: Delivery) -> Vendor<EventId> {
    place.account(&api.app)?;
    if !delivery.headers.contains_key("x-github-event") {
        let failure =
            Failure::invalid("TRG0003", "only GitHub's webhooks are understood here: `X-GitHub-Event` is missing");
        return Err(failure.hint("custom webhooks have their own address: `windlass trigger url`").into());
    }
    let event = api.app.receive(delivery.to(Address::Github)).await?;
    Ok(Success::json(event))
}
