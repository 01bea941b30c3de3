//! What the simulated delegate meets instead of the world: metrics of simulated pods, and calls that are noted and not made.

use crate::report::NotDone;
use async_trait::async_trait;
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};
use tower::ServiceExt;
use windlass_http::{Answer, Request, Stand};
use windlass_model::task::http::HttpAnswer;
use windlass_model::task::{Outcome, Task, Work};
use windlass_model::{Failure, FailureType, Json};
use windlass_task::{Handler, TaskContext};

/// The longest answer of the metrics, bytes.
const LARGEST: usize = 64 << 20;

/// Answers whatever address a Prometheus connector has with the metrics of the simulated pods.
#[derive(Debug)]
pub(crate) struct Metrics(pub(crate) axum::Router);

#[async_trait]
impl Stand for Metrics {
    async fn answer(&self, request: &Request) -> Answer {
        // A prefix before the API is the business of the proxy in front of it.
        let path = request.url.path();
        let path = path.find("/api/v1/").or_else(|| path.find("/-/")).map_or("/", |from| &path[from..]);
        let uri = request.url.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
        let mut call = http::Request::new(axum::body::Body::from(request.body.clone()));
        *call.method_mut() = request.method.clone();
        *call.headers_mut() = request.headers.clone();
        if let Ok(uri) = uri.parse() {
            *call.uri_mut() = uri;
        }
        let Ok(response) = self.0.clone().oneshot(call).await;
        let (parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, LARGEST).await;
        let truncated = body.is_err();
        Answer { status: parts.status, headers: parts.headers, body: body.unwrap_or_default(), truncated, tries: 1 }
    }
}

/// Scripts and calls that a run would have made. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Noted(Arc<Mutex<Vec<NotDone>>>);

impl Noted {
    pub(crate) fn take(&self) -> Vec<NotDone> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, task: &Task, kind: &str, what: String) {
        let (stage, step) = (&task.origin.stage, &task.origin.step);
        let step = if step.is_empty() { stage.clone() } else { format!("{stage}.{step}") };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(NotDone { step, kind: kind.to_owned(), what });
    }
}

/// Notes scripts and calls instead of making them: nobody knows what they would do to the world.
#[async_trait]
impl Handler for Noted {
    fn types(&self) -> &'static [&'static str] {
        &["shell", "http"]
    }

    async fn run(&self, cx: &TaskContext, task: &Task) -> Outcome {
        let output = match &task.work {
            Work::Shell(work) => {
                let lines = work.script.lines().count();
                self.note(task, "script", format!("a {:?} script of {lines} lines", work.shell));
                let empty = |secret: bool| -> serde_json::Map<String, Json> {
                    let asked = work.outputs.iter().filter(|output| output.secret == secret);
                    asked.map(|output| (output.name.clone(), "".into())).collect()
                };
                json!({ "outputVariables": empty(false), "secretOutputVariables": empty(true) })
            }
            Work::Http(work) => {
                // A query may hold a token.
                let url = work.url.split('?').next().unwrap_or_default().to_owned();
                self.note(task, "call", format!("{} {url}", work.method));
                let answer = HttpAnswer {
                    http_url: work.url.clone(),
                    http_method: work.method.clone(),
                    http_response_code: 200,
                    http_response_body: "{}".to_owned(),
                    truncated: false,
                };
                serde_json::to_value(answer).unwrap_or_default()
            }
            _ => {
                let failure = Failure::new(FailureType::Unknown, "a rehearsal does not know this kind of task");
                return Outcome::Failed { failure, output: Json::Null };
            }
        };
        cx.log().info("a rehearsal: this is noted and not done");
        Outcome::Succeeded { output }
    }
}
