//! A server in memory with one of everything, and somebody of every role.

use crate::table::{At, Row};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use http::{Request, StatusCode};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::task::JoinSet;
use tower::ServiceExt as _;
use windlass_access::builtin_roles;
use windlass_app::{App, Parts};
use windlass_clock::Clock;
use windlass_document::{Kind, Levels};
use windlass_link::Registration;
use windlass_store::Store;

const DOCUMENTS: &str = "\
organization: {identifier: default, name: Default}
---
project: {identifier: platform, name: Platform, orgIdentifier: default}
---
pipeline:
  identifier: hello
  name: hello
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: greet
        type: Custom
        spec: {execution: {steps: [{step: {identifier: first, type: Wait, spec: {duration: 1h}}}]}}
---
trigger:
  identifier: on_build
  name: on build
  orgIdentifier: default
  projectIdentifier: platform
  pipelineIdentifier: hello
  source: {type: Webhook, spec: {type: Custom, spec: {payloadConditions: [{key: never, operator: Equals, value: x}]}}}
---
service: {identifier: payment, name: payment, orgIdentifier: default, projectIdentifier: platform, serviceDefinition: {type: Kubernetes, spec: {}}}
---
connector: {identifier: git, name: git, orgIdentifier: default, projectIdentifier: platform, type: Git, spec: {url: \"https://git.test/deploy.git\", connectionType: Repo, type: Http, spec: {username: bot, passwordRef: token}}}
";

/// Somebody who calls.
pub(crate) struct Caller {
    pub(crate) name: String,
    pub(crate) token: Option<String>,
    pub(crate) role: Option<&'static str>,
}

impl Caller {
    /// Whether the role was given at this place or around it.
    pub(crate) fn reaches(&self, at: &At) -> bool {
        *at == At::Project || self.role.is_some_and(|role| role.starts_with("_account"))
    }
}

pub(crate) struct House {
    router: Router,
    admin: String,
    run: String,
    event: String,
    hook: String,
    callers: Vec<Caller>,
    count: AtomicU32,
    _performers: JoinSet<()>,
}

impl House {
    pub(crate) async fn new() -> Self {
        let clock = Clock::system();
        let parts = Parts::unreachable(Store::in_memory(clock).unwrap(), clock, "test").unwrap();
        let app = App::new(Parts { public_url: "http://windlass.test".to_owned(), ..parts });
        let code = app.first_start().await.unwrap().unwrap();
        let performers = app.perform();
        let mut house = Self {
            router: windlass_api::router(app, windlass_api::Front::default()),
            admin: String::new(),
            run: String::new(),
            event: String::new(),
            hook: String::new(),
            callers: vec![Caller { name: "nobody".into(), token: None, role: None }],
            count: AtomicU32::new(0),
            _performers: performers,
        };
        house.admin = house.post("/api/v1/login", json!({ "code": code })).await["token"].as_str().unwrap().to_owned();
        house.apply(DOCUMENTS, "", "").await;
        let scope = "org=default&project=platform";
        let started = house.post(&format!("/api/v1/pipelines/hello/runs?{scope}"), json!({})).await;
        house.run = started["run"].as_str().unwrap().to_owned();
        let (_, url) =
            house.send("GET", &format!("/api/v1/triggers/on_build/url?{scope}"), "", Some(&house.admin)).await;
        let url: Value = serde_json::from_str(&url).unwrap();
        let path = url["url"].as_str().unwrap().strip_prefix("http://windlass.test").unwrap();
        house.hook = path.trim_start_matches("/webhook/").to_owned();
        let (_, sent) = house.send("POST", path, "{}", Some(&house.admin)).await;
        let sent: Value = serde_json::from_str(&sent).unwrap();
        house.event = sent["data"]["eventCorrelationId"].as_str().unwrap_or_else(|| panic!("{sent}")).to_owned();
        house.person("stranger", None).await;
        for role in builtin_roles().keys() {
            house.person(role.as_str().trim_start_matches('_'), Some(role.as_str())).await;
        }
        house
    }

    /// A person with a key, and with a role at the level of its name.
    async fn person(&mut self, id: &str, role: Option<&'static str>) {
        self.post("/api/v1/users", json!({ "id": id, "email": format!("{id}@example.com") })).await;
        if let Some(role) = role {
            let (org, project, group) = match role {
                role if role.starts_with("_account") => ("", "", "_all_resources_including_child_scopes"),
                role if role.starts_with("_organization") => ("default", "", "_all_resources_including_child_scopes"),
                _ => ("default", "platform", "_all_project_level_resources"),
            };
            let text = format!(
                "roleAssignment: {{identifier: {id}, name: {id}, roleIdentifier: {role}, resourceGroupIdentifier: {group}, \
                 principal: {{type: USER, identifier: {id}}}}}"
            );
            self.apply(&text, org, project).await;
        }
        let key = self.post("/api/v1/api-keys", json!({ "name": "test", "user": id })).await;
        let token = Some(key["token"].as_str().unwrap().to_owned());
        self.callers.push(Caller { name: role.unwrap_or(id).to_owned(), token, role });
    }

    async fn apply(&self, text: &str, org: &str, project: &str) {
        self.post("/api/v1/apply", json!({ "text": text, "org": org, "project": project })).await;
    }

    pub(crate) fn callers(&self) -> &[Caller] {
        &self.callers
    }

    /// As the administrator; it must work.
    async fn post(&self, url: &str, body: Value) -> Value {
        let token = Some(self.admin.as_str()).filter(|token| !token.is_empty());
        let (status, text) = self.send("POST", url, &body.to_string(), token).await;
        assert!(status.is_success(), "{url}: {status} {text}");
        serde_json::from_str(&text).unwrap()
    }

    pub(crate) async fn get(&self, url: &str, token: Option<&str>) -> (StatusCode, String) {
        self.send("GET", url, "", token).await
    }

    /// Calls a row's route, with what it uses up made anew.
    pub(crate) async fn call(&self, row: &Row, token: Option<&str>) -> (StatusCode, String) {
        let mut url = row.url.replace("$run", &self.run).replace("$event", &self.event).replace("$hook", &self.hook);
        let fresh = format!("fresh{}", self.count.fetch_add(1, Ordering::Relaxed));
        if url.contains("$user") {
            self.post("/api/v1/users", json!({ "id": fresh, "email": format!("{fresh}@example.com") })).await;
            url = url.replace("$user", &fresh);
        }
        if url.contains("$token") {
            let body = json!({ "name": fresh, "org": "default", "project": "platform" });
            self.post("/api/v1/delegate-tokens", body).await;
            url = url.replace("$token", &fresh);
        }
        if url.contains("$setting") {
            url = url.replace("$setting", "timeout.approval");
            let (status, text) = self.send("PUT", &url, r#"{"value": "2d"}"#, Some(&self.admin)).await;
            assert!(status.is_success(), "{url}: {status} {text}");
        }
        let body = row.body.replace("$registration", &json!(registration()).to_string());
        self.send(row.method, &url, &body, token).await
    }

    async fn send(&self, method: &str, url: &str, body: &str, token: Option<&str>) -> (StatusCode, String) {
        let mut request = Request::builder().method(method).uri(url).header("content-type", "application/json");
        request = request.header("if-match", "\"0-000000000000\"");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let mut request = request.body(Body::from(body.to_owned())).unwrap();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([192, 0, 2, 1], 4_000))));
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let status = answer.status();
        // A stream of events has no end.
        let endless = answer.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream");
        let body = if endless { String::new() } else { text(answer.into_body()).await };
        (status, body)
    }
}

fn registration() -> Registration {
    Registration {
        account: "windlass".to_owned(),
        name: "edge".to_owned(),
        tags: Vec::new(),
        description: String::new(),
        version: "0".to_owned(),
        protocol: windlass_link::PROTOCOL,
        tasks: Vec::new(),
        capacity: 1,
        instance: "1".to_owned(),
        hostname: "edge".to_owned(),
        signing_key: String::new(),
        sealing_key: String::new(),
    }
}

async fn text(body: Body) -> String {
    String::from_utf8_lossy(&to_bytes(body, 1024 * 1024).await.unwrap()).into_owned()
}

/// Where documents of a kind are listed.
pub(crate) fn listing(kind: Kind) -> (String, At) {
    let words = kind.words();
    let (query, at) = match words.levels {
        Levels::Account => ("", At::Account),
        // Listing the projects of an organization is asked there: the roles of one project do not reach it.
        Levels::Org => ("?org=default&project=platform", At::Project),
        Levels::Project | Levels::Any => ("?org=default&project=platform", At::Project),
    };
    (format!("/api/v1/{}{query}", words.plural), at)
}
