use super::step::{Body, Step};
use crate::client::{Answer, Client};
use crate::error::Error;
use axum::Router;
use fancy_regex::{Captures, Regex};
use http::{Request, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;
use windlass_clock::Clock;
use windlass_model::Millis;

/// One of the two servers.
#[derive(Clone, Debug)]
pub enum Server {
    Real(Client),
    /// In process.
    Simulated(Router),
}

/// A request as it was sent, and what came back.
#[derive(Clone, Debug)]
pub struct Played {
    /// Status, type, warnings and body; not yet named.
    pub answer: Value,
    body: Value,
}

/// The clients of both servers bear this name: it becomes the manager of fields.
const AGENT: &str = "differential/1";

impl Server {
    async fn send(&self, step: &Step, path: &str, body: Option<String>) -> Result<Answer, Error> {
        let mut headers = vec![("accept", step.accept), ("user-agent", AGENT)];
        if !step.content_type.is_empty() {
            headers.push(("content-type", step.content_type));
        }
        match self {
            Self::Real(client) => {
                let (client, clock) = (client.with_token(step.user), Clock::system());
                let until = clock.now() + Millis::from_secs(10);
                loop {
                    let answer = client.send(step.method, path, &headers, body.clone()).await?;
                    // One that was just started says of its caches that they are not there yet.
                    let is_early = answer.status == 429 && answer.body.contains("storage is (re)initializing");
                    if !is_early || clock.now() > until {
                        return Ok(answer);
                    }
                    clock.sleep(Millis(100)).await;
                }
            }
            Self::Simulated(router) => {
                let token = format!("Bearer {}", step.user);
                if !step.user.is_empty() {
                    headers.push(("authorization", &token));
                }
                simulated(router.clone(), step.method, path, &headers, body).await
            }
        }
    }

    /// Makes the namespace of a sequence.
    ///
    /// # Errors
    /// When the server does not.
    pub async fn namespace(&self, name: &str) -> Result<(), Error> {
        let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        let step = Step::new("POST", "/api/v1/namespaces").json(body.clone());
        let answer = self.send(&step, &step.path, Some(body.to_string())).await?;
        match answer.status {
            201 | 409 => Ok(()),
            status => Err(Error::Refused { request: step.to_string(), status, body: answer.body }),
        }
    }
}

async fn simulated(
    router: Router,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<String>,
) -> Result<Answer, Error> {
    let refused = |told: String| Error::Refused { request: format!("{method} {path}"), status: 0, body: told };
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(axum::body::Body::from(body.unwrap_or_default())).map_err(|e| refused(e.to_string()))?;
    // A router answers every request.
    let response = router.oneshot(request).await.unwrap_or_else(|never| match never {});
    let status = response.status().as_u16();
    let of = |name: header::HeaderName| -> Vec<String> {
        let values = response.headers().get_all(name);
        values.iter().map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned()).collect()
    };
    let (content_type, warnings) = (of(header::CONTENT_TYPE).join(","), of(header::WARNING));
    let body = response.into_body().collect().await.map_err(|e| refused(e.to_string()))?.to_bytes();
    Ok(Answer { status, content_type, warnings, body: String::from_utf8_lossy(&body).into_owned() })
}

/// Sends a sequence, each request filled from the answers before it.
///
/// # Errors
/// When a request gets no answer at all.
pub async fn play(server: &Server, namespace: &str, steps: &[Step]) -> Result<Vec<Played>, Error> {
    let mut played = Vec::new();
    play_on(server, namespace, steps, &mut played).await?;
    Ok(played)
}

/// Goes on with a sequence of which some requests were played.
///
/// # Errors
/// When a request gets no answer at all.
pub async fn play_on(server: &Server, namespace: &str, steps: &[Step], played: &mut Vec<Played>) -> Result<(), Error> {
    // A constant.
    #[allow(clippy::expect_used, reason = "a constant")]
    let reference = Regex::new(r"\{\{(\d+):(/[^}]*)\}\}").expect("an expression");
    for step in steps {
        let fill = |text: &str| {
            let text = text.replace("{{ns}}", namespace);
            let value = |found: &Captures<'_, str>| {
                let answer = found[1].parse::<usize>().ok().and_then(|n| played.get(n));
                match answer.and_then(|answer| answer.body.pointer(&found[2])) {
                    Some(Value::String(text)) => text.clone(),
                    Some(other) => other.to_string(),
                    None => "absent".to_owned(),
                }
            };
            reference.replace_all(&text, value).into_owned()
        };
        let body = match &step.body {
            Body::None => None,
            Body::Text(text) => Some(fill(text)),
            Body::Json(value) => Some(fill(&value.to_string())),
            Body::Answer(of, edits) => {
                let mut body = played.get(*of).map_or(Value::Null, |played| played.body.clone());
                edits.iter().for_each(|edit| edit.apply(&mut body));
                Some(fill(&body.to_string()))
            }
        };
        let answer = server.send(step, &fill(&step.path), body).await?;
        let body = if step.stream {
            let events = answer.body.lines().filter(|line| !line.trim().is_empty());
            events.map(|line| serde_json::from_str(line).unwrap_or(Value::Null)).filter(is_told).collect()
        } else {
            serde_json::from_str(&answer.body).unwrap_or_else(|_| Value::String(answer.body.clone()))
        };
        let content_type = answer.content_type.split(';').next().unwrap_or_default();
        let mut warnings = answer.warnings.clone();
        warnings.sort();
        let told = json!({"status": answer.status, "type": content_type, "warnings": warnings, "body": body});
        played.push(Played { answer: told, body });
    }
    Ok(())
}

/// Periodic bookmarks come or not; the one that ends the initial list counts.
fn is_told(event: &Value) -> bool {
    event["type"] != "BOOKMARK" || !event["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"].is_null()
}
