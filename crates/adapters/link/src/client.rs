//! The worker's side: register, connect, and come back when the connection is lost.

mod connect;
mod poll;
mod register;

pub use connect::{ConnectError, Transport, connect};
pub use register::{RegisterError, register};

use crate::identity::WorkerIdentity;
use std::sync::Arc;
use windlass_clock::Clock;
use windlass_model::Millis;

/// How long a server may take to answer a short request. One of several behind an address may accept connections and be dead all
/// the same: the next try meets another one, and a worker has to find it before its tasks are given away.
const ANSWER: Millis = Millis::from_secs(6);

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    #[error(transparent)]
    Broken(reqwest::Error),
    #[error("no answer within {within}")]
    Silent { within: Millis },
}

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

    /// The answer to a request, if it comes in time.
    async fn answer(&self, request: reqwest::RequestBuilder, within: Millis) -> Result<reqwest::Response, NoAnswer> {
        match self.clock.real().timeout(within, request.send()).await {
            Ok(answer) => answer.map_err(NoAnswer::Broken),
            Err(_) => Err(NoAnswer::Silent { within }),
        }
    }

    /// The headers that show who is calling.
    fn signed(&self, request: reqwest::RequestBuilder, token: &str) -> reqwest::RequestBuilder {
        request.bearer_auth(token).header("x-windlass-proof", self.identity.prove(token, self.clock.real().now()))
    }
}
