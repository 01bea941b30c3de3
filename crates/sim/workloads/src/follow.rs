//! Following the pods of an API server, real or simulated, over plain HTTP.

use crate::api::SharedFleet;
use crate::fleet::text;
use futures::StreamExt;
use serde_json::Value;
use std::fmt;
use std::sync::PoisonError;
use windlass_clock::Clock;
use windlass_model::Millis;

/// The longest line of a watch, and the largest page of a list, bytes.
const LIMIT: usize = 32 << 20;
/// How long to wait after a failure before the next list.
const PAUSE: Millis = Millis::from_secs(1);

/// An API server whose pods are read.
#[derive(Clone)]
pub struct ApiServer {
    /// `https://host:6443`, without a slash at the end.
    pub url: String,
    pub token: Option<String>,
    /// Becomes the label `cluster` when it is not empty.
    pub cluster: String,
    /// Trust, proxies and time limits are the owner's choice.
    pub client: reqwest::Client,
}

impl fmt::Debug for ApiServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiServer").field("url", &self.url).field("cluster", &self.cluster).finish_non_exhaustive()
    }
}

/// Why following stopped; it begins again with a new list.
#[derive(Debug, thiserror::Error)]
enum FollowError {
    #[error("cannot reach the API server")]
    Reach(#[source] reqwest::Error),
    #[error("the API server answered {0}")]
    Status(u16),
    #[error("the answer is not JSON")]
    Json(#[source] serde_json::Error),
    #[error("the answer is larger than {LIMIT} bytes")]
    TooLarge,
    #[error("the watch ended: {0}")]
    Watch(String),
}

impl ApiServer {
    /// Keeps a fleet up to date until the future is dropped. Failures are logged and tried again.
    pub async fn follow(&self, fleet: SharedFleet, clock: Clock) {
        loop {
            let result = async {
                let revision = self.list(&fleet, &clock).await?;
                self.watch(&fleet, &clock, revision).await
            };
            if let Err(error) = result.await {
                tracing::debug!(server = %self.url, error = &error as &dyn std::error::Error, "reading the pods again");
            }
            clock.real().sleep(PAUSE).await;
        }
    }

    /// All pods, page by page; the revision from which to watch.
    async fn list(&self, fleet: &SharedFleet, clock: &Clock) -> Result<String, FollowError> {
        let (mut uids, mut next) = (Vec::new(), String::new());
        loop {
            let mut query = vec![("limit", "500")];
            if !next.is_empty() {
                query.push(("continue", &next));
            }
            let page: Value = self.get(&query).await?;
            let now = clock.now();
            let mut fleet = fleet.write().unwrap_or_else(PoisonError::into_inner);
            for pod in crate::fleet::list(&page, "/items") {
                fleet.observe(&self.cluster, pod, now);
                uids.push(text(pod, "/metadata/uid").to_owned());
            }
            next = text(&page, "/metadata/continue").to_owned();
            if next.is_empty() {
                let uids: Vec<&str> = uids.iter().map(String::as_str).collect();
                fleet.only(&self.cluster, &uids, now);
                return Ok(text(&page, "/metadata/resourceVersion").to_owned());
            }
        }
    }

    async fn get(&self, query: &[(&str, &str)]) -> Result<Value, FollowError> {
        let mut body = Vec::new();
        let mut stream = self.send(query).await?.bytes_stream();
        while let Some(chunk) = stream.next().await {
            body.extend_from_slice(&chunk.map_err(FollowError::Reach)?);
            if body.len() > LIMIT {
                return Err(FollowError::TooLarge);
            }
        }
        serde_json::from_slice(&body).map_err(FollowError::Json)
    }

    async fn send(&self, query: &[(&str, &str)]) -> Result<reqwest::Response, FollowError> {
        let query: Vec<String> = query.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
        let mut request = self.client.get(format!("{}/api/v1/pods?{}", self.url, query.join("&")));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        let response = request.send().await.map_err(FollowError::Reach)?;
        if response.status().is_success() { Ok(response) } else { Err(FollowError::Status(response.status().as_u16())) }
    }

    /// Changes after a revision, until the server ends the watch.
    async fn watch(&self, fleet: &SharedFleet, clock: &Clock, revision: String) -> Result<(), FollowError> {
        let query = [("watch", "1"), ("resourceVersion", &revision), ("allowWatchBookmarks", "true")];
        let mut stream = self.send(&query).await?.bytes_stream();
        let mut buffer = Vec::new();
        while let Some(chunk) = stream.next().await {
            buffer.extend_from_slice(&chunk.map_err(FollowError::Reach)?);
            let mut lines = buffer.split_inclusive(|byte| *byte == b'\n');
            let mut read = 0;
            for line in lines.by_ref().filter(|line| line.ends_with(b"\n")) {
                read += line.len();
                self.take(fleet, clock, &serde_json::from_slice(line).map_err(FollowError::Json)?)?;
            }
            buffer.drain(..read);
            if buffer.len() > LIMIT {
                return Err(FollowError::TooLarge);
            }
        }
        Ok(())
    }

    fn take(&self, fleet: &SharedFleet, clock: &Clock, event: &Value) -> Result<(), FollowError> {
        let pod = event.get("object").unwrap_or(&Value::Null);
        let mut fleet = fleet.write().unwrap_or_else(PoisonError::into_inner);
        match text(event, "/type") {
            "ADDED" | "MODIFIED" => fleet.observe(&self.cluster, pod, clock.now()),
            "DELETED" => fleet.gone(&self.cluster, text(pod, "/metadata/uid"), clock.now()),
            "ERROR" => return Err(FollowError::Watch(text(pod, "/message").to_owned())),
            _ => {}
        }
        Ok(())
    }
}

/// Everything but letters, digits and a few signs in percent signs.
fn encode(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    text.bytes().map(|b| if plain(&b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}
