//! Calls of somebody's endpoint (pipelines §6.3 Http).

use crate::answer::{aborted, failed, misdirected, unreachable};
use async_trait::async_trait;
use windlass_clock::Clock;
use windlass_http::{Answer, Client, Config, ConfigError, Jitter, OnExcess, Request, shown};
use windlass_model::task::http::{HttpAnswer, HttpWork};
use windlass_model::task::{Outcome, Task, Work};
use windlass_model::{Failure, FailureType, Millis};
use windlass_task::{Handler, TaskContext};

/// The body that is answered with, in bytes (pipelines §6.3).
const BODY: usize = 256 * 1024;

/// Runs tasks of the type `http`. Any status is a success: the engine judges the answer. A call is made once, since nobody
/// knows what a second one would do; repeating it is the failure strategy's business.
#[derive(Clone, Debug)]
pub struct HttpHandler {
    client: Client,
}

impl HttpHandler {
    /// `config` says what may be reached and how. The step's timeout is the only limit of an answer's time.
    pub fn new(config: Config, clock: Clock, jitter: Jitter) -> Result<Self, ConfigError> {
        let config = Config { body: BODY, on_excess: OnExcess::Truncate, timeout: Millis::MAX, ..config };
        Ok(Self { client: Client::new(config, clock.real(), jitter)? })
    }

    async fn perform(&self, cx: &TaskContext, work: &HttpWork) -> Result<Outcome, Failure> {
        let request = request(work)?;
        let (method, url) = (request.method.to_string(), shown(&request.url));
        cx.log().section("Call");
        cx.log().info(format!("{method} {url}"));
        let answer = tokio::select! {
            answer = self.client.send(&request) => answer.map_err(|error| unreachable(&error))?,
            () = cx.cancelled().cancelled() => {
                return Ok(aborted(format!("{method} {url} was given up; whether it had an effect is not known")));
            }
        };
        cx.log().info(format!("{}, {} bytes", answer.status, answer.body.len()));
        if answer.truncated {
            cx.log().warn("the answer is longer than 256 KB: the rest is cut");
        }
        let code = answer.status.as_u16();
        let answer = HttpAnswer {
            http_url: work.url.clone(),
            http_method: method,
            http_response_code: code,
            http_response_body: body(&answer),
            truncated: answer.truncated,
        };
        let output = serde_json::to_value(answer).map_err(|error| wrong(error.to_string()))?;
        Ok(Outcome::Succeeded { output })
    }
}

#[async_trait]
impl Handler for HttpHandler {
    fn types(&self) -> &'static [&'static str] {
        &["http"]
    }

    async fn run(&self, cx: &TaskContext, task: &Task) -> Outcome {
        let Work::Http(work) = &task.work else { return misdirected("http", task) };
        self.perform(cx, work).await.unwrap_or_else(failed)
    }
}

fn wrong(why: String) -> Failure {
    Failure::new(FailureType::ConfigurationFailure, why)
}

fn request(work: &HttpWork) -> Result<Request, Failure> {
    let mut request = Request::new(&work.method, &work.url).map_err(|error| wrong(error.to_string()))?;
    for header in &work.headers {
        request = request.header(&header.key, &header.value).map_err(|error| wrong(error.to_string()))?;
    }
    Ok(match &work.body {
        Some(body) => request.body(body.clone()),
        None => request,
    })
}

/// As text. What is cut is cut between two characters.
fn body(answer: &Answer) -> String {
    let whole = if answer.truncated { characters(&answer.body) } else { &answer.body };
    String::from_utf8_lossy(whole).into_owned()
}

/// Without the beginning of a character at the end.
fn characters(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}
