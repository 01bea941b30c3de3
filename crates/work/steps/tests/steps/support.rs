//! Tasks, servers, and a place to run in.

use axum::Router;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::net::TcpListener;
use windlass_clock::Clock;
use windlass_http::{AddressRules, Client, Config, Jitter};
use windlass_model::task::{Origin, Outcome, Secrets, Task, Work};
use windlass_model::{Failure, Json, Millis, Timestamp};
use windlass_task::{Handler, Recorder, TaskContext};

pub(crate) fn start() -> Timestamp {
    Timestamp::parse("2026-03-02T14:00:00Z").unwrap()
}

pub(crate) fn task(work: Work, deadline: Timestamp) -> Task {
    Task {
        id: "task_01JNB2X9V7Q5Z3K8M4T6R1W0YA".parse().unwrap(),
        attempt: 1,
        origin: Origin {
            account: "acme".into(),
            org: "default".into(),
            project: "shop".into(),
            pipeline: "deploy".into(),
            run: "run_01JNB2X9V7Q5Z3K8M4T6R1W0YB".parse().unwrap(),
            sequence: 1,
            stage: "prod".into(),
            stage_execution: "prod-1".into(),
            step: "execution.steps.step".into(),
            step_attempt: 1,
            execution_url: String::new(),
        },
        log_key: "log".into(),
        deadline,
        checkpoint: None,
        secrets: Secrets::default(),
        work,
    }
}

/// A recorder, a folder and a clock.
pub(crate) struct Bench {
    pub(crate) recorder: Recorder,
    pub(crate) folder: TempDir,
    pub(crate) cx: TaskContext,
}

impl Bench {
    pub(crate) fn new(clock: Clock) -> Self {
        let (recorder, folder) = (Recorder::new(), tempfile::tempdir().unwrap());
        let cx = recorder.context(clock, folder.path());
        Self { recorder, folder, cx }
    }

    /// Runs a task that has five minutes.
    pub(crate) async fn run(&self, handler: &dyn Handler, work: Work) -> Outcome {
        let deadline = self.cx.clock().now() + Millis::from_mins(5);
        handler.run(&self.cx, &task(work, deadline)).await
    }
}

pub(crate) fn succeeded(outcome: Outcome) -> Json {
    match outcome {
        Outcome::Succeeded { output } => output,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn failure(outcome: Outcome) -> Failure {
    match outcome {
        Outcome::Failed { failure, .. } => failure,
        other => panic!("{other:?}"),
    }
}

/// The names of the failure's classes.
pub(crate) fn types(failure: &Failure) -> Vec<&'static str> {
    failure.types.iter().map(|kind| kind.name()).collect()
}

/// Serves until the runtime ends.
pub(crate) async fn serve(routes: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    url
}

pub(crate) fn jitter() -> Jitter {
    Arc::new(|| 0.5)
}

pub(crate) fn config() -> Config {
    Config { addresses: AddressRules::worker(), ..Config::default() }
}

pub(crate) fn client(clock: Clock) -> Client {
    Client::new(config(), clock.real(), jitter()).unwrap()
}

/// The address of a port that nobody listens on.
pub(crate) async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}
