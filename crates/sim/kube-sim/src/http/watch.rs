//! Following changes over HTTP: a stream of events, one JSON document a line.

use super::handle::Call;
use super::negotiate::View;
use super::read::{self, partial};
use super::{collection, reply, table};
use crate::error::ApiError;
use crate::faults::{Request as FaultRequest, WatchEffect};
use crate::kind::{DAEMON_SETS, DEPLOYMENTS, GroupResource, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS};
use crate::object::Object;
use crate::ops::prepare::{empty, shown};
use crate::ops::read::ListQuery;
use crate::registry::Resource;
use crate::selectors::{FieldSelector, LabelSelector};
use crate::store::{Action, Change};
use crate::strategy::TEMPLATE_GENERATION;
use crate::watch::Subscription;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::future::{Either, select};
use serde_json::Value;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use windlass_model::{Millis, Timestamp};

/// Bookmarks come about once a minute, as from the real server.
const BOOKMARK_EVERY: Millis = Millis(60_000);
/// Without a word from the client a watch lives half an hour.
const DEFAULT_LIFE: u64 = 1_800;

const INITIAL_EVENTS_END: &str = "/metadata/annotations/k8s.io~1initial-events-end";

pub(super) fn serve(call: Call) -> Result<Response, ApiError> {
    let (labels, fields) = collection::selectors(&call)?;
    let query = &call.query;
    let bookmarks = query.flag("allowWatchBookmarks");
    let initial = query.find("sendInitialEvents").map(|_| query.flag("sendInitialEvents"));
    if initial == Some(true) && query.get("resourceVersionMatch") != "NotOlderThan" {
        let mut problems = crate::validate::field::Problems::default();
        problems.forbidden(
            "resourceVersionMatch",
            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        );
        return Err(ApiError::invalid("meta.k8s.io", "ListOptions", "", problems.causes()));
    }
    collection::numbers(query)?;
    let version = query.get("resourceVersion");
    let from: Option<u64> = match version {
        "" | "0" => None,
        text => Some(text.parse().map_err(|_| collection::no_version(text))?),
    };
    let wants_initial = initial.unwrap_or(from.is_none());
    let namespace = read::namespace(&call).to_owned();
    let list = ListQuery {
        namespace: namespace.clone(),
        labels: labels.clone(),
        fields: fields.clone(),
        ..ListQuery::default()
    };

    let mut pending = VecDeque::new();
    let cluster = call.server.cluster.clone();
    let start = if wants_initial {
        let page = cluster.step(|state| state.list(&call.resource, &list))?;
        pending.extend(page.items.into_iter().map(|o| ("ADDED", o)));
        if initial == Some(true) && bookmarks {
            let mut mark = bookmark(&call.resource, page.revision);
            mark.set(INITIAL_EVENTS_END, "true");
            pending.push_back(("BOOKMARK", Arc::new(mark)));
        }
        page.revision
    } else {
        from.unwrap_or_else(|| cluster.revision())
    };

    let kind = GroupResource::named(&call.request.group, &call.request.resource);
    let fault = FaultRequest {
        verb: "watch",
        kind: &kind,
        namespace: &call.request.namespace,
        name: &call.request.name,
        user: &call.user.name,
    };
    let effect = cluster.faults().on_watch(fault, cluster.now());
    let real = cluster.clock().real();
    let seconds = query.get("timeoutSeconds").parse().ok().filter(|s| *s > 0).unwrap_or(DEFAULT_LIFE);
    let life = Millis::from_secs(seconds);
    let ends = real.now() + effect.drop_after.map_or(life, |d| d.min(life));
    let stored = cluster.step(|state| state.stored_resource(&call.resource.stored))?;
    let stream = Stream {
        changes: cluster.subscribe(Some(start)),
        pending,
        filter: Filter { namespace, labels, fields, stored, resource: call.resource.clone() },
        view: call.accepted.view,
        include: table::Include::of(query),
        first_table: true,
        bookmarks,
        next_bookmark: real.now() + BOOKMARK_EVERY,
        ends,
        effect,
        sent: 0,
        over: false,
    };
    let body = futures::stream::unfold(stream, |mut stream| async move {
        let line = stream.next_line().await?;
        Some((Ok::<_, Infallible>(line), stream))
    });
    Ok(reply::build(200, "application/json", Body::from_stream(body)))
}

/// Nothing but a version, as the server makes an object of its own types: numbers that clients may leave out are zero there.
fn bookmark(resource: &Resource, revision: u64) -> Value {
    let mut object = empty(resource);
    object.set("/metadata/resourceVersion", revision.to_string());
    let scaled = [DEPLOYMENTS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS];
    if scaled.iter().any(|kind| resource.is(kind)) {
        object.set("/spec/replicas", 0);
    }
    let selecting = [DAEMON_SETS, DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS];
    if selecting.iter().any(|kind| resource.is(kind)) {
        object.set("/spec/selector", Value::Null);
    }
    if resource.is(&DAEMON_SETS) {
        object.set(TEMPLATE_GENERATION, "0");
    }
    object
}

/// Which changes concern the watch, and as what.
struct Filter {
    namespace: String,
    labels: LabelSelector,
    fields: FieldSelector,
    stored: Arc<Resource>,
    resource: Arc<Resource>,
}

impl Filter {
    fn event(&self, change: &Change) -> Option<(&'static str, Arc<Value>)> {
        let here = self.namespace.is_empty() || change.key.namespace == self.namespace;
        if change.key.kind != self.resource.stored || !here {
            return None;
        }
        let shown = |object: &Arc<Value>| shown(object, &self.stored, &self.resource);
        let fits = |object: &Arc<Value>| self.labels.matches(object) && self.fields.matches(object);
        let now = shown(&change.object);
        let before = change.before.as_ref().map(shown);
        let was = before.as_ref().is_some_and(fits);
        match (was, change.action != Action::Deleted && fits(&now)) {
            (false, true) => Some(("ADDED", now)),
            (true, true) => Some(("MODIFIED", now)),
            // What leaves is shown as it was last, under the revision of its leaving.
            (true, false) => {
                let mut last = before.unwrap_or_default();
                if change.action == Action::Deleted {
                    last = now;
                } else {
                    Arc::make_mut(&mut last).set("/metadata/resourceVersion", change.revision.to_string());
                }
                Some(("DELETED", last))
            }
            (false, false) => None,
        }
    }
}

struct Stream {
    changes: Subscription,
    pending: VecDeque<(&'static str, Arc<Value>)>,
    filter: Filter,
    view: View,
    include: table::Include,
    /// Column definitions are sent once.
    first_table: bool,
    bookmarks: bool,
    next_bookmark: Timestamp,
    ends: Timestamp,
    effect: WatchEffect,
    sent: u32,
    over: bool,
}

impl Stream {
    /// The next event as a line; nothing when the watch is over.
    async fn next_line(&mut self) -> Option<Bytes> {
        loop {
            if self.over {
                return None;
            }
            let clock = self.changes.cluster().clock().real();
            let dropped = self.effect.drop_after_events.is_some_and(|n| self.sent >= n);
            if dropped || self.effect.drop_after.is_some() && clock.now() >= self.ends {
                self.over = true;
                if !self.effect.expired {
                    return None;
                }
                let error = ApiError::expired("a fault of the plan: the watch expired");
                return Some(line("ERROR", &error.to_status()));
            }
            if let Some((action, object)) = self.pending.pop_front() {
                self.sent += 1;
                return Some(self.show(action, &object));
            }
            match self.changes.ready() {
                Ok(changes) => self.pending.extend(changes.iter().filter_map(|c| self.filter.event(c))),
                Err(error) => {
                    self.over = true;
                    return Some(line("ERROR", &error.to_status()));
                }
            }
            if !self.pending.is_empty() {
                continue;
            }
            let now = clock.now();
            if now >= self.ends {
                self.over = true;
                return None;
            }
            if self.bookmarks && now >= self.next_bookmark {
                self.next_bookmark = now + BOOKMARK_EVERY;
                let mark = bookmark(&self.filter.resource, self.changes.cursor());
                return Some(self.show("BOOKMARK", &mark));
            }
            let until = if self.bookmarks { self.ends.min(self.next_bookmark) } else { self.ends };
            let changed = pin!(self.changes.wait());
            let alarm = pin!(clock.sleep_until(until));
            match select(changed, alarm).await {
                Either::Left(_) | Either::Right(_) => {}
            }
        }
    }

    fn show(&mut self, action: &str, object: &Value) -> Bytes {
        match self.view {
            View::Whole => line(action, object),
            View::Partial => line(action, &partial(object)),
            View::Table => {
                let now = self.changes.cluster().now();
                let objects = if action == "BOOKMARK" { &[][..] } else { &[object] };
                let mut table = table::table(&self.filter.resource, objects, self.include, now);
                table.set("/metadata/resourceVersion", object.text("/metadata/resourceVersion"));
                if !self.first_table {
                    table.set("/columnDefinitions", Value::Null);
                }
                self.first_table = false;
                line(action, &table)
            }
        }
    }
}

fn line(action: &str, object: &Value) -> Bytes {
    let mut text = b"{\"object\":".to_vec();
    // A value with texts for keys can always be written.
    let _ = serde_json::to_writer(&mut text, object);
    text.extend_from_slice(format!(",\"type\":{action:?}}}\n").as_bytes());
    Bytes::from(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;

    #[test]
    fn bookmarks_are_empty_objects_of_the_server() {
        let spec = |kind: &GroupResource| {
            let resource = Registry::default().stored(kind).unwrap();
            let mark = bookmark(&resource, 7);
            let generation = mark.text(TEMPLATE_GENERATION).to_owned();
            (mark.at("/spec/replicas").cloned(), mark.at("/spec/selector").cloned(), generation)
        };
        let null = Some(Value::Null);
        assert_eq!(spec(&REPLICA_SETS), (Some(0.into()), null.clone(), String::new()));
        assert_eq!(spec(&DAEMON_SETS), (None, null, "0".to_owned()));
        assert_eq!(spec(&REPLICATION_CONTROLLERS), (Some(0.into()), None, String::new()));
    }
}
