//! The HTTP API, one file for each noun: parse, call one operation, convert (architecture §8).
//!
//! Every route says what opens it ([`Door`]); the check itself is made with the thing at hand, by the operations' own proof.

mod answer;
mod api_keys;
mod apply;
mod approvals;
mod audit;
mod caller;
mod connectors;
mod delegate_mail;
mod delegate_service;
mod delegates;
mod documents;
mod headers;
mod health;
mod interrupts;
mod login;
mod logs;
mod openapi;
mod origin;
mod peer;
mod problem;
mod rejection;
mod roles;
mod routes;
mod runs;
mod scope;
mod settings;
mod triggers;
mod unread;
mod users;
mod vendor;
mod webhook;

pub use openapi::Operation;
pub use peer::Front;
pub use routes::{Door, Route};

use axum::Router;
use routes::Routes;
use std::sync::Arc;
use std::time::Duration;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;
use windlass_app::App;

/// No request may be larger, in bytes. A document of 3 MiB fits, whatever it takes to write it as a text of JSON.
const LARGEST: usize = 16 * 1024 * 1024;

/// A client that has begun its request and says nothing for so long has ended it.
const SILENCE: Duration = Duration::from_secs(30);

/// What every handler gets.
#[derive(Clone, Debug)]
pub struct Api {
    app: App,
    /// Workers that poll, by their id.
    mailboxes: Arc<delegate_service::Mailboxes>,
    front: Arc<Front>,
}

fn all() -> Routes {
    let v1 = Routes::new()
        .merge(openapi::routes())
        .merge(login::routes())
        .merge(apply::routes())
        .merge(delegates::routes())
        .merge(runs::routes())
        .merge(logs::routes())
        .merge(interrupts::routes())
        .merge(approvals::routes())
        .merge(triggers::routes())
        .merge(connectors::routes())
        .merge(users::routes())
        .merge(api_keys::routes())
        .merge(roles::routes())
        .merge(settings::routes())
        .merge(audit::routes())
        .merge(documents::routes());
    Routes::new()
        .merge(health::routes())
        .merge(webhook::routes())
        .merge(approvals::vendor())
        .merge(interrupts::vendor())
        .nest("/delegate-service", delegate_service::routes())
        .nest("/api/v1", v1)
}

/// What the server serves, each with what opens it.
pub fn routes() -> Vec<Route> {
    all().into_parts().1
}

/// The routes of the server.
pub fn router(app: App, front: Front) -> Router {
    let api = Api { app, mailboxes: Arc::default(), front: Arc::new(front) };
    let (router, _) = all().into_parts();
    router
        .fallback(problem::no_such_route)
        .layer(RequestBodyLimitLayer::new(LARGEST))
        .layer(RequestBodyTimeoutLayer::new(SILENCE))
        .layer(axum::middleware::map_response(rejection::as_problem))
        .layer(axum::middleware::from_fn(origin::within))
        .layer(axum::middleware::from_fn_with_state(api.clone(), peer::known))
        .layer(axum::middleware::from_fn_with_state(api.clone(), unread::discarded))
        .with_state(api)
}
