//! A server in memory with one pipeline, and a delegate whose handler counts.

use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use windlass_app::access::Caller;
use windlass_app::access::Permission::{PipelineExecute, PipelineView};
use windlass_app::access::Verb;
use windlass_app::documents::ApplyRequest;
use windlass_app::runs::interrupt::Command;
use windlass_app::runs::start::RunRequest;
use windlass_app::{ADMIN, App, Parts, Principal};
use windlass_clock::Clock;
use windlass_delegate::{Config, serve_in_process};
use windlass_document::Kind;
use windlass_engine::Projection;
use windlass_link::client::Transport;
use windlass_link::{Channel, PROTOCOL, Registration, TaskSupport, ToServer, ToWorker, channel_pair};
use windlass_model::id::DelegateId;
use windlass_model::task::{Outcome, Task, Work};
use windlass_model::{Identifier, Json, Millis, RunId, Scope, Timestamp};
use windlass_secrets::{EnvironmentStore, SecretStores, WorkerKey};
use windlass_store::delegates::Delegate;
use windlass_store::{Store, Write};
use windlass_task::{Handler, TaskContext};

/// Two after each other, then three at once.
pub(crate) const STEPS: [&str; 5] = ["one", "two", "three", "four", "five"];

const PIPELINE: &str = "
pipeline:
  identifier: rough
  name: rough
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: work
        name: work
        type: Custom
        spec:
          execution:
            steps:
              - step: {identifier: one, name: one, type: ShellScript, timeout: 10m, spec: {shell: Bash, source: {type: Inline, spec: {script: one}}}}
              - step: {identifier: two, name: two, type: ShellScript, timeout: 10m, spec: {shell: Bash, source: {type: Inline, spec: {script: two}}}}
              - parallel:
                  - step: {identifier: three, name: three, type: ShellScript, timeout: 10m, spec: {shell: Bash, source: {type: Inline, spec: {script: three}}}}
                  - step: {identifier: four, name: four, type: ShellScript, timeout: 10m, spec: {shell: Bash, source: {type: Inline, spec: {script: four}}}}
                  - step: {identifier: five, name: five, type: ShellScript, timeout: 10m, spec: {shell: Bash, source: {type: Inline, spec: {script: five}}}}
";

/// What a step says.
pub(crate) fn lines(step: &str) -> Vec<String> {
    (1..=9).map(|n| format!("{step} {n}")).collect()
}

/// Does nothing but talk for some seconds, and counts.
#[derive(Clone, Default)]
struct Counting {
    begun: Arc<Mutex<BTreeMap<String, u32>>>,
    /// So many chunks of the log the first step says after two seconds, all at once.
    outburst: usize,
}

/// A line that is a chunk by itself.
const LONG: usize = 64 * 1024;

#[async_trait]
impl Handler for Counting {
    fn types(&self) -> &'static [&'static str] {
        &["shell"]
    }

    async fn run(&self, cx: &TaskContext, task: &Task) -> Outcome {
        let Work::Shell(work) = &task.work else { panic!("{:?}", task.work) };
        let step = work.script.trim().to_owned();
        *self.begun.lock().unwrap().entry(step.clone()).or_default() += 1;
        if step == STEPS[0] && self.outburst > 0 {
            cx.clock().sleep(Millis::from_secs(2)).await;
            (0..self.outburst).for_each(|_| cx.log().info("x".repeat(LONG)));
        }
        for (n, line) in lines(&step).into_iter().enumerate() {
            cx.log().info(line);
            cx.checkpoint(&n);
            cx.clock().sleep(Millis(700)).await;
        }
        Outcome::Succeeded { output: Json::Null }
    }
}

/// Where the delegate gets its connections from.
pub(crate) type Connect = mpsc::Sender<Channel<ToWorker, ToServer>>;

/// To somebody, and from there.
type Ways<To, From> = (mpsc::Sender<To>, mpsc::Receiver<From>);

pub(crate) struct House {
    pub(crate) app: App,
    pub(crate) clock: Clock,
    pub(crate) delegate: DelegateId,
    caller: Caller,
    counting: Counting,
    folder: TempDir,
    _performers: JoinSet<()>,
}

impl House {
    pub(crate) async fn open() -> Self {
        Self::with_outburst(0).await
    }

    /// A house whose first step has much to say at once.
    pub(crate) async fn with_outburst(outburst: usize) -> Self {
        let clock = Clock::simulated(Timestamp::from_secs(1_800_000_000));
        let parts = Parts::unreachable(Store::in_memory(clock).unwrap(), clock, "one").unwrap();
        let app = App::new(Parts { account: "test".into(), ..parts });
        app.first_start().await.unwrap();
        let person = Principal { id: format!("user:{ADMIN}"), name: "Ada".into(), email: None, person: true };
        let caller = app.caller(person.clone()).await.unwrap();
        let request = ApplyRequest {
            file: "pipeline.yaml",
            text: PIPELINE,
            scope: scope(),
            kind: None,
            set: BTreeMap::new(),
            dry_run: false,
        };
        app.apply(&caller, request).await.unwrap();
        let caller = app.caller(person).await.unwrap();
        let performers = app.perform();
        let delegate = DelegateId::from_ulid(ulid::Ulid::from_bytes([1; 16]));
        let house = Self {
            app,
            clock,
            delegate,
            caller,
            counting: Counting { outburst, ..Counting::default() },
            folder: tempfile::tempdir().unwrap(),
            _performers: performers,
        };
        house.register().await;
        house
    }

    async fn register(&self) {
        let registration = Registration {
            account: "test".into(),
            name: "worker".into(),
            tags: Vec::new(),
            description: String::new(),
            version: "1".into(),
            protocol: PROTOCOL,
            tasks: vec![TaskSupport { kind: "shell".into(), version: Work::VERSION }],
            capacity: 10,
            instance: String::new(),
            hostname: String::new(),
            signing_key: String::new(),
            sealing_key: WorkerKey::generate().unwrap().public().to_string(),
        };
        let name = Identifier::parse("worker").unwrap();
        let row = Delegate {
            id: self.delegate,
            scope: Scope::Account,
            token: name.clone(),
            name,
            tags: Vec::new(),
            version: "1".into(),
            state: "disconnected".into(),
            server: "one".into(),
            capacity: 10,
            public_key: registration.sealing_key.clone().into_bytes(),
            registered_at: self.clock.now(),
            seen_at: self.clock.now(),
            body: serde_json::to_string(&registration).unwrap(),
            load: "{}".into(),
        };
        let mut write = Write::new();
        write.register_delegate(&row);
        self.app.store().write(write).await.unwrap();
    }

    pub(crate) fn start_delegate(&self, connections: mpsc::Receiver<Channel<ToWorker, ToServer>>) {
        let config = Config {
            server: String::new(),
            account: "test".into(),
            token: String::new(),
            name: "worker".into(),
            tags: Vec::new(),
            description: String::new(),
            capacity: 10,
            transport: Transport::Auto,
            work_folder: self.folder.path().to_owned(),
            grace: Millis::from_secs(60),
            version: "1".into(),
            hostname: String::new(),
        };
        let secrets = SecretStores::new(WorkerKey::generate().unwrap(), None, EnvironmentStore::new("", []));
        let handlers: Vec<Arc<dyn Handler>> = vec![Arc::new(self.counting.clone())];
        let stop = CancellationToken::new();
        tokio::spawn(serve_in_process(config, self.clock, handlers, secrets, stop, connections));
    }

    /// The server's side of a connection.
    pub(crate) fn serve(&self, end: Channel<ToServer, ToWorker>) -> JoinHandle<()> {
        let (app, delegate) = (self.app.clone(), self.delegate);
        tokio::spawn(async move { app.serve_delegate(delegate, end).await })
    }

    /// A connection between the delegate and the server.
    pub(crate) async fn connect(&self, connect: &Connect) {
        let (server_end, worker_end) = channel_pair();
        connect.send(worker_end).await.unwrap();
        self.serve(server_end);
    }

    /// One that is in the hands of the test: the server, the way to it and from it, the way to the delegate and from it.
    pub(crate) async fn tap(
        &self,
        connect: &Connect,
    ) -> (JoinHandle<()>, Ways<ToServer, ToWorker>, Ways<ToWorker, ToServer>) {
        let (server_end, to_server) = channel_pair();
        let (to_worker, worker_end) = channel_pair();
        let served = self.serve(server_end);
        connect.send(worker_end).await.unwrap();
        (served, to_server.split(), to_worker.split())
    }

    /// Aborts the run that is open.
    pub(crate) async fn abort(&self) -> RunId {
        let run = self.app.store().runs().open().await.unwrap()[0];
        let stored = self.caller.stored_run(PipelineView, run).await.unwrap();
        let stored = self.caller.authorize(PipelineExecute, stored.into_inner()).await.unwrap();
        self.app.interrupt(&self.caller, &stored, Command::Abort).await.unwrap();
        run
    }

    /// Runs the pipeline to its end.
    pub(crate) async fn run_pipeline(&self) -> Projection {
        let seen = self.caller.document(Verb::View, Kind::Pipeline, &scope(), None, "rough").await.unwrap();
        let pipeline = self.caller.authorize(PipelineExecute, seen.into_inner()).await.unwrap();
        let mut changes = self.app.store().changes();
        let started = self.app.start_run(&self.caller, &pipeline, RunRequest::default()).await.unwrap();
        let run = self.caller.stored_run(PipelineView, started.run).await.unwrap();
        loop {
            let projection = self.app.run(&run).await.unwrap();
            if projection.run.ended_at.is_some() {
                // Last words may still be on their way.
                self.clock.sleep(Millis::from_mins(5)).await;
                return projection;
            }
            let _ = self.clock.timeout(Millis::from_secs(5), changes.next()).await;
        }
    }

    pub(crate) fn begun(&self, step: &str) -> u32 {
        self.counting.begun.lock().unwrap().get(step).copied().unwrap_or_default()
    }

    async fn log_key(&self, run: &Projection, step: &str) -> String {
        let run = self.caller.stored_run(PipelineView, run.run.run).await.unwrap();
        let rows = self.app.logs_of(&run, Some(step)).await.unwrap();
        assert_eq!(rows.len(), 1, "{rows:?}");
        rows[0].key.clone()
    }

    pub(crate) async fn log(&self, run: &Projection, step: &str) -> Vec<String> {
        let key = self.log_key(run, step).await;
        let lines = self.app.parts().logs.read(&key, 0).await.unwrap();
        lines.into_iter().map(|line| line.out).collect()
    }

    /// How many lines were ever stored of a log.
    pub(crate) async fn lines(&self, run: &Projection, step: &str) -> u64 {
        let key = self.log_key(run, step).await;
        self.app.parts().logs.summary(&key).await.unwrap().lines
    }
}

fn scope() -> Scope {
    Scope::Project { org: "default".parse().unwrap(), project: "platform".parse().unwrap() }
}
