//! The server: a process that can die and is started again on what it has stored.

use crate::history::History;
use crate::installation::parts;
use crate::signal::Signal;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;
use windlass_app::App;
use windlass_clock::Clock;
use windlass_link::Pace;
use windlass_model::Millis;
use windlass_store::{Fate, Fates, Store};

/// Where the server is to die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// What has this number does not happen.
    Before(u64),
    /// It happens, and the server does not hear of it.
    After(u64),
}

/// Numbers everything at which a server may die: commits, and what it says and hears.
#[derive(Debug, Default)]
pub struct Points {
    count: AtomicU64,
    /// Nothing is numbered before it is opened.
    open: std::sync::atomic::AtomicBool,
    death: Option<Death>,
}

impl Points {
    pub fn new(death: Option<Death>) -> Self {
        Self { death, ..Self::default() }
    }

    pub fn open(&self) {
        self.open.store(true, Relaxed);
    }

    pub fn close(&self) {
        self.open.store(false, Relaxed);
    }

    pub fn count(&self) -> u64 {
        self.count.load(Relaxed)
    }

    /// What becomes of the next one.
    fn next(&self) -> Fate {
        if !self.open.load(Relaxed) {
            return Fate::Stored;
        }
        let number = self.count.fetch_add(1, Relaxed) + 1;
        match self.death {
            Some(Death::Before(at)) if at == number => Fate::DiesBefore,
            Some(Death::After(at)) if at == number => Fate::DiesAfter,
            _ => Fate::Stored,
        }
    }
}

/// The life of one process of the server.
#[derive(Debug)]
pub struct Life {
    number: u32,
    points: Arc<Points>,
    dead: CancellationToken,
    history: History,
}

impl Life {
    pub fn is_over(&self) -> bool {
        self.dead.is_cancelled()
    }

    /// Ends when the process has died.
    pub async fn over(&self) {
        self.dead.cancelled().await;
    }

    fn die(&self, why: &str) {
        if !self.is_over() {
            self.history.note(format_args!("server {} dies: {why}", self.number));
            self.dead.cancel();
        }
    }

    /// A message leaves or comes in. Whether it passes.
    pub fn message(&self, what: &str) -> bool {
        if self.is_over() {
            return false;
        }
        match self.points.next() {
            Fate::Stored => true,
            Fate::DiesBefore => {
                self.die(what);
                false
            }
            Fate::DiesAfter => {
                self.die(what);
                true
            }
        }
    }
}

impl Fates for Life {
    fn of(&self, nouns: &[&'static str]) -> Fate {
        if self.is_over() {
            return Fate::DiesBefore;
        }
        let fate = self.points.next();
        let mut told: Vec<&str> = nouns.to_vec();
        told.dedup();
        let told = told.join(", ");
        self.history.note(format_args!("server {} stores {told}", self.number));
        if fate != Fate::Stored {
            self.die(&told);
        }
        fate
    }
}

/// A process of the server that runs.
#[derive(Clone, Debug)]
pub struct Process {
    pub app: App,
    pub life: Arc<Life>,
}

impl Process {
    /// Does something with the server; `None` when it dies meanwhile.
    pub async fn asked<T>(&self, asked: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.life.over() => None,
            answer = asked => (!self.life.is_over()).then_some(answer),
        }
    }
}

/// The server across its processes. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Server(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    clock: Clock,
    history: History,
    points: Arc<Points>,
    pace: Pace,
    /// The database, by the handle of nobody.
    store: Store,
    running: Signal<Option<Process>>,
    /// How long it stays dead.
    outage: Mutex<Millis>,
}

impl Server {
    /// Starts the server on a database; it is started again whenever it dies.
    pub async fn start(clock: Clock, store: Store, history: History, points: Arc<Points>, pace: Pace) -> Self {
        let server = Self(Arc::new(Inner {
            clock,
            history,
            points,
            pace,
            store,
            running: Signal::new(None),
            outage: Mutex::new(Millis::from_secs(2)),
        }));
        tokio::spawn(server.clone().live());
        server.up().await;
        server
    }

    async fn live(self) {
        let Inner { clock, history, points, pace, store, running, outage } = &*self.0;
        for number in 1.. {
            let dead = CancellationToken::new();
            let life = Arc::new(Life { number, points: Arc::clone(points), dead, history: history.clone() });
            let fates: Arc<dyn Fates> = Arc::clone(&life) as _;
            let store = store.in_next_process(fates).unwrap().unwrap();
            let starting = async {
                // As the role does when it starts on a file: whoever held a lease is dead.
                store.leases().forget().await.unwrap();
                let app = App::new(parts(store.clone(), *clock, &format!("server-{number}"), *pace));
                app.first_start().await.unwrap();
                let performers = app.perform();
                (app, performers)
            };
            let started = tokio::select! {
                biased;
                () = life.over() => None,
                started = starting => Some(started),
            };
            if let Some((app, performers)) = started {
                history.note(format_args!("server {number} runs"));
                running.set(Some(Process { app, life: Arc::clone(&life) }));
                life.over().await;
                running.set(None);
                drop(performers);
            }
            let outage = *outage.lock().unwrap();
            clock.sleep(outage).await;
        }
    }

    /// The process that runs, as soon as there is one.
    pub async fn up(&self) -> Process {
        self.0.running.when(Option::is_some).await.unwrap()
    }

    pub fn kill(&self, outage: Millis) {
        *self.0.outage.lock().unwrap() = outage;
        if let Some(process) = self.0.running.get() {
            process.life.die("killed");
        }
    }
}
