//! Sends the requests of a conversation and compares the answers.

use super::compare::differences;
use super::normal::Normal;
use super::ordered::Ordered;
use axum::Router;
use axum::body::Body;
use fancy_regex::{Captures, Regex};
use http::{Request, header};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;
use windlass_clock::Clock;
use windlass_kube_sim::KubeSim;
use windlass_model::Millis;

pub(crate) struct Replay {
    router: Router,
    clock: Clock,
    namespace: String,
    normal: Normal,
    reference: Regex,
}

/// Status, content type, warnings and body.
struct Answer {
    status: u16,
    content_type: String,
    warnings: Vec<String>,
    body: Value,
}

impl Replay {
    pub(crate) fn new(sim: &KubeSim, clock: Clock) -> Self {
        let namespace = "c-abcdefgh".to_owned();
        let normal = Normal::new(&namespace);
        let reference = Regex::new(r"\{\{(\d+):(/[^}]*)\}\}").unwrap();
        Self { router: sim.router(), clock, namespace, normal, reference }
    }

    /// Every difference, with the step in which it is. Bodies are sent in the order in which they were `written`.
    pub(crate) async fn run(&self, conversation: &Value, written: &Ordered) -> Vec<String> {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}});
        let made =
            self.send(&json!({"method": "POST", "path": "/api/v1/namespaces"}), Some(namespace.to_string())).await;
        assert_eq!(made.status, 201, "{}", made.body);
        self.clock.sleep(Millis(5)).await;
        let (mut answers, mut out) = (Vec::new(), Vec::new());
        for (i, step) in conversation["steps"].as_array().unwrap().iter().enumerate() {
            let answer = match step.get("wait") {
                Some(wait) => self.wait(&self.fill(wait, &answers)).await,
                None => {
                    let body = written.get("steps").and_then(|s| s.items().get(i)?.get("body")).map(|body| match body
                        .map(&|text| self.text(text, &answers))
                    {
                        Ordered::Plain(Value::String(text)) => text,
                        other => other.to_string(),
                    });
                    self.send(&self.fill(step, &answers), body).await
                }
            };
            answers.push(answer.body.clone());
            // The way through a network, in which controllers do their part.
            self.clock.sleep(Millis(5)).await;
            let mut body = self.normal.value(&answer.body);
            for pointer in step["ignore"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                drop_at(&mut body, pointer);
            }
            let mut warnings: Vec<String> = answer.warnings.iter().map(|w| self.normal.text(w)).collect();
            warnings.sort();
            let got = json!({"status": answer.status, "type": answer.content_type, "warnings": warnings, "body": body});
            let what = step["path"].as_str().or(step["wait"]["path"].as_str()).unwrap_or_default();
            let method = step["method"].as_str().unwrap_or(if step.get("wait").is_some() { "wait" } else { "GET" });
            let found = differences(&step["expect"], &got, "");
            out.extend(found.iter().map(|d| format!("step {i} {method} {what}: {d}")));
        }
        out
    }

    async fn wait(&self, wait: &Value) -> Answer {
        let deadline = self.clock.now() + Millis::from_secs(wait["seconds"].as_u64().unwrap_or(20));
        loop {
            let answer = self.send(&json!({"path": wait["path"]}), None).await;
            let value = answer.body.pointer(wait["pointer"].as_str().unwrap());
            let absent = wait["equals"] == 404 && answer.status == 404;
            if value == Some(&wait["equals"]) || absent || self.clock.now() > deadline {
                return answer;
            }
            self.clock.sleep(Millis(200)).await;
        }
    }

    async fn send(&self, step: &Value, body: Option<String>) -> Answer {
        let method = step["method"].as_str().unwrap_or("GET");
        let mut request = Request::builder()
            .method(method)
            .uri(step["path"].as_str().unwrap())
            .header(header::USER_AGENT, "Python-urllib/3.11");
        let mut accept = "application/json";
        let mut content_type = None;
        for (name, value) in step["headers"].as_object().into_iter().flatten() {
            match name.as_str() {
                "Accept" => accept = value.as_str().unwrap(),
                "Content-Type" => content_type = value.as_str(),
                other => panic!("unexpected header {other}"),
            }
        }
        request = request.header(header::ACCEPT, accept);
        match step["as"].as_str().unwrap_or("admin") {
            "none" => {}
            token => request = request.header(header::AUTHORIZATION, format!("Bearer {token}")),
        }
        let body = match body {
            None => Body::empty(),
            Some(body) => {
                request = request.header(header::CONTENT_TYPE, content_type.unwrap_or("application/json"));
                Body::from(body)
            }
        };
        let response = self.router.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let status = response.status().as_u16();
        let of = |name: header::HeaderName| -> Vec<String> {
            response.headers().get_all(name).iter().map(|v| v.to_str().unwrap().to_owned()).collect()
        };
        let content_type = of(header::CONTENT_TYPE).join(",").split(';').next().unwrap_or_default().to_owned();
        let warnings = of(header::WARNING);
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = if step["stream"] == true {
            let events = text.lines().filter(|l| !l.trim().is_empty()).map(|l| serde_json::from_str(l).unwrap());
            events.filter(is_told).collect()
        } else {
            serde_json::from_str(&text).unwrap_or(Value::String(text))
        };
        Answer { status, content_type, warnings, body }
    }

    /// Puts earlier answers and the namespace into a text.
    fn text(&self, text: &str, answers: &[Value]) -> String {
        let text = text.replace("{{ns}}", &self.namespace);
        let found = |c: &Captures<'_, str>| {
            let answer = &answers[c[1].parse::<usize>().unwrap()];
            match answer.pointer(&c[2]) {
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
                None => "absent".to_owned(),
            }
        };
        self.reference.replace_all(&text, found).into_owned()
    }

    fn fill(&self, value: &Value, answers: &[Value]) -> Value {
        match value {
            Value::String(text) => self.text(text, answers).into(),
            Value::Array(items) => items.iter().map(|v| self.fill(v, answers)).collect(),
            Value::Object(map) => {
                let entries = map.iter().filter(|(k, _)| !matches!(k.as_str(), "expect" | "ignore" | "body"));
                entries.map(|(k, v)| (self.text(k, answers), self.fill(v, answers))).collect()
            }
            other => other.clone(),
        }
    }
}

/// Periodic bookmarks come or not; the one that ends the initial list is compared.
fn is_told(event: &Value) -> bool {
    event["type"] != "BOOKMARK" || !event["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"].is_null()
}

fn drop_at(value: &mut Value, pointer: &str) {
    let parts: Vec<String> = pointer.split('/').skip(1).map(|p| p.replace("~1", "/").replace("~0", "~")).collect();
    drop_parts(value, &parts);
}

fn drop_parts(value: &mut Value, parts: &[String]) {
    match (parts, value) {
        ([last], Value::Object(map)) => {
            map.remove(last);
        }
        ([first, rest @ ..], Value::Array(items)) if first == "*" => items.iter_mut().for_each(|i| drop_parts(i, rest)),
        ([first, rest @ ..], Value::Array(items)) => {
            if let Some(item) = first.parse::<usize>().ok().and_then(|i| items.get_mut(i)) {
                drop_parts(item, rest);
            }
        }
        ([first, rest @ ..], Value::Object(map)) => {
            if let Some(inner) = map.get_mut(first) {
                drop_parts(inner, rest);
            }
        }
        _ => {}
    }
}
