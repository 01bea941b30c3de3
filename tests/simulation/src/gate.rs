//! The way from a worker to an API server: some calls get lost, and every change is looked at.

use crate::documents::NAMESPACE;
use crate::history::History;
use crate::ledger::{Ledger, WHO, Who};
use axum::Router;
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{Method, Request, Response};
use http_body_util::BodyExt as _;
use kube::client::Body;
use sha2::{Digest, Sha256};
use std::convert::Infallible;
use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tower::Service;
use windlass_clock::Clock;
use windlass_kube_sim::KubeSim;
use windlass_kube_sim::kind::GroupResource;
use windlass_test_dice::Dice;

/// Whether a cluster can be reached.
#[derive(Clone, Debug, Default)]
pub struct Way(Arc<AtomicBool>);

impl Way {
    pub fn close(&self, closed: bool) {
        self.0.store(closed, Relaxed);
    }

    fn is_closed(&self) -> bool {
        self.0.load(Relaxed)
    }
}

#[derive(Clone, Debug)]
pub struct Gate {
    pub cluster: &'static str,
    pub sim: KubeSim,
    pub inner: Router,
    pub ledger: Ledger,
    pub way: Way,
    pub history: History,
    pub clock: Clock,
    pub dice: Arc<Mutex<Dice>>,
}

impl Service<Request<Body>> for Gate {
    type Response = Response<axum::body::Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Service::<Request<Body>>::poll_ready(&mut self.inner, cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let gate = self.clone();
        Box::pin(async move {
            // Polled where the answer is waited for: there it is known who asks.
            let who = WHO.try_with(Arc::clone).ok();
            let answer = if is_write(&request) {
                // It is on its way, whatever becomes of whoever sent it.
                tokio::spawn(gate.write(who, request)).await.unwrap()
            } else {
                gate.read(who, request).await
            };
            match answer {
                Some(answer) => Ok(answer),
                None => pending().await,
            }
        })
    }
}

impl Gate {
    /// Whether a call or its answer gets through. Of a cluster that is away some calls are not heard, and of others the answers are
    /// lost; nothing leaves the dead.
    fn passes(&self, who: Option<&Arc<Who>>) -> bool {
        let is_lost = || self.way.is_closed() && self.dice.lock().unwrap().percent(70);
        who.is_none_or(|who| !who.vitals.is_dead()) && !is_lost()
    }

    /// `None`: there is no answer.
    async fn read(mut self, who: Option<Arc<Who>>, request: Request<Body>) -> Option<Response<axum::body::Body>> {
        if !self.passes(who.as_ref()) {
            return None;
        }
        let Ok(answer) = self.inner.call(request).await;
        self.passes(who.as_ref()).then_some(answer)
    }

    /// `None`: there is no answer, and whether something was changed nobody hears.
    async fn write(mut self, who: Option<Arc<Who>>, request: Request<Body>) -> Option<Response<axum::body::Body>> {
        if !self.passes(who.as_ref()) {
            return None;
        }
        let (parts, body) = request.into_parts();
        let body: Bytes = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        let (method, path) = (parts.method.clone(), parts.uri.path().to_owned());
        let target = Target::of(&method, &path, &body);
        let before = self.version(target.as_ref());
        let Ok(answer) = self.inner.call(Request::from_parts(parts, Body::from(body.clone()))).await;
        let status = answer.status().as_u16();
        let is_change = (200..300).contains(&status) && self.version(target.as_ref()) != before;
        let whose = who.as_ref().map_or_else(|| "nobody".to_owned(), ToString::to_string);
        let digest = Sha256::digest(&body);
        self.history.note(format_args!(
            "{} {method} {path} {status}{} {:02x}{:02x}{:02x}{:02x} {whose}",
            self.cluster,
            if is_change { " changed" } else { "" },
            digest[0],
            digest[1],
            digest[2],
            digest[3]
        ));
        match &who {
            None => self.history.wrong(format_args!("{}: {method} {path} by nobody", self.cluster)),
            Some(who) if is_change && !target.is_some_and(|target| target.is_lock()) => {
                let mut hash = Sha256::new();
                hash.update(method.as_str());
                hash.update(&path);
                hash.update(digest);
                let hash = hash.finalize();
                let mut change = [0; 16];
                change.copy_from_slice(&hash[..16]);
                self.ledger.enter(who, change, self.clock.now(), &self.history);
                let (holder, right) = (self.holder(who), format!("{}/{}/{}", who.run, who.task, who.attempt));
                if holder != right {
                    self.history.wrong(format_args!("{who} changed {path} under the lock of `{holder}`"));
                }
            }
            Some(_) => {}
        }
        self.passes(who.as_ref()).then_some(answer)
    }

    /// Who holds the lock of a release.
    fn holder(&self, who: &Who) -> String {
        let leases = GroupResource::named("coordination.k8s.io", "leases");
        let release = who.place.rsplit('/').next().unwrap_or_default();
        let lock = self.sim.cluster().get(&leases, NAMESPACE, &format!("windlass.lock.{release}"));
        lock.and_then(|lock| lock["spec"]["holderIdentity"].as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// What changes when somebody changes the object: the generation where it has one, which controllers leave alone.
    fn version(&self, target: Option<&Target>) -> Option<String> {
        let Target { kind, namespace, name } = target?;
        let object = self.sim.cluster().get(kind, namespace, name)?;
        let metadata = &object["metadata"];
        let deleted = metadata["deletionTimestamp"].as_str().unwrap_or_default();
        let version = match &metadata["generation"] {
            serde_json::Value::Null => metadata["resourceVersion"].to_string(),
            // Labels and annotations are changed without a new generation.
            generation => format!("{generation} {} {}", metadata["labels"], metadata["annotations"]),
        };
        Some(format!("{} {version} {deleted}", metadata["uid"]))
    }
}

fn is_write(request: &Request<Body>) -> bool {
    request.method() != Method::GET && !request.uri().query().unwrap_or_default().contains("dryRun")
}

/// The object that a write is about.
struct Target {
    kind: GroupResource,
    namespace: String,
    name: String,
}

impl Target {
    fn of(method: &Method, path: &str, body: &[u8]) -> Option<Self> {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (group, rest) = match parts.as_slice() {
            ["api", _version, rest @ ..] => ("", rest),
            ["apis", group, _version, rest @ ..] => (*group, rest),
            _ => return None,
        };
        let (namespace, rest) = match rest {
            ["namespaces", namespace, resource, rest @ ..] => (*namespace, [&[*resource], rest].concat()),
            rest => ("", rest.to_vec()),
        };
        let resource = *rest.first()?;
        let name = match rest.get(1) {
            Some(name) => (*name).to_owned(),
            None if *method == Method::POST => {
                let object: serde_json::Value = serde_json::from_slice(body).ok()?;
                object["metadata"]["name"].as_str()?.to_owned()
            }
            None => return None,
        };
        Some(Self { kind: GroupResource::named(group, resource), namespace: namespace.to_owned(), name })
    }

    fn is_lock(&self) -> bool {
        self.kind.resource == "leases"
    }
}
