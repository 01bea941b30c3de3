//! Where delegates come in: register, connect, or poll where WebSockets do not pass (architecture §6).

use crate::delegate_mail::{Mail, Switched};
use crate::openapi::{Operation, Takes, body};
use crate::problem::{Answer, Problem};
use crate::routes::{Door, Routes};
use crate::{Api, LARGEST};
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Request, State, WebSocketUpgrade};
use bytes::Bytes;
use http::HeaderMap;
use http::request::Parts;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use windlass_app::Failure;
use windlass_link::{Mailbox, Registered, Registration, channel_pair, serve_socket};
use windlass_model::id::DelegateId;

/// Workers that poll. A mailbox belongs to one token: a worker that registers anew gets a new one.
#[derive(Debug, Default)]
pub(crate) struct Mailboxes(Mutex<HashMap<DelegateId, (String, Arc<Mailbox>)>>);

pub(crate) fn routes() -> Routes {
    let routes = Routes::new()
        .post("/register", Door::Delegate, register)
        .get("/connect", Door::Delegate, connect)
        .post("/send", Door::Delegate, send)
        .post("/poll", Door::Delegate, poll);
    // The result of a task may be large.
    routes.around(|router| router.layer(DefaultBodyLimit::max(LARGEST)))
}

fn bearer(headers: &HeaderMap) -> Result<&str, Failure> {
    let header = headers.get(http::header::AUTHORIZATION).and_then(|v| v.to_str().ok());
    header
        .and_then(|v| v.strip_prefix("Bearer "))
        .ok_or_else(|| Failure::unauthenticated("the bearer token is missing"))
}

/// A token that somebody shows; what it is worth is for the operation to say.
struct Bearer(String);

impl FromRequestParts<Api> for Bearer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Api) -> Result<Self, Problem> {
        Ok(Self(bearer(&parts.headers)?.to_owned()))
    }
}

async fn register(
    State(api): State<Api>,
    Bearer(token): Bearer,
    Hello(registration): Hello,
) -> Answer<Json<Registered>> {
    Ok(Json(api.app.register_delegate(&token, registration).await?))
}

/// The first word of a worker.
struct Hello(Registration);

impl FromRequest<Api> for Hello {
    type Rejection = JsonRejection;

    async fn from_request(request: Request, api: &Api) -> Result<Self, JsonRejection> {
        Json::from_request(request, api).await.map(|Json(registration)| Self(registration))
    }
}

/// A worker that has shown its token and the proof of its key. A handler that takes this looks at nothing else before.
struct Worker {
    delegate: DelegateId,
    token: String,
}

impl FromRequestParts<Api> for Worker {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let token = bearer(&parts.headers)?;
        let proof = parts.headers.get("x-windlass-proof").and_then(|v| v.to_str().ok());
        let proof = proof.ok_or_else(|| Failure::unauthenticated("the proof of the worker's key is missing"))?;
        let claims = api.app.delegate_of(token, proof).await?;
        Ok(Self { delegate: claims.sub, token: token.to_owned() })
    }
}

impl Takes for Hello {
    fn takes(operation: &mut Operation) {
        body(operation, "application/json", serde_json::json!({ "type": "object" }));
    }
}

impl Takes for Bearer {
    fn takes(_: &mut Operation) {}
}

impl Takes for Worker {
    fn takes(_: &mut Operation) {}
}

impl Takes for WebSocketUpgrade {
    fn takes(_: &mut Operation) {}
}

async fn connect(State(api): State<Api>, worker: Worker, upgrade: WebSocketUpgrade) -> Answer<Switched> {
    let delegate = worker.delegate;
    let upgrade = upgrade.max_message_size(64 * 1024 * 1024).read_buffer_size(windlass_link::READ_BUFFER);
    Ok(Switched(upgrade.on_upgrade(move |socket| async move {
        let (hub, wire) = channel_pair();
        let pump = tokio::spawn(serve_socket(socket, wire));
        api.app.serve_delegate(delegate, hub).await;
        // The hub has let go: its last word is on the way, the pump ends by itself.
        let _ = pump.await;
    })))
}

impl Api {
    fn mailbox(&self, delegate: DelegateId, token: &str) -> Arc<Mailbox> {
        let mut boxes = self.mailboxes.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, mailbox)) = boxes.get(&delegate)
            && known == token
        {
            return Arc::clone(mailbox);
        }
        let (hub, wire) = channel_pair();
        let mailbox = Arc::new(Mailbox::new(wire));
        boxes.insert(delegate, (token.to_owned(), Arc::clone(&mailbox)));
        let app = self.app.clone();
        tokio::spawn(async move { app.serve_delegate(delegate, hub).await });
        mailbox
    }

    fn drop_mailbox(&self, delegate: DelegateId, token: &str) {
        let mut boxes = self.mailboxes.0.lock().unwrap_or_else(PoisonError::into_inner);
        if boxes.get(&delegate).is_some_and(|(known, _)| known == token) {
            boxes.remove(&delegate);
        }
    }
}

fn number(headers: &HeaderMap, name: &str) -> Result<u64, Failure> {
    let value = headers.get(name).and_then(|v| v.to_str().ok()?.parse().ok());
    value.ok_or_else(|| Failure::invalid("DLG0005", format!("the header {name} is missing or no number")))
}

async fn send(State(api): State<Api>, worker: Worker, headers: HeaderMap, body: Bytes) -> Answer<Mail> {
    let Worker { delegate, token } = worker;
    let mailbox = api.mailbox(delegate, &token);
    let taken = mailbox.take_in(number(&headers, "x-windlass-request")?, body).await;
    match taken {
        Ok(true) => Ok(Mail::Taken),
        Ok(false) => {
            api.drop_mailbox(delegate, &token);
            Ok(Mail::Gone)
        }
        Err(error) => Err(Failure::invalid("DLG0006", error.to_string()).into()),
    }
}

async fn poll(State(api): State<Api>, worker: Worker, headers: HeaderMap) -> Answer<Mail> {
    let Worker { delegate, token } = worker;
    let received = number(&headers, "x-windlass-received")?;
    let mailbox = api.mailbox(delegate, &token);
    Ok(match mailbox.answer(received, api.app.clock()).await {
        Some((number, frames)) => Mail::Frames(number, frames),
        None => {
            api.drop_mailbox(delegate, &token);
            Mail::Gone
        }
    })
}
