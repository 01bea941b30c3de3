//! Reading: who may, what arrives, what goes wrong.

use crate::support::{change, world};
use windlass_git_sim::{Door, Fault, FaultAnswer};

#[tokio::test]
async fn a_token_clones_and_others_are_told_why_not() {
    let world = world().await;
    let clone = world.clone("read", "clone").await;
    assert_eq!(std::fs::read_to_string(clone.join("values.yaml")).unwrap(), "replicas: 1\n");
    let (_, head) = world.git(&clone, &["rev-parse", "HEAD"]).await;
    assert_eq!(head.trim(), world.repo().resolve("main").await.unwrap().as_str());

    let anonymous = format!("http://{}/company/app.git", world.address);
    let missing = world.url("read").replace("app.git", "nothing.git");
    for (name, url, want) in [
        ("anonymous", anonymous, "could not read Username for 'http://HOST'"),
        ("unknown token", world.url("nonsense"), "Authentication failed"),
        ("foreign token", world.url("foreign"), "repository 'http://HOST/company/app.git/' not found"),
        ("no such repository", missing, "repository 'http://HOST/company/nothing.git/' not found"),
    ] {
        let (ok, text) = world.git(world.folder.path(), &["clone", &url, "x"]).await;
        assert!(!ok && text.contains(want), "{name}: {text}");
    }
}

#[tokio::test]
async fn anonymous_requests_are_challenged() {
    let world = world().await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("http://{}/company/app.git/info/refs", world.address);
    let response = client.get(format!("{url}?service=git-upload-pack")).send().await.unwrap();
    assert_eq!(response.status(), 401);
    assert_eq!(response.headers()["www-authenticate"], "Basic realm=\"git-sim\", charset=\"UTF-8\"");
    let response = client.get(&url).bearer_auth("read").send().await.unwrap();
    assert_eq!(response.status(), 403, "the dumb protocol");
    for path in ["/company/%2e%2e/info/refs", "/..%2f..%2fetc/app.git/info/refs", "/company/app%00.git/info/refs"] {
        let url = format!("http://{}{path}?service=git-upload-pack", world.address);
        assert_eq!(client.get(url).bearer_auth("admin").send().await.unwrap().status(), 404, "{path}");
    }
}

#[tokio::test]
async fn fetch_brings_what_is_new_at_every_protocol_version_and_depth() {
    let world = world().await;
    let clone = world.clone("read", "clone").await;
    for (version, file) in [("0", "a"), ("1", "b"), ("2", "c")] {
        let id = world.repo().commit(&change("main", file, &[(file, file)])).await.unwrap();
        let version = format!("protocol.version={version}");
        let (ok, text) = world.git(&clone, &["-c", &version, "pull", "-q"]).await;
        assert!(ok, "{text}");
        let (_, head) = world.git(&clone, &["rev-parse", "HEAD"]).await;
        assert_eq!(head.trim(), id.as_str());
    }
    let old = world.repo().resolve("main").await.unwrap();
    world.repo().commit(&change("main", "newer", &[("d", "d")])).await.unwrap();
    let shallow = world.folder.path().join("shallow");
    std::fs::create_dir(&shallow).unwrap();
    // As a worker fetches: one commit by its id, nothing else.
    for args in [
        &["init", "-q"][..],
        &["fetch", "-q", "--depth=1", &world.url("read"), old.as_str()],
        &["checkout", "-q", "FETCH_HEAD"],
    ] {
        let (ok, text) = world.git(&shallow, args).await;
        assert!(ok, "{text}");
    }
    assert!(shallow.join("c").exists() && !shallow.join("d").exists());
    let (_, count) = world.git(&shallow, &["rev-list", "--count", "HEAD"]).await;
    assert_eq!(count.trim(), "1");
}

#[tokio::test]
async fn a_large_history_of_wants_is_compressed_by_the_client() {
    let world = world().await;
    let clone = world.clone("read", "clone").await;
    // More than a kilobyte of `have` lines: the client then sends gzip.
    for i in 0..60 {
        let (ok, text) = world.git(&clone, &["commit", "-q", "--allow-empty", "-m", &format!("local {i}")]).await;
        assert!(ok, "{text}");
    }
    let id = world.repo().commit(&change("main", "remote", &[("remote", "1")])).await.unwrap();
    let (ok, text) = world.git(&clone, &["fetch", "-q", "origin"]).await;
    assert!(ok, "{text}");
    let (_, head) = world.git(&clone, &["rev-parse", "origin/main"]).await;
    assert_eq!(head.trim(), id.as_str());
}

#[tokio::test]
async fn faults_come_as_often_as_they_say_and_go() {
    let world = world().await;
    let rule = Fault {
        door: Some(Door::Fetch),
        repo: Some("company/*".to_owned()),
        after: 0,
        times: Some(1),
        latency_millis: 1,
        answer: Some(FaultAnswer::Status(503)),
    };
    let refuse = Fault { times: Some(1), answer: Some(FaultAnswer::AuthFailure), ..rule.clone() };
    world.sim.set_faults(vec![rule, refuse]);
    let (ok, text) = world.git(world.folder.path(), &["ls-remote", &world.url("read")]).await;
    assert!(!ok && text.contains("The requested URL returned error: 503"), "{text}");
    let (ok, text) = world.git(world.folder.path(), &["ls-remote", &world.url("read")]).await;
    assert!(ok && text.contains("refs/heads/main"), "git tries its token again after one refusal: {text}");
}
