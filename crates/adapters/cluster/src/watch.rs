//! Following changes of objects.

use crate::call::{Call, refusal};
use crate::client::Cluster;
use crate::error::ClusterError;
use crate::objects::{Address, Query, without_owners};
use crate::{Json, error::Reach};
use bytes::{Buf, BytesMut};
use futures::stream::{self, BoxStream, SelectAll, StreamExt};
use http_body_util::BodyExt;
use kube::client::Body;
use windlass_model::Millis;

/// A change of one object.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Added(Json),
    Modified(Json),
    Deleted(Json),
    /// Nothing changed up to this revision.
    Bookmark(String),
}

/// How long the server keeps a watch.
const SERVER_SECONDS: u64 = 290;
/// A watch that says nothing for longer is dead.
const SILENCE: Millis = Millis::from_secs(SERVER_SECONDS + 40);
/// The longest line.
const LINE: usize = 32 << 20;

/// A stream of changes that ends with the connection.
#[derive(Debug)]
pub struct Watch {
    cluster: Cluster,
    call: Call,
    body: Body,
    buffer: BytesMut,
}

impl Cluster {
    /// Follows the objects of a kind after a revision that [`Cluster::list`] gave.
    ///
    /// # Errors
    /// When the server cannot be asked, or refuses; `is_expired` when the revision is too old.
    pub async fn watch(&self, of: &Address, query: &Query, revision: &str) -> Result<Watch, ClusterError> {
        let call = Call::get(of.collection(), format!("watch {}", of.gvk.kind))
            .query("watch", "1")
            .query("allowWatchBookmarks", "true")
            .query("resourceVersion", revision)
            .query("timeoutSeconds", SERVER_SECONDS.to_string())
            .query("labelSelector", &*query.labels)
            .query("fieldSelector", &*query.fields);
        let body = self.open(&call).await?.into_body();
        Ok(Watch { cluster: self.clone(), call, body, buffer: BytesMut::new() })
    }

    /// Tells when something changes in any of several collections, for as long as it is asked.
    ///
    /// Whoever waits reads again what matters to him: events carry no data, so that a lost one does no harm. Connections
    /// that end are made again by themselves; that counts as a change, since something may have been missed.
    pub fn changes(&self, of: impl IntoIterator<Item = Watched>) -> Changes {
        Changes { streams: of.into_iter().map(|watched| follow(self.clone(), watched)).collect() }
    }
}

impl Watch {
    /// The next change; nothing when the server ended the watch.
    ///
    /// # Errors
    /// When the connection broke or the server sent an error; `is_expired` when it wants a new list.
    pub async fn next(&mut self) -> Result<Option<Event>, ClusterError> {
        loop {
            if let Some(line) = self.line() {
                return self.event(&line).map(Some);
            }
            let frame = match self.cluster.clock().real().timeout(SILENCE, self.body.frame()).await {
                Err(elapsed) => return Err(self.broken(Reach::Timeout, elapsed.into())),
                Ok(None) => return Ok(None),
                Ok(Some(Err(error))) => return Err(self.broken(Reach::Broken, error.into())),
                Ok(Some(Ok(frame))) => frame,
            };
            if let Ok(data) = frame.into_data() {
                self.buffer.extend_from_slice(&data);
            }
            if self.buffer.len() > LINE {
                return Err(self.broken(Reach::Broken, "a line of the watch is too long".into()));
            }
        }
    }

    fn line(&mut self) -> Option<BytesMut> {
        loop {
            let end = self.buffer.iter().position(|byte| *byte == b'\n')?;
            let line = self.buffer.split_to(end);
            self.buffer.advance(1);
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Some(line);
            }
        }
    }

    fn event(&self, line: &[u8]) -> Result<Event, ClusterError> {
        let mut json: Json = serde_json::from_slice(line).map_err(|source| ClusterError::Answer {
            cluster: self.cluster.name_shared(),
            doing: self.call.doing.clone(),
            source: source.into(),
        })?;
        let object = without_owners(json.get_mut("object").map(Json::take).unwrap_or_default());
        match json.get("type").and_then(Json::as_str).unwrap_or_default() {
            "ADDED" => Ok(Event::Added(object)),
            "MODIFIED" => Ok(Event::Modified(object)),
            "DELETED" => Ok(Event::Deleted(object)),
            "BOOKMARK" => {
                let revision = object.pointer("/metadata/resourceVersion").and_then(Json::as_str);
                Ok(Event::Bookmark(revision.unwrap_or_default().to_owned()))
            }
            _ => {
                let status = object.get("code").and_then(Json::as_u64).and_then(|code| u16::try_from(code).ok());
                let body = object.to_string();
                let refusal = refusal(status.unwrap_or(500), &http::HeaderMap::new(), body.as_bytes());
                Err(self.cluster.refused(&self.call, refusal))
            }
        }
    }

    fn broken(&self, reach: Reach, source: Box<dyn std::error::Error + Send + Sync>) -> ClusterError {
        let (cluster, doing) = (self.cluster.name_shared(), self.call.doing.clone());
        ClusterError::Unreachable { cluster, doing, reach, source }
    }
}

/// A collection to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Kind and namespace; the name does not matter.
    pub of: Address,
    pub query: Query,
}

/// See [`Cluster::changes`].
pub struct Changes {
    streams: SelectAll<BoxStream<'static, ()>>,
}

impl Changes {
    /// Waits for a change. Safe to drop and to call again. Without collections it waits for ever.
    pub async fn next(&mut self) {
        if self.streams.next().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

impl std::fmt::Debug for Changes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Changes").field("streams", &self.streams.len()).finish()
    }
}

/// Where following one collection stands.
enum Following {
    /// A list is needed, after a pause that grows.
    Lost {
        failures: u32,
    },
    On(Box<Watch>),
}

fn follow(cluster: Cluster, watched: Watched) -> BoxStream<'static, ()> {
    let begin = (cluster, watched, Following::Lost { failures: 0 });
    let next = |(cluster, watched, mut state): (Cluster, Watched, Following)| async move {
        loop {
            state = match state {
                Following::Lost { failures } => {
                    if failures > 0 {
                        let pause = Millis(1_000_u64 << failures.min(4).saturating_sub(1));
                        cluster.clock().real().sleep(pause).await;
                    }
                    match begin_again(&cluster, &watched).await {
                        Ok(watch) => {
                            return Some(((), (cluster, watched, Following::On(Box::new(watch)))));
                        }
                        Err(error) => {
                            tracing::debug!(cluster = cluster.name(), %error, "changes cannot be followed");
                            Following::Lost { failures: failures.saturating_add(1) }
                        }
                    }
                }
                Following::On(mut watch) => match watch.next().await {
                    Ok(Some(Event::Bookmark(_))) => Following::On(watch),
                    Ok(Some(_)) => return Some(((), (cluster, watched, Following::On(watch)))),
                    Ok(None) => Following::Lost { failures: 0 },
                    Err(error) => Following::Lost { failures: u32::from(!error.is_expired()) },
                },
            };
        }
    };
    stream::unfold(begin, next).boxed()
}

/// A list of at most one object tells the revision from which to follow.
async fn begin_again(cluster: &Cluster, watched: &Watched) -> Result<Watch, ClusterError> {
    let call = Call::get(watched.of.collection(), format!("list {}", watched.of.gvk.kind)).query("limit", "1");
    let list = cluster.json(&call).await?;
    let revision = list.pointer("/metadata/resourceVersion").and_then(Json::as_str).unwrap_or("0");
    cluster.watch(&watched.of, &watched.query, revision).await
}
