//! What happens in a run, one line for each thing.

use super::tree::{first_line, time};
use crate::output::cell;
use serde_json::Value;
use std::collections::BTreeSet;
use windlass_model::Timestamp;

/// Turns events into one line each; most are of no interest.
#[derive(Debug, Default)]
pub(super) struct Told {
    start: Option<Timestamp>,
    /// What somebody else has, with who waits for it.
    busy: BTreeSet<(String, String)>,
}

impl Told {
    pub(super) fn tell(&mut self, event: &Value) -> Option<String> {
        let at = time(&event["at"])?;
        let start = *self.start.get_or_insert(at);
        let body = &event["body"];
        let node = short_name(body["node"].as_str().unwrap_or_default());
        let text = match event["kind"].as_str()? {
            "NodeStarted" => format!("{node} started"),
            "NodeSkipped" => format!("{node} skipped: {}", first_line(&cell(body, "/reason"))),
            "NodeFinished" => match body["failure"]["message"].as_str() {
                Some(message) => format!("{node} {}: {}", cell(body, "/status"), first_line(message)),
                None => format!("{node} {}", cell(body, "/status")),
            },
            "TaskMoved" if body["worker"].is_null() => format!("{node}: {}", first_line(&cell(body, "/why"))),
            "ApprovalOpened" => format!("{node} waits for approval"),
            "ApprovalActed" => {
                format!("{node}: {} by {}", cell(body, "/activity/action"), cell(body, "/activity/user/name"))
            }
            "ResourceBusy" => {
                self.busy.insert((body["resource"].to_string(), node.to_owned()));
                format!("{node} waits for {}: {}", resource(body), first_line(&cell(body, "/why")))
            }
            "ResourceGiven" => {
                let (given, key) = (resource(body), body["resource"].to_string());
                let waited: Vec<_> = self.busy.iter().filter(|(busy, _)| *busy == key).cloned().collect();
                self.busy.retain(|(busy, _)| *busy != key);
                let nodes: Vec<&str> = waited.iter().map(|(_, node)| node.as_str()).collect();
                // What is granted at once is not worth a word.
                if nodes.is_empty() {
                    return None;
                }
                format!("{} has {given} now", nodes.join(", "))
            }
            "PreviewMade" => match body["preview"]["failure"]["message"].as_str() {
                Some(why) => format!("{node}: what would change is not known: {}", first_line(why)),
                None => format!("{node}: what would change is known: `windlass approval show`"),
            },
            "PolicyAnswered" => policy(node, &body["verdict"])?,
            "InterventionRequested" => format!("{node} waits for somebody to decide: `windlass run intervene`"),
            "InputsRequested" => format!("{node} waits for values: `windlass run inputs`"),
            "Interrupted" => {
                let what = &body["interrupt"];
                format!("{} by {}", cell(what, "/kind/type"), cell(what, "/by"))
            }
            "FailureHandled" => {
                let strategy = body["choice"]["action"]["type"].as_str().or(body["choice"]["action"].as_str());
                match strategy {
                    Some(action) if body["choice"]["level"].is_string() => {
                        format!("{node}: {action} by failure strategy")
                    }
                    _ => return None,
                }
            }
            "RollbackStarted" => format!("{node}: rolling back: {}", first_line(&cell(body, "/why"))),
            "RetryScheduled" => format!("{node}: tries again"),
            "RunFinished" => format!("run {}", cell(body, "/status")),
            _ => return None,
        };
        Some(format!("{:>8}  {text}", at.since(start).to_string()))
    }
}

fn resource(body: &Value) -> String {
    format!("{} {}", cell(body, "/resource/kind"), cell(body, "/resource/key"))
}

/// What policies said, where it was more than yes.
fn policy(node: &str, verdict: &Value) -> Option<String> {
    let messages: Vec<&str> = verdict["messages"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match verdict["status"].as_str() {
        Some("pass") => None,
        Some("warning") => Some(format!("{node}: a policy warns: {}", messages.join("; "))),
        Some(_) => Some(format!("{node}: a policy denies: {}", messages.join("; "))),
        None => Some(format!("{node}: {}", first_line(&cell(verdict, "/failure/message")))),
    }
}

/// The last part of a node's path: what its author called it.
fn short_name(node: &str) -> &str {
    node.rsplit('.').next().unwrap_or(node)
}

#[cfg(test)]
mod tests {
    use super::Told;
    use serde_json::{Value, json};

    fn told(events: &[Value]) -> Vec<String> {
        let mut told = Told::default();
        events.iter().filter_map(|event| told.tell(event)).collect()
    }

    #[test]
    fn waiting_is_told_when_there_is_something_to_wait_for() {
        let resource =
            json!({ "kind": "infrastructure", "key": "shop in prod/prod_k8s", "holder": "pipeline.stages.a" });
        let event = |seconds: i64, kind: &str, more: Value| {
            let mut body =
                json!({ "node": "pipeline.stages.a.spec.execution.steps.apply", "attempt": 1, "resource": resource });
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!({ "at": seconds * 1_000_000, "kind": kind, "body": body })
        };
        let at_once = [event(0, "ResourceAwaited", json!({})), event(0, "ResourceGiven", json!({}))];
        assert_eq!(told(&at_once), Vec::<String>::new());
        let later = [
            event(0, "ResourceAwaited", json!({})),
            event(1, "ResourceBusy", json!({ "why": "run_1 (shop #3) has it" })),
            event(9, "ResourceGiven", json!({})),
        ];
        assert_eq!(
            told(&later),
            [
                "      1s  apply waits for infrastructure shop in prod/prod_k8s: run_1 (shop #3) has it",
                "      9s  apply has infrastructure shop in prod/prod_k8s now",
            ]
        );
    }
}
