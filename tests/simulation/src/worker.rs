//! A delegate: processes one after the other, since they die.

use crate::clusters::Sites;
use crate::history::History;
use crate::installation::ACCOUNT;
use crate::ledger::{Ledger, WHO, Who};
use crate::network::{Cable, Dialer, LogTalk, delegate_id};
use crate::plan::Line;
use crate::server::Server;
use crate::vitals::Vitals;
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use windlass_clock::Clock;
use windlass_cluster::{Cluster, Clusters, Identity};
use windlass_delegate::{Config, serve_in_process};
use windlass_deploy::KubernetesHandler;
use windlass_git::{Options, Repositories};
use windlass_link::client::Transport;
use windlass_link::{PROTOCOL, Registration, TaskSupport};
use windlass_model::task::{Outcome, Task, Work};
use windlass_model::{Identifier, Millis, Scope, Timestamp};
use windlass_render::Renderer;
use windlass_secrets::{EnvironmentStore, SecretStores, WorkerKey};
use windlass_store::delegates::Delegate;
use windlass_task::{Handler, TaskContext};
use windlass_test_dice::Dice;

/// Everything a worker meets.
#[derive(Clone, Debug)]
pub struct Surroundings {
    pub clock: Clock,
    pub history: History,
    pub server: Server,
    pub sites: Sites,
    pub ledger: Ledger,
    pub logs: LogTalk,
    pub folder: PathBuf,
}

/// A delegate across its processes. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Worker(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    number: usize,
    around: Surroundings,
    /// Its clock, which may be wrong.
    clock: Clock,
    line: Line,
    cable: Cable,
    process: Mutex<(u32, Vitals)>,
    dice: Mutex<Dice>,
}

impl Worker {
    pub fn start(number: usize, around: Surroundings, line: Line, skew: i64, dice: Dice) -> Self {
        let at = Timestamp::from_micros(around.clock.now().micros() + skew * 1_000);
        let worker = Self(Arc::new(Inner {
            number,
            clock: Clock::simulated(at),
            around,
            line,
            cable: Cable::default(),
            process: Mutex::new((0, Vitals::default())),
            dice: Mutex::new(dice),
        }));
        worker.begin();
        worker
    }

    pub fn cable(&self) -> &Cable {
        &self.0.cable
    }

    /// The process ends at once, with everything it does.
    pub fn kill(&self) {
        let Inner { number, around, process, .. } = &*self.0;
        let process = process.lock().unwrap();
        around.history.note(format_args!("delegate {number}.{} dies", process.0));
        process.1.die();
    }

    /// The process that runs now stands still for a while, and goes on where it stood.
    pub async fn sleep(&self, lasts: Millis) {
        let (number, vitals) = self.0.process.lock().unwrap().clone();
        vitals.wake(false);
        self.0.around.clock.sleep(lasts).await;
        self.0.around.history.note(format_args!("delegate {}.{number} wakes", self.0.number));
        vitals.wake(true);
    }

    /// Starts the next process.
    pub fn begin(&self) {
        let Inner { number, around, clock, line, cable, process, dice } = &*self.0;
        let (incarnation, vitals) = {
            let mut process = process.lock().unwrap();
            *process = (process.0 + 1, Vitals::default());
            process.clone()
        };
        around.history.note(format_args!("delegate {number}.{incarnation} begins"));
        let name = format!("{number}.{incarnation}");
        let folder = around.folder.join(&name);
        let handler = Bench::new((*number, incarnation), around, *clock, &folder, vitals.clone());
        let key = WorkerKey::generate().unwrap();
        let sealing_key = key.public().to_string();
        let secrets = SecretStores::new(key, None, EnvironmentStore::new("", []));
        let dialer = Dialer {
            row: row(*number, incarnation, sealing_key, around.clock.now()),
            name,
            server: around.server.clone(),
            clock: around.clock,
            history: around.history.clone(),
            line: *line,
            cable: cable.clone(),
            logs: around.logs.clone(),
            vitals: vitals.clone(),
        };
        let (connect, connections) = mpsc::channel(1);
        tokio::spawn(dialer.run(connect, dice.lock().unwrap().fork()));
        let serving = serve_in_process(
            config(*number, folder),
            *clock,
            vec![Arc::new(handler) as Arc<dyn Handler>],
            secrets,
            CancellationToken::new(),
            connections,
        );
        tokio::spawn(async move { vitals.live(serving).await });
    }
}

fn config(number: usize, folder: PathBuf) -> Config {
    Config {
        server: String::new(),
        account: ACCOUNT.to_owned(),
        token: String::new(),
        name: format!("edge{number}"),
        tags: vec!["edge".to_owned()],
        description: String::new(),
        capacity: 3,
        transport: Transport::Auto,
        work_folder: folder,
        grace: Millis::from_secs(60),
        version: "1".to_owned(),
        hostname: String::new(),
    }
}

fn row(number: usize, incarnation: u32, sealing_key: String, now: Timestamp) -> Delegate {
    let registration = Registration {
        account: ACCOUNT.to_owned(),
        name: format!("edge{number}"),
        tags: vec!["edge".to_owned()],
        description: String::new(),
        version: "1".to_owned(),
        protocol: PROTOCOL,
        tasks: vec![TaskSupport { kind: "kubernetes".to_owned(), version: Work::VERSION }],
        capacity: 3,
        instance: format!("{number}.{incarnation}"),
        hostname: String::new(),
        signing_key: String::new(),
        sealing_key,
    };
    let name = Identifier::parse(&registration.name).unwrap();
    Delegate {
        id: delegate_id(number, incarnation),
        scope: Scope::Account,
        token: name.clone(),
        name,
        tags: registration.tags.clone(),
        version: registration.version.clone(),
        state: "disconnected".to_owned(),
        server: String::new(),
        capacity: registration.capacity,
        public_key: registration.sealing_key.clone().into_bytes(),
        registered_at: now,
        seen_at: now,
        body: serde_json::to_string(&registration).unwrap(),
        load: "{}".to_owned(),
    }
}

/// Does the real work of a delegate, and stops in the middle of it when the process dies.
struct Bench {
    process: (usize, u32),
    inner: KubernetesHandler,
    vitals: Vitals,
}

impl Bench {
    fn new(process: (usize, u32), around: &Surroundings, clock: Clock, folder: &Path, vitals: Vitals) -> Self {
        let (sites, ledger, history) = (around.sites.clone(), around.ledger.clone(), around.history.clone());
        // As in a real process: what a connection has found out about its cluster holds for every task.
        let known: Mutex<BTreeMap<String, Cluster>> = Mutex::default();
        let stand = move |name: &str| {
            let mut known = known.lock().unwrap();
            if !known.contains_key(name) {
                known.insert(name.to_owned(), sites.connect(name, &ledger, &history, clock)?);
            }
            known.get(name).cloned()
        };
        let clusters = Clusters::new(Identity::default(), clock).answered_by(Arc::new(stand));
        let repositories = Repositories::open(Options::new(folder, clock)).unwrap();
        let inner = KubernetesHandler::new(Arc::new(clusters), Renderer::new(Arc::new(repositories)));
        Self { process, inner, vitals }
    }
}

#[async_trait]
impl Handler for Bench {
    fn types(&self) -> &'static [&'static str] {
        self.inner.types()
    }

    async fn run(&self, cx: &TaskContext, task: &Task) -> Outcome {
        let Work::Kubernetes(work) = &task.work else { panic!("{:?}", task.work) };
        let target = &work.target;
        let who = Arc::new(Who {
            process: self.process,
            run: task.origin.run,
            task: task.id,
            attempt: task.attempt,
            place: format!("{}/{}", target.connector, target.release),
            vitals: self.vitals.clone(),
        });
        let working = WHO.scope(who, self.inner.run(cx, task));
        // Nobody hears of a death: with the process went its connection.
        self.vitals.live(working).await.unwrap_or(Outcome::Aborted { done: "the process is dead".to_owned() })
    }
}
