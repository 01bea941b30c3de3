//! Events on the way to a receiver.

use crate::support::{Received, ada, app, change, noon, receiver, world};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;
use windlass_git_sim::{Hook, Outcome};

fn is_signed(received: &Received, secret: &str) -> bool {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(&received.raw);
    let digest: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    received.header("x-hub-signature-256") == format!("sha256={digest}")
}

#[tokio::test]
async fn a_push_is_told_with_its_commits_and_signature() {
    let world = world().await;
    let (url, mut events) = receiver(&[200]).await;
    world.sim.add_hook(Hook::new(url, "s3cret"));
    let clone = world.clone("write", "clone").await;
    let (ok, text) = world.push(&clone, "new.txt", "main").await;
    assert!(ok, "{text}");
    let event = events.recv().await.unwrap();
    assert!(is_signed(&event, "s3cret") && !is_signed(&event, "other"));
    assert_eq!((event.header("x-github-event"), event.header("content-type")), ("push", "application/json"));
    assert_eq!(event.header("x-github-delivery").len(), 36);
    let body = &event.body;
    assert_eq!(body["ref"], "refs/heads/main");
    assert_eq!(body["after"], world.repo().resolve("main").await.unwrap().as_str());
    assert_eq!((&body["created"], &body["deleted"], &body["forced"]), (&json!(false), &json!(false), &json!(false)));
    assert_eq!(body["pusher"]["name"], "willy");
    assert_eq!(body["repository"]["full_name"], "company/app");
    assert_eq!(body["repository"]["clone_url"], format!("http://{}/company/app.git", world.address));
    assert_eq!(body["commits"].as_array().unwrap().len(), 1);
    assert_eq!(body["head_commit"]["message"], "a change");
    assert_eq!(body["head_commit"]["added"], json!(["new.txt"]));
}

#[tokio::test]
async fn commits_reverts_and_tags_from_rust_are_told_in_order() {
    let world = world().await;
    let (url, mut events) = receiver(&[200]).await;
    world.sim.add_hook(Hook::new(url, "s"));
    let repo = world.repo();
    let bad = repo.commit(&change("main", "bad", &[("values.yaml", "replicas: 0\n")])).await.unwrap();
    repo.revert("main", &bad, &ada(), noon()).await.unwrap();
    repo.create_tag("v1", "main").await.unwrap();
    repo.create_branch("topic", "main").await.unwrap();
    repo.delete_branch("topic").await.unwrap();
    let mut seen = Vec::new();
    for _ in 0..5 {
        let body = events.recv().await.unwrap().body;
        let title = body["head_commit"]["message"].as_str().unwrap_or("-").lines().next().unwrap().to_owned();
        seen.push(format!("{} {title} {}", body["ref"].as_str().unwrap(), body["commits"].as_array().unwrap().len()));
    }
    insta::assert_snapshot!(seen.join("\n"), @r#"
    refs/heads/main bad 1
    refs/heads/main Revert "bad" 1
    refs/tags/v1 Revert "bad" 3
    refs/heads/topic Revert "bad" 3
    refs/heads/topic - 0
    "#);
}

#[tokio::test]
async fn a_refused_delivery_is_logged_and_sent_again_on_demand() {
    let world = world().await;
    let (url, mut events) = receiver(&[503, 200]).await;
    world.sim.add_hook(Hook::new(url, "s"));
    world.sim.add_hook(Hook { repo: Some("company/other".parse().unwrap()), ..Hook::new("http://127.0.0.1:1/", "s") });
    world.repo().commit(&change("main", "one", &[("a", "1")])).await.unwrap();
    let first = events.recv().await.unwrap();
    // The log is written after the answer: a second event of the same hook comes after it.
    world.repo().commit(&change("main", "two", &[("a", "2")])).await.unwrap();
    events.recv().await.unwrap();
    let log = world.sim.deliveries();
    assert_eq!(log[0].outcome, Outcome::Answered(503));
    assert!(world.sim.redeliver(log[0].id));
    let again = events.recv().await.unwrap();
    assert_eq!(again.raw, first.raw);
    assert_eq!(again.header("x-github-delivery"), first.header("x-github-delivery"));
    assert!(!world.sim.redeliver(9_999));
}

#[tokio::test]
async fn a_pull_request_tells_its_life() {
    let world = world().await;
    let (url, mut events) = receiver(&[200]).await;
    let repo = world.repo();
    repo.commit(&change("topic", "work", &[("w", "1")])).await.unwrap();
    world.sim.protect_branch(&app(), "main").unwrap();
    world.sim.add_hook(Hook { events: vec!["pull_request".to_owned()], ..Hook::new(url, "s") });
    let path = "/api/v3/repos/company/app/pulls";
    let (status, pull) =
        world.call("POST", path, "write", json!({"title": "Work", "head": "topic", "base": "main"})).await;
    assert_eq!((status, &pull["number"]), (201, &json!(1)));
    repo.commit(&change("topic", "more", &[("w", "2")])).await.unwrap();
    let (status, merged) = world.call("PUT", &format!("{path}/1/merge"), "write", json!({})).await;
    assert_eq!((status, &merged["merged"]), (200, &json!(true)));
    assert_eq!(&repo.read("main", "w").await.unwrap()[..], b"2");
    let mut seen = Vec::new();
    for _ in 0..3 {
        let body = events.recv().await.unwrap().body;
        seen.push((body["action"].as_str().unwrap().to_owned(), body["pull_request"]["merged"] == json!(true)));
    }
    assert_eq!(seen, [("opened".to_owned(), false), ("synchronize".to_owned(), false), ("closed".to_owned(), true)]);
}
