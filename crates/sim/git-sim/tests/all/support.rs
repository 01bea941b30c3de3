//! A server on a free port, clients for it, and a receiver of webhooks.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use windlass_clock::Clock;
use windlass_git_sim::{Changes, GitSim, NewCommit, Options, Person, Repo, RepoName, Right, Token};
use windlass_model::Timestamp;

pub(crate) struct World {
    pub(crate) sim: GitSim,
    pub(crate) address: String,
    pub(crate) folder: TempDir,
}

/// `company/app` with one commit; tokens `read`, `write`, `admin`, and `foreign` of another organisation.
pub(crate) async fn world() -> World {
    let folder = tempfile::tempdir().unwrap();
    let sim = GitSim::open(folder.path().join("repos"), Options::new(Clock::system())).unwrap();
    sim.add_token(Token::new("rita", "read").on_org("company", Right::Read));
    sim.add_token(Token::new("willy", "write").on_repo(app(), Right::Write));
    sim.add_token(Token::new("ada", "admin").on_org("company", Right::Admin));
    sim.add_token(Token::new("fred", "foreign").on_org("elsewhere", Right::Admin));
    let repo = sim.create_repo(&app()).await.unwrap();
    repo.commit(&change(
        "main",
        "first",
        &[("values.yaml", "replicas: 1\n"), ("deploy/app.yaml", "kind: Deployment\n")],
    ))
    .await
    .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = sim.clone();
    tokio::spawn(async move { server.serve(listener).await });
    World { sim, address, folder }
}

pub(crate) fn app() -> RepoName {
    "company/app".parse().unwrap()
}

pub(crate) fn ada() -> Person {
    Person::new("Ada", "ada@example.org")
}

pub(crate) fn noon() -> Timestamp {
    Timestamp::parse("2026-03-02T12:00:00Z").unwrap()
}

pub(crate) fn change(branch: &str, message: &str, files: &[(&str, &str)]) -> NewCommit {
    let changes = files.iter().fold(Changes::default(), |changes, (path, text)| changes.write(*path, *text));
    NewCommit { branch: branch.to_owned(), changes, message: message.to_owned(), author: ada(), when: noon() }
}

impl World {
    pub(crate) fn repo(&self) -> Repo {
        self.sim.repo(&app()).unwrap()
    }

    pub(crate) fn url(&self, token: &str) -> String {
        format!("http://user:{token}@{}/company/app.git", self.address)
    }

    /// Runs git; what it printed, and whether it succeeded.
    // The tests drive a real client, which is what they are for.
    #[allow(clippy::disallowed_methods)]
    pub(crate) async fn git(&self, folder: &Path, args: &[&str]) -> (bool, String) {
        let output = tokio::process::Command::new("git")
            .args(["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"])
            .args(args)
            .current_dir(folder)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LC_ALL", "C")
            .output()
            .await
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&text).replace(&self.address, "HOST"))
    }

    /// A clone with the token `token` in `name`.
    pub(crate) async fn clone(&self, token: &str, name: &str) -> PathBuf {
        let (ok, text) = self.git(self.folder.path(), &["clone", "-q", &self.url(token), name]).await;
        assert!(ok, "{text}");
        self.folder.path().join(name)
    }

    /// Writes a file, commits it and pushes the branch.
    pub(crate) async fn push(&self, clone: &Path, file: &str, branch: &str) -> (bool, String) {
        std::fs::write(clone.join(file), "changed\n").unwrap();
        for args in [&["add", "."][..], &["commit", "-q", "-m", "a change"]] {
            let (ok, text) = self.git(clone, args).await;
            assert!(ok, "{text}");
        }
        self.git(clone, &["push", "-q", "origin", &format!("HEAD:{branch}")]).await
    }

    /// Calls the REST API; the status and the body.
    pub(crate) async fn call(&self, method: &str, path: &str, token: &str, body: Value) -> (u16, Value) {
        let url = format!("http://{}{path}", self.address);
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let request = client.request(method.parse().unwrap(), url).bearer_auth(token);
        let request = if body.is_null() { request } else { request.json(&body) };
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default())
    }
}

/// One request that a webhook sent.
pub(crate) struct Received {
    pub(crate) headers: HeaderMap,
    pub(crate) raw: Bytes,
    pub(crate) body: Value,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// A receiver that answers with the given statuses, the last one for ever.
pub(crate) async fn receiver(answers: &[u16]) -> (String, mpsc::UnboundedReceiver<Received>) {
    let (sender, received) = mpsc::unbounded_channel();
    let answers: std::sync::Arc<std::sync::Mutex<Vec<u16>>> =
        std::sync::Arc::new(std::sync::Mutex::new(answers.iter().rev().copied().collect()));
    let take = async move |State((sender, answers)): State<Shared>, headers: HeaderMap, raw: Bytes| {
        let body = serde_json::from_slice(&raw).unwrap();
        sender.send(Received { headers, raw, body }).unwrap();
        let mut answers = answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop() } else { answers.last().copied() };
        StatusCode::from_u16(answer.unwrap_or(200)).unwrap()
    };
    let router = axum::Router::new().fallback(take).with_state((sender, answers));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/webhook/t1", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, received)
}

type Shared = (mpsc::UnboundedSender<Received>, std::sync::Arc<std::sync::Mutex<Vec<u16>>>);
