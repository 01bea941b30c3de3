use crate::support::{Bench, client, failure, nobody, serve, succeeded, types};
use async_trait::async_trait;
use axum::Router;
use axum::extract::Query;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::get;
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;
use windlass_clock::{Clock, virtual_runtime};
use windlass_cluster::{Clusters, Identity};
use windlass_git_sim::{Changes, GitSim, NewCommit, Options, Person, RepoName, Right, Token};
use windlass_kube_sim::{Config, KubeSim};
use windlass_model::Json;
use windlass_model::task::cluster::{ClusterAccess, ClusterAuth};
use windlass_model::task::source::{ConnectionTest, GitAuth, GitRepository};
use windlass_model::task::verify::BasicAuth;
use windlass_model::task::{Outcome, Work};
use windlass_steps::{ConnectionTestHandler, Finding, GitTest, Problem, Reason};

async fn run(test: ConnectionTest) -> Outcome {
    let handler = ConnectionTestHandler::new(client(Clock::system()));
    Bench::new(Clock::system()).run(&handler, Work::TestConnection(Box::new(test))).await
}

fn registry(url: &str, user: Option<(&str, &str)>) -> ConnectionTest {
    let (username, password) = user.map(|(name, password)| (name.to_owned(), password.to_owned())).unzip();
    ConnectionTest::DockerRegistry { url: url.to_owned(), username, password }
}

fn prometheus(url: &str, headers: &[(&str, &str)]) -> ConnectionTest {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ConnectionTest::Prometheus { url: url.to_owned(), headers, basic_auth: None }
}

/// `ok`, or the reason class.
fn verdict(output: &Json) -> String {
    match output["status"].as_str() {
        Some("SUCCESS") => "ok".to_owned(),
        _ => {
            assert!(!output["errors"][0]["hint"].as_str().unwrap().is_empty(), "{output}");
            output["errors"][0]["reason"].as_str().unwrap().to_owned()
        }
    }
}

async fn verdict_of(test: ConnectionTest) -> String {
    verdict(&succeeded(run(test).await))
}

const BOT: &str = "Basic Ym90OmdlaGVpbQ==";

fn authorization(headers: &HeaderMap) -> &str {
    headers.get("authorization").map_or("", |value| value.to_str().unwrap())
}

fn with_basic() -> Router {
    Router::new().route(
        "/v2/",
        get(async |headers: HeaderMap| match authorization(&headers) {
            BOT => (StatusCode::OK, HeaderMap::new()),
            "Basic bGltaXQ6eA==" => (StatusCode::TOO_MANY_REQUESTS, HeaderMap::new()),
            _ => {
                let mut headers = HeaderMap::new();
                headers.insert("www-authenticate", "Basic realm=\"registry\"".parse().unwrap());
                (StatusCode::UNAUTHORIZED, headers)
            }
        }),
    )
}

/// Answers with a challenge that leads to its own `/token`, which gives everybody a token and the bot a better one.
fn with_tokens() -> Router {
    let api = get(async |headers: HeaderMap| match authorization(&headers) {
        "Bearer for-bot" | "Bearer for-all" => (StatusCode::OK, HeaderMap::new()),
        _ => {
            let host = headers["host"].to_str().unwrap();
            let challenge = format!("Bearer realm=\"http://{host}/token\",service=\"reg\"");
            (
                StatusCode::UNAUTHORIZED,
                HeaderMap::from_iter([("www-authenticate".parse().unwrap(), challenge.parse().unwrap())]),
            )
        }
    });
    let token = get(async |headers: HeaderMap, Query(query): Query<HashMap<String, String>>| {
        assert_eq!(query["service"], "reg");
        match (authorization(&headers), query.get("account").map(String::as_str)) {
            (BOT, Some("bot")) => (StatusCode::OK, json!({"token": "for-bot"}).to_string()),
            ("", None) => (StatusCode::OK, json!({"access_token": "for-all"}).to_string()),
            _ => (StatusCode::UNAUTHORIZED, String::new()),
        }
    });
    Router::new().route("/v2/", api).route("/token", token)
}

#[tokio::test]
async fn registries_are_signed_in_to_as_they_ask() {
    let (basic, tokens) = (serve(with_basic()).await, serve(with_tokens()).await);
    let open = serve(Router::new().route("/v2/", get(async || "{}"))).await;
    let forge = serve(Router::new().route("/v2/", get(async || StatusCode::FORBIDDEN))).await;
    for (url, user, wanted) in [
        (&basic, Some(("bot", "geheim")), "ok"),
        (&basic, Some(("bot", "wrong")), "auth"),
        (&basic, Some(("limit", "x")), "rate-limit"),
        (&basic, None, "auth"),
        (&tokens, Some(("bot", "geheim")), "ok"),
        (&tokens, Some(("bot", "wrong")), "auth"),
        (&tokens, None, "ok"),
        (&open, None, "ok"),
        (&forge, None, "permission"),
        (&format!("{open}/elsewhere"), None, "not-found"),
        (&nobody().await, None, "tcp"),
        (&"http://registry.invalid/v2/".to_owned(), None, "dns"),
        (&"registry".to_owned(), None, "configuration"),
        (&open.replace("http:", "https:"), None, "tls"),
    ] {
        let output = succeeded(run(registry(url, user)).await);
        assert_eq!(verdict(&output), wanted, "{url} {user:?}: {output}");
        assert!(!output.to_string().contains("geheim"), "{output}");
    }
    let output = succeeded(run(registry(&tokens, Some(("bot", "geheim")))).await);
    assert_eq!(output["details"], json!({"signedIn": true, "user": "bot"}));
    let output = succeeded(run(registry(&open, Some(("bot", "geheim")))).await);
    assert_eq!(output["warnings"], json!(["the registry does not ask who calls: user and password were not checked"]));
}

#[tokio::test]
async fn prometheus_is_asked_for_one() {
    let routes = Router::new()
        .route(
            "/api/v1/query",
            get(async |headers: HeaderMap, Query(query): Query<HashMap<String, String>>| {
                assert_eq!(query["query"], "1");
                match headers.get("x-scope-orgid") {
                    None if authorization(&headers) == BOT => {
                        (StatusCode::OK, json!({"status": "success"}).to_string())
                    }
                    Some(_) => (StatusCode::OK, json!({"status": "success", "data": {}}).to_string()),
                    None => (StatusCode::UNAUTHORIZED, String::new()),
                }
            }),
        )
        .route("/grafana/api/v1/query", get(async || "<html>"));
    let url = serve(routes).await;
    assert_eq!(verdict_of(prometheus(&url, &[("X-Scope-OrgID", "a")])).await, "ok");
    assert_eq!(verdict_of(prometheus(&format!("{url}/"), &[])).await, "auth");
    let basic_auth = Some(BasicAuth { username: "bot".into(), password: "geheim".into() });
    let test = ConnectionTest::Prometheus { url: url.clone(), headers: [].into(), basic_auth };
    assert_eq!(verdict_of(test).await, "ok");
    assert_eq!(verdict_of(prometheus(&format!("{url}/grafana"), &[])).await, "protocol");
    assert_eq!(verdict_of(prometheus(&format!("{url}/other"), &[])).await, "not-found");
    assert_eq!(verdict_of(prometheus(&url, &[("X-Scope-OrgID", "a\r\nb")])).await, "configuration");
}

#[tokio::test]
async fn types_without_a_tester_are_refused_by_name() {
    let failed = failure(run(ConnectionTest::Other { name: "Jira".into(), spec: Json::Null }).await);
    assert_eq!(types(&failed), ["ConfigurationFailure"]);
    assert_eq!(failed.message, "connectors of type `Jira` cannot be tested yet");
    let failed = failure(run(ConnectionTest::Git { repository: repository() }).await);
    assert_eq!(failed.message, "connectors of type `Git` cannot be tested yet");
}

fn repository() -> GitRepository {
    GitRepository { connector: "org.git".into(), url: "https://git.example/x".into(), auth: GitAuth::Anonymous }
}

struct Git(Result<Finding, Problem>);

#[async_trait]
impl GitTest for Git {
    async fn test(&self, repository: &GitRepository) -> Result<Finding, Problem> {
        assert_eq!(repository.connector, "org.git");
        self.0.clone()
    }
}

struct Silent;

#[async_trait]
impl GitTest for Silent {
    async fn test(&self, _: &GitRepository) -> Result<Finding, Problem> {
        std::future::pending().await
    }
}

#[test]
fn a_cluster_tells_who_it_takes_us_for() {
    virtual_runtime().unwrap().block_on(async {
        let clock = Clock::simulated(crate::support::start());
        let config = Config::new(clock).admin_token("admin").user_token("viewer", "viewer");
        let sim = KubeSim::new(config).unwrap();
        let clusters = Arc::new(Clusters::new(Identity::default(), clock).mount("https://sim", sim.router()));
        let handler = ConnectionTestHandler::new(client(clock)).with_cluster(clusters);
        let access = |url: &str, token: &str| {
            let auth = ClusterAuth::Token { token: token.into() };
            ClusterAccess::Manual { url: url.into(), ca: None, auth }
        };
        let mut warned = false;
        for (access, wanted) in [
            (access("https://sim", "admin"), "ok"),
            (access("https://sim", "viewer"), "ok"),
            (access("https://sim", "wrong"), "auth"),
            (access("sim", "admin"), "configuration"),
        ] {
            let test = ConnectionTest::Cluster { access: access.clone(), namespace: Some("default".into()) };
            let output = succeeded(Bench::new(clock).run(&handler, Work::TestConnection(Box::new(test))).await);
            assert_eq!(verdict(&output), wanted, "{access:?} {output}");
            if output["details"]["user"] == "viewer" {
                warned = true;
                assert!(output["warnings"][0].as_str().unwrap().contains("create deployments.apps"), "{output}");
            }
        }
        assert!(warned);
    });
}

#[tokio::test]
async fn a_repository_lists_its_refs() {
    let folder = tempfile::tempdir().unwrap();
    let sim = GitSim::open(folder.path().join("sim"), Options::new(Clock::system())).unwrap();
    let name = RepoName::new("acme", "deploy").unwrap();
    let commit = NewCommit {
        branch: "main".into(),
        message: "begin".into(),
        author: Person::new("Ada", "ada@acme.example"),
        when: crate::support::start(),
        changes: Changes::default().write("a.yaml", "a: 1\n"),
    };
    sim.create_repo(&name).await.unwrap().commit(&commit).await.unwrap();
    sim.add_token(Token::new("bot", "geheim").on_repo(name, Right::Read));
    let url = serve(sim.router()).await;
    let cache = windlass_git::Options::new(folder.path().join("cache"), Clock::system());
    let repositories = Arc::new(windlass_git::Repositories::open(cache).unwrap());
    let handler = ConnectionTestHandler::new(client(Clock::system())).with_git(repositories);
    for (url, password, wanted) in [
        (format!("{url}/acme/deploy"), "geheim", "ok"),
        (format!("{url}/acme/deploy"), "wrong", "auth"),
        (format!("{}/acme/deploy", nobody().await), "geheim", "tcp"),
        ("http://".to_owned(), "geheim", "configuration"),
    ] {
        let auth = GitAuth::Http { username: "bot".into(), password: password.into() };
        let repository = GitRepository { connector: "org.git".into(), url: url.clone(), auth };
        let work = Work::TestConnection(Box::new(ConnectionTest::Git { repository }));
        let output = succeeded(Bench::new(Clock::system()).run(&handler, work).await);
        assert_eq!(verdict(&output), wanted, "{url} {output}");
        assert!(!output.to_string().contains("geheim"), "{output}");
        if wanted == "ok" {
            assert_eq!(output["details"], json!({"branches": 1, "tags": 0, "defaultBranch": "main"}));
        }
    }
}

#[tokio::test]
async fn testers_are_plugged_in() {
    let problem = Problem::new(Reason::Permission, "the token may not read acme/deploy");
    for (answer, wanted) in [(Ok(Finding::new("12 refs", json!({"refs": 12}))), "ok"), (Err(problem), "permission")] {
        let handler = ConnectionTestHandler::new(client(Clock::system())).with_git(Arc::new(Git(answer)));
        let work = Work::TestConnection(Box::new(ConnectionTest::Git { repository: repository() }));
        assert_eq!(verdict(&succeeded(Bench::new(Clock::system()).run(&handler, work).await)), wanted);
    }
}

#[test]
fn a_test_takes_half_a_minute_at_most() {
    virtual_runtime().unwrap().block_on(async {
        let clock = Clock::simulated(crate::support::start());
        let handler = ConnectionTestHandler::new(client(clock)).with_git(Arc::new(Silent));
        let work = Work::TestConnection(Box::new(ConnectionTest::Git { repository: repository() }));
        let output = succeeded(Bench::new(clock).run(&handler, work).await);
        assert_eq!(output["errorSummary"], "no result: not ready after 30s (tcp)");
        assert_eq!(clock.now(), crate::support::start() + windlass_model::Millis::from_secs(30));
    });
}
