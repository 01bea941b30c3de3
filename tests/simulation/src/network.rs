//! Connections between workers and the server, as bad as the plan says.

use crate::history::History;
use crate::plan::Line;
use crate::server::{Process, Server};
use crate::signal::Signal;
use crate::vitals::Vitals;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use windlass_clock::Clock;
use windlass_link::{Channel, ToServer, ToWorker, channel_pair};
use windlass_model::id::DelegateId;
use windlass_model::{Millis, Timestamp};
use windlass_store::Write;
use windlass_store::delegates::Delegate;
use windlass_test_dice::Dice;

/// A connection that says nothing for so long is given up by the system.
const GIVEN_UP: Millis = Millis::from_secs(45);

/// A chunk of a log: key, attempt, number.
pub type ChunkName = (String, u32, u64);

/// What was said about logs. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct LogTalk(Arc<Mutex<Overheard>>);

#[derive(Debug, Default)]
struct Overheard {
    said: BTreeMap<ChunkName, Vec<String>>,
    acknowledged: BTreeSet<ChunkName>,
}

impl LogTalk {
    /// What workers said, by chunk.
    pub fn said(&self) -> BTreeMap<ChunkName, Vec<String>> {
        self.0.lock().unwrap().said.clone()
    }

    /// The chunks that the server has acknowledged.
    pub fn acknowledged(&self) -> BTreeSet<ChunkName> {
        self.0.lock().unwrap().acknowledged.clone()
    }
}

/// A message on its way.
trait Word: Clone + Send + Debug + 'static {
    fn told(&self) -> String;
    fn overheard(&self, _logs: &LogTalk, _history: &History) {}
}

impl Word for ToServer {
    fn told(&self) -> String {
        match self {
            Self::Hello { running, .. } => format!("hello with {}", running.len()),
            Self::Heartbeat { running, .. } => format!("heartbeat with {}", running.len()),
            Self::Accept { task, attempt } => format!("accept {task}/{attempt}"),
            Self::Decline { task, attempt, reason } => format!("decline {task}/{attempt}: {reason}"),
            Self::Progress { lease, seq, checkpoint, .. } => {
                let checkpoint = checkpoint.as_ref().map_or(0, |body| body.to_string().len());
                format!("progress {}/{} {seq} {checkpoint}", lease.task, lease.attempt)
            }
            Self::Result { lease, result } => {
                let outcome = format!("{:?}", result.outcome);
                let outcome: String = outcome.chars().take(400).collect();
                format!("result {}/{} {outcome}", lease.task, lease.attempt)
            }
            Self::Log { task, attempt, seq, lines, last, .. } => {
                let text: Vec<&str> = lines.iter().map(|line| line.out.as_str()).collect();
                format!("log {task}/{attempt} {seq} {last} {}", text.join(" | "))
            }
            Self::Draining { .. } => "draining".to_owned(),
        }
    }

    fn overheard(&self, logs: &LogTalk, history: &History) {
        if let Self::Log { key, attempt, seq, lines, .. } = self {
            let lines: Vec<String> = lines.iter().map(|line| line.out.clone()).collect();
            let before = logs.0.lock().unwrap().said.insert((key.clone(), *attempt, *seq), lines.clone());
            if before.is_some_and(|before| before != lines) {
                history.wrong(format_args!("two chunks {seq} of attempt {attempt} of {key}"));
            }
        }
    }
}

impl Word for ToWorker {
    fn told(&self) -> String {
        match self {
            Self::Welcome { lost, .. } => format!("welcome, {} lost", lost.len()),
            Self::Offer { task, attempt, .. } => format!("offer {task}/{attempt}"),
            Self::Assignment { lease, .. } => format!("assignment {}/{}", lease.task, lease.attempt),
            Self::Withdrawn { task, attempt, .. } => format!("withdrawn {task}/{attempt}"),
            Self::Cancel { task, attempt, reason } => format!("cancel {task}/{attempt}: {reason}"),
            Self::ResultAck { task, attempt, stale } => format!("result ack {task}/{attempt} {stale}"),
            Self::LogAck { attempt, seq, .. } => format!("log ack {attempt} {seq}"),
            Self::ProgressAck { task, attempt, seq, lost } => format!("progress ack {task}/{attempt} {seq} {lost}"),
            Self::Goodbye { reason, .. } => format!("goodbye: {reason}"),
            Self::HeartbeatAck => "heartbeat ack".to_owned(),
        }
    }

    fn overheard(&self, logs: &LogTalk, _: &History) {
        if let Self::LogAck { key, attempt, seq } = self {
            logs.0.lock().unwrap().acknowledged.insert((key.clone(), *attempt, *seq));
        }
    }
}

/// Whether anything passes between a delegate and the server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Cable(Signal<bool>);

impl Default for Cable {
    fn default() -> Self {
        Self(Signal::new(true))
    }
}

impl Cable {
    pub fn plug(&self, plugged: bool) {
        self.0.set(plugged);
    }

    async fn is(&self, plugged: bool) {
        self.0.when(|now| *now == plugged).await;
    }
}

/// How a worker comes to the server.
#[derive(Clone, Debug)]
pub struct Dialer {
    pub name: String,
    pub row: Delegate,
    pub server: Server,
    pub clock: Clock,
    pub history: History,
    pub line: Line,
    pub cable: Cable,
    pub logs: LogTalk,
    /// The worker's process.
    pub vitals: Vitals,
}

impl Dialer {
    /// Connects the worker again and again, until its process is dead.
    pub async fn run(self, connect: mpsc::Sender<Channel<ToWorker, ToServer>>, mut dice: Dice) {
        let vitals = self.vitals.clone();
        let dialing = async {
            loop {
                self.cable.is(true).await;
                let process = self.server.up().await;
                self.clock.sleep(self.line.delay).await;
                let mut write = Write::new();
                write.register_delegate(&self.row);
                if !matches!(process.asked(process.app.store().write(write)).await, Some(Ok(_))) {
                    continue;
                }
                if !self.connected(&process, &connect, &mut dice).await {
                    return;
                }
                self.clock.sleep(Millis(200 + dice.up_to(3_000))).await;
            }
        };
        vitals.live(dialing).await;
    }

    /// One connection. `false`: the worker wants no more of them.
    async fn connected(
        &self,
        process: &Process,
        connect: &mpsc::Sender<Channel<ToWorker, ToServer>>,
        dice: &mut Dice,
    ) -> bool {
        let (server_end, to_server) = channel_pair();
        let (to_worker, worker_end) = channel_pair();
        let end = CancellationToken::new();
        let _ended = end.clone().drop_guard();
        let (served, id) = (process.clone(), self.row.id);
        tokio::spawn(async move {
            let app = served.app.clone();
            served.asked(app.serve_delegate(id, server_end)).await
        });
        if connect.send(worker_end).await.is_err() {
            return false;
        }
        let (to_server, from_server) = to_server.split();
        let (to_worker, from_worker) = to_worker.split();
        let hung_up = to_worker.clone();
        let way = |arrow: &'static str| Carrier {
            arrow: format!("{} {arrow}", self.name),
            dialer: self.clone(),
            process: process.clone(),
            end: end.clone(),
        };
        tokio::spawn(way(">").carry(from_worker, to_server, dice.fork()));
        tokio::spawn(way("<").carry(from_server, to_worker, dice.fork()));
        let holds = Millis(1 + dice.up_to(self.line.holds.0));
        let cut = async {
            self.cable.is(false).await;
            self.clock.sleep(Millis(dice.up_to(GIVEN_UP.0))).await;
        };
        tokio::select! {
            biased;
            () = process.life.over() => {}
            () = hung_up.closed() => {}
            () = cut => {}
            () = self.clock.sleep(holds) => {}
        }
        self.history.note(format_args!("{} is cut off", self.name));
        true
    }
}

/// One direction of a connection.
#[derive(Clone)]
struct Carrier {
    arrow: String,
    dialer: Dialer,
    process: Process,
    end: CancellationToken,
}

impl Carrier {
    async fn carry<T: Word>(self, from: mpsc::Receiver<T>, to: mpsc::Sender<T>, dice: Dice) {
        let end = self.end.clone();
        let ordered = self.dialer.line.ordered;
        let carried =
            async { if ordered { self.in_order(from, to, dice).await } else { self.by_chance(from, to, dice).await } };
        tokio::select! {
            biased;
            () = end.cancelled() => {}
            () = carried => {}
        }
    }

    /// What is said first is heard first, and once.
    async fn in_order<T: Word>(self, mut from: mpsc::Receiver<T>, to: mpsc::Sender<T>, mut dice: Dice) {
        let clock = self.dialer.clock;
        let mut under_way: VecDeque<(Timestamp, T)> = VecDeque::new();
        loop {
            let due = under_way.front().map(|(due, _)| *due);
            let arrived = async {
                match due {
                    Some(due) => clock.sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = arrived => {
                    let Some((_, word)) = under_way.pop_front() else { continue };
                    if !self.deliver(word, &to).await {
                        return;
                    }
                }
                word = from.recv(), if under_way.len() < 512 => {
                    let Some(word) = word else { return };
                    let due = clock.now() + Millis(dice.up_to(self.dialer.line.delay.0));
                    under_way.push_back((under_way.back().map_or(due, |(last, _)| due.max(*last)), word));
                }
            }
        }
    }

    /// Words overtake each other, and some are said twice.
    async fn by_chance<T: Word>(self, mut from: mpsc::Receiver<T>, to: mpsc::Sender<T>, mut dice: Dice) {
        while let Some(word) = from.recv().await {
            let copies = if dice.percent(20) { 2 } else { 1 };
            for _ in 0..copies {
                let delay = if dice.percent(30) { Millis(dice.up_to(self.dialer.line.delay.0)) } else { Millis::ZERO };
                let (carrier, to, word) = (self.clone(), to.clone(), word.clone());
                tokio::spawn(async move {
                    carrier.dialer.clock.sleep(delay).await;
                    // What is under way when a connection ends may still arrive: the call was made.
                    carrier.deliver(word, &to).await;
                });
            }
        }
    }

    async fn deliver<T: Word>(&self, word: T, to: &mpsc::Sender<T>) -> bool {
        self.dialer.cable.is(true).await;
        let told = word.told();
        if self.dialer.vitals.is_dead() || !self.process.life.message(&told) {
            return false;
        }
        self.dialer.history.note(format_args!("{} {told}", self.arrow));
        word.overheard(&self.dialer.logs, &self.dialer.history);
        to.send(word).await.is_ok()
    }
}

/// The name of a worker's process in the installation.
pub fn delegate_id(delegate: usize, process: u32) -> DelegateId {
    let mut bytes = [0; 16];
    bytes[0] = u8::try_from(delegate).unwrap() + 1;
    bytes[12..].copy_from_slice(&process.to_be_bytes());
    DelegateId::from_ulid(ulid::Ulid::from_bytes(bytes))
}
