//! The worker's side: register, connect, and come back when the connection is lost.

mod connect;
mod poll;
mod register;

pub use connect::{ConnectError, Transport, connect};
pub use register::{RegisterError, register};

use crate::identity::WorkerIdentity;
use std::sync::Arc;
use windlass_clock::Clock;

/// How to reach the server. The HTTP client carries proxies, authorities and time limits.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// `https://windlass.example.com`, without a path.
    pub server: String,
    pub http: reqwest::Client,
    pub identity: Arc<WorkerIdentity>,
    pub clock: Clock,
}

impl Endpoint {
    fn url(&self, path: &str) -> String {
        format!("{}/delegate-service/{path}", self.server.trim_end_matches('/'))
    }

    /// The headers that show who is calling.
    fn signed(&self, request: reqwest::RequestBuilder, token: &str) -> reqwest::RequestBuilder {
        request.bearer_auth(token).header("x-windlass-proof", self.identity.prove(token, self.clock.real().now()))
    }
}
