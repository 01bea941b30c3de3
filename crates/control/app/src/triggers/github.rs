//! What GitHub says in its webhooks (pipelines §7.3). Pure.

use super::ABORT_KEY;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use windlass_engine::{TriggerContext, TriggerType};
use windlass_model::Json;

/// The event as expressions see it. `kind` is the header `X-GitHub-Event`.
pub(super) fn context(kind: &str, payload: Json, headers: BTreeMap<String, String>) -> TriggerContext {
    let mut properties = match kind {
        "push" => push(&payload),
        "pull_request" => pull_request(&payload),
        other => BTreeMap::from([("event".to_owned(), json!(other.to_uppercase()))]),
    };
    properties.insert("repoUrl".to_owned(), payload.pointer("/repository/html_url").cloned().unwrap_or_default());
    properties.retain(|_, value| !value.is_null());
    TriggerContext {
        kind: TriggerType::Webhook,
        type_name: Some("Webhook".to_owned()),
        payload,
        headers,
        properties,
        ..TriggerContext::default()
    }
}

fn at(payload: &Json, pointer: &str) -> Json {
    payload.pointer(pointer).cloned().unwrap_or_default()
}

fn push(payload: &Json) -> BTreeMap<String, Json> {
    let reference = payload["ref"].as_str().unwrap_or_default();
    let branch = reference.strip_prefix("refs/heads/");
    let commits = payload["commits"].as_array().into_iter().flatten();
    let files: BTreeSet<&str> = commits
        .flat_map(|commit| ["added", "modified", "removed"].map(|key| commit[key].as_array()))
        .flatten()
        .flatten()
        .filter_map(Json::as_str)
        .collect();
    [
        ("event", json!("PUSH")),
        ("branch", json!(branch)),
        ("targetBranch", json!(branch)),
        ("sourceBranch", json!(branch)),
        ("tag", json!(reference.strip_prefix("refs/tags/"))),
        ("commitSha", at(payload, "/after")),
        ("baseCommitSha", at(payload, "/before")),
        ("gitUser", at(payload, "/pusher/name")),
        ("sourceRepo", json!("Github")),
        ("changedFiles", json!(files)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

fn pull_request(payload: &Json) -> BTreeMap<String, Json> {
    let action = match payload["action"].as_str().unwrap_or_default() {
        "closed" => "Close",
        "edited" => "Edit",
        "opened" => "Open",
        "reopened" => "Reopen",
        "labeled" => "Label",
        "unlabeled" => "Unlabel",
        "synchronize" => "Synchronize",
        "ready_for_review" => "ReadyForReview",
        other => other,
    };
    [
        ("event", json!("PR")),
        ("action", json!(action)),
        ("branch", at(payload, "/pull_request/base/ref")),
        ("sourceBranch", at(payload, "/pull_request/head/ref")),
        ("targetBranch", at(payload, "/pull_request/base/ref")),
        ("prNumber", at(payload, "/pull_request/number")),
        ("prTitle", at(payload, "/pull_request/title")),
        ("commitSha", at(payload, "/pull_request/head/sha")),
        ("baseCommitSha", at(payload, "/pull_request/base/sha")),
        ("gitUser", at(payload, "/sender/login")),
        ("sourceRepo", json!("Github")),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// Whether the event is about the repository of a connector: its address, or its account's with `repo` appended.
pub(super) fn is_of(payload: &Json, address: &str, repo: Option<&str>) -> bool {
    let wanted = [address.to_owned(), format!("{}/{}", address.trim_end_matches('/'), repo.unwrap_or_default())];
    let wanted: Vec<String> = wanted.iter().map(|address| plain(address)).collect();
    ["html_url", "clone_url", "ssh_url", "git_url"]
        .iter()
        .filter_map(|key| payload["repository"][key].as_str())
        .any(|own| wanted.contains(&plain(own)))
}

/// `https://user@github.com/acme/shop.git`, `git@github.com:acme/shop` → `github.com/acme/shop`.
fn plain(address: &str) -> String {
    let rest = address.trim().split_once("://").map_or(address.trim(), |(_, rest)| rest);
    // Who signs in is no part of the place; a password may hold what else divides.
    let authority = rest.find('/').unwrap_or(rest.len());
    let rest = rest[..authority].rfind('@').map_or(rest, |at| &rest[at + 1..]);
    let (host, path) = match rest.split_once(['/', ':']) {
        Some((host, path)) => (host, path),
        None => (rest, ""),
    };
    // A port belongs to the host.
    let (port, path) = match path.split_once('/') {
        Some((port, path)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => {
            (format!(":{port}"), path)
        }
        _ => (String::new(), path),
    };
    let path = path.trim_matches('/').trim_end_matches(".git");
    format!("{host}{port}/{path}").to_lowercase()
}

/// What a newer event of the same kind replaces: the pull request, or the branch (pipelines §7.3).
pub(super) fn replaces(event: &mut TriggerContext, trigger: &str) {
    let text = |name: &str| {
        event.properties.get(name).map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned)).unwrap_or_default()
    };
    let what = match text("event").as_str() {
        "PR" => format!("pr/{}/{}/{}", text("prNumber"), text("sourceBranch"), text("targetBranch")),
        _ => format!("push/{}", event.payload["ref"].as_str().unwrap_or_default()),
    };
    let key = format!("{trigger}/{}/{what}", plain(&text("repoUrl")));
    event.properties.insert(ABORT_KEY.to_owned(), Json::String(key));
}

#[cfg(test)]
mod tests {
    use super::{context, is_of, plain, replaces};
    use serde_json::json;
    use std::collections::BTreeMap;

    #[test]
    fn addresses_of_one_repository_are_the_same() {
        for address in [
            "https://github.com/acme/Shop.git",
            "https://user:pat@GitHub.com/acme/shop/",
            "git@github.com:acme/shop.git",
            "ssh://git@github.com/acme/shop",
        ] {
            assert_eq!(plain(address), "github.com/acme/shop", "{address}");
        }
        assert_eq!(plain("http://127.0.0.1:3000/acme/shop.git"), "127.0.0.1:3000/acme/shop");
        let payload = json!({"repository": {"html_url": "https://github.com/acme/shop"}});
        assert!(is_of(&payload, "https://github.com/acme/shop.git", None));
        assert!(is_of(&payload, "https://github.com/acme", Some("shop")));
        assert!(!is_of(&payload, "https://github.com/acme", Some("shop2")));
        assert!(!is_of(&payload, "https://github.com/acme", None));
    }

    #[test]
    fn pushes_and_pull_requests_are_told_apart() {
        let push = json!({
            "ref": "refs/heads/main", "after": "abc", "pusher": {"name": "ada"},
            "repository": {"html_url": "https://github.com/acme/shop"},
            "commits": [{"added": ["a"], "modified": ["b"], "removed": []}, {"added": ["a"]}],
        });
        let mut event = context("push", push, BTreeMap::new());
        let property = |name: &str| event.properties.get(name).cloned().unwrap_or_default();
        assert_eq!(property("branch"), "main");
        assert_eq!(property("tag"), json!(null));
        assert_eq!(property("changedFiles"), json!(["a", "b"]));
        replaces(&mut event, "shop/on_push");
        assert_eq!(event.properties["abortKey"], "shop/on_push/github.com/acme/shop/push/refs/heads/main");
        let pr = json!({
            "action": "synchronize",
            "pull_request": {"number": 7, "head": {"ref": "x", "sha": "1"}, "base": {"ref": "main", "sha": "2"}},
        });
        let event = context("pull_request", pr, BTreeMap::new());
        assert_eq!(event.properties["action"], "Synchronize");
        assert_eq!(event.properties["prNumber"], 7);
        assert_eq!(event.properties["targetBranch"], "main");
    }
}
