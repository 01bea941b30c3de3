//! A connection to one API server.

use crate::Json;
use crate::call::{Call, refusal};
use crate::discovery::Discovery;
use crate::error::{ClusterError, Reach, Refusal};
use crate::guard::Fence;
use crate::retry::{Policy, is_passing};
use crate::skew::Skew;
use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use kube::client::Body;
use std::error::Error;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use tokio::sync::RwLock;
use tower::{BoxError, Service, ServiceExt};
use windlass_clock::Clock;
use windlass_model::{Millis, Timestamp};

/// How long one call may take; watches last longer.
const CALL_LIMIT: Millis = Millis::from_secs(30);
/// The longest answer that is read.
const ANSWER_LIMIT: usize = 256 << 20;

/// One API server. Cheap to clone; clones share the connection and what discovery found.
#[derive(Clone)]
pub struct Cluster {
    inner: Arc<Inner>,
    fence: Option<Fence>,
}

struct Inner {
    /// For messages: the connector's reference.
    name: Arc<str>,
    client: kube::Client,
    clock: Clock,
    skew: Skew,
    policy: Policy,
    discovery: RwLock<Option<Arc<Discovery>>>,
}

impl Cluster {
    pub(crate) fn over(name: &str, client: kube::Client, clock: Clock) -> Self {
        let inner = Inner {
            name: name.into(),
            client,
            clock,
            skew: Skew::default(),
            policy: Policy::default(),
            discovery: RwLock::new(None),
        };
        Self { inner: Arc::new(inner), fence: None }
    }

    /// A server behind any tower service, for example one in this process. Calls bear the token.
    ///
    /// Must be called within a tokio runtime.
    pub fn over_service<S, B>(name: &str, service: S, token: Option<&str>, clock: Clock) -> Self
    where
        S: Service<Request<Body>, Response = Response<B>> + Send + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let bearer = token.and_then(|token| http::HeaderValue::from_str(&format!("Bearer {token}")).ok());
        let service = service.map_request(move |mut request: Request<Body>| {
            if let Some(bearer) = &bearer {
                request.headers_mut().insert(header::AUTHORIZATION, bearer.clone());
            }
            request
        });
        Self::over(name, kube::Client::new(service, "default"), clock)
    }

    /// The same connection, whose writes stop when the fence is closed.
    #[must_use]
    pub fn fenced(&self, fence: Fence) -> Self {
        Self { inner: Arc::clone(&self.inner), fence: Some(fence) }
    }

    /// The name it has in messages.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    pub fn clock(&self) -> &Clock {
        &self.inner.clock
    }

    /// What time it is in the cluster, by what its server last answered: to be compared with times of its objects.
    pub fn now(&self) -> Timestamp {
        self.inner.skew.correct(self.inner.clock.now())
    }

    pub(crate) fn name_shared(&self) -> Arc<str> {
        Arc::clone(&self.inner.name)
    }

    pub(crate) fn discovery_cell(&self) -> &RwLock<Option<Arc<Discovery>>> {
        &self.inner.discovery
    }

    /// Makes a call, again where that can help, and reads the answer as JSON.
    pub(crate) async fn json(&self, call: &Call) -> Result<Json, ClusterError> {
        let bytes = self.bytes(call).await?;
        serde_json::from_slice(&bytes).map_err(|source| ClusterError::Answer {
            cluster: self.name_shared(),
            doing: call.doing.clone(),
            source: source.into(),
        })
    }

    /// Makes a call, again where that can help.
    pub(crate) async fn bytes(&self, call: &Call) -> Result<Bytes, ClusterError> {
        let mut tried = 0;
        loop {
            tried += 1;
            let error = match self.once(call).await {
                Ok(bytes) => return Ok(bytes),
                Err(error) => error,
            };
            let again = match &error {
                ClusterError::Refused { refusal, .. } => {
                    // A refused POST has done nothing.
                    is_passing(refusal.status, &refusal.message) && (call.is_repeatable() || refusal.status == 429)
                }
                ClusterError::Unreachable { reach, .. } => call.is_repeatable() && *reach != Reach::Tls,
                _ => false,
            };
            let wish = error.refusal().and_then(|refusal| refusal.retry_after);
            let wait = self.inner.policy.wait(tried, wish, self.jitter(call, tried));
            match wait.filter(|_| again) {
                Some(wait) => {
                    tracing::debug!(cluster = %self.name(), %error, tried, %wait, "call is repeated");
                    self.inner.clock.real().sleep(wait).await;
                }
                None => return Err(error),
            }
        }
    }

    /// A share from 0 to 1 that differs from caller to caller, and is the same for the same moment of simulated time.
    fn jitter(&self, call: &Call, tried: u32) -> f64 {
        let mut hasher = DefaultHasher::new();
        (&call.doing, tried, self.inner.clock.monotonic()).hash(&mut hasher);
        f64::from(u16::try_from(hasher.finish() & 0xffff).unwrap_or(0)) / f64::from(u16::MAX)
    }

    async fn once(&self, call: &Call) -> Result<Bytes, ClusterError> {
        let answer = async {
            let response = self.open(call).await?;
            self.read(call, response).await
        };
        match self.inner.clock.real().timeout(CALL_LIMIT, answer).await {
            Ok(answer) => answer,
            Err(elapsed) => Err(self.unreachable(call, Reach::Timeout, elapsed.into())),
        }
    }

    async fn read(&self, call: &Call, response: Response<Body>) -> Result<Bytes, ClusterError> {
        let body = Limited::new(response.into_body(), ANSWER_LIMIT).collect().await;
        body.map(http_body_util::Collected::to_bytes).map_err(|source| self.unreachable(call, Reach::Broken, source))
    }

    /// Sends a call and answers as soon as the server says that it will serve it.
    pub(crate) async fn open(&self, call: &Call) -> Result<Response<Body>, ClusterError> {
        let _passage = match &self.fence {
            Some(fence) if call.changes() => Some(fence.pass().await.map_err(|source| ClusterError::Fenced {
                cluster: self.name_shared(),
                doing: call.doing.clone(),
                source,
            })?),
            _ => None,
        };
        let request = call.request().map_err(|source| ClusterError::Answer {
            cluster: self.name_shared(),
            doing: call.doing.clone(),
            source: source.into(),
        })?;
        let sent = self.inner.clock.now();
        let response = self.inner.client.send(request).await.map_err(|source| {
            let reach = Reach::of(&source);
            self.unreachable(call, reach, source.into())
        })?;
        self.inner.skew.learn(response.headers(), sent, self.inner.clock.now());
        let status = response.status();
        if status.is_success() || status == StatusCode::SWITCHING_PROTOCOLS {
            return Ok(response);
        }
        let headers = response.headers().clone();
        let body = self.read(call, response).await?;
        Err(self.refused(call, refusal(status.as_u16(), &headers, &body)))
    }

    pub(crate) fn refused(&self, call: &Call, refusal: Refusal) -> ClusterError {
        ClusterError::Refused { cluster: self.name_shared(), doing: call.doing.clone(), refusal: Box::new(refusal) }
    }

    fn unreachable(&self, call: &Call, reach: Reach, source: Box<dyn Error + Send + Sync>) -> ClusterError {
        ClusterError::Unreachable { cluster: self.name_shared(), doing: call.doing.clone(), reach, source }
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("name", &self.inner.name).finish_non_exhaustive()
    }
}
