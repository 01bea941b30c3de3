//! The HTTP API, one file for each noun: parse, call one operation, convert (architecture §8).

mod access;
mod api_keys;
mod apply;
mod approvals;
mod caller;
mod delegate_service;
mod delegates;
mod documents;
mod health;
mod interrupts;
mod login;
mod logs;
mod problem;
mod runs;
mod scope;
mod triggers;
mod users;
mod vendor;
mod webhook;

use axum::Router;
use std::sync::Arc;
use windlass_app::App;

/// What every handler gets.
#[derive(Clone, Debug)]
pub struct Api {
    app: App,
    /// Workers that poll, by their id.
    mailboxes: Arc<delegate_service::Mailboxes>,
}

/// The routes of the server.
pub fn router(app: App) -> Router {
    let api = Api { app, mailboxes: Arc::default() };
    Router::new()
        .merge(health::routes())
        .merge(webhook::routes())
        .merge(approvals::vendor())
        .merge(interrupts::vendor())
        .nest("/delegate-service", delegate_service::routes())
        .nest(
            "/api/v1",
            Router::new()
                .merge(login::routes())
                .merge(apply::routes())
                .merge(delegates::routes())
                .merge(runs::routes())
                .merge(logs::routes())
                .merge(interrupts::routes())
                .merge(approvals::routes())
                .merge(triggers::routes())
                .merge(users::routes())
                .merge(api_keys::routes())
                .merge(documents::routes()),
        )
        .fallback(problem::no_such_route)
        .layer(tower_http::limit::RequestBodyLimitLayer::new(16 * 1024 * 1024))
        .with_state(api)
}
