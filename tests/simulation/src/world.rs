//! One installation from its start to the end of everything that was asked of it.

use crate::clusters::Sites;
use crate::history::History;
use crate::installation::{START, furnished};
use crate::ledger::Ledger;
use crate::network::LogTalk;
use crate::people::{Desk, People};
use crate::plan::{Plan, Trouble};
use crate::server::{Death, Points, Server};
use crate::verdict::{self, RunEnd};
use crate::worker::{Surroundings, Worker};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use tokio::runtime::Builder;
use tokio::task::JoinHandle;
use windlass_clock::Clock;
use windlass_model::{Millis, Timestamp};
use windlass_test_dice::Dice;

/// No world lasts longer.
const HORIZON: Millis = Millis::from_mins(180);

/// Until what is on its way has arrived, and whoever goes on after an end has been seen.
const AFTERMATH: Millis = Millis::from_mins(3);

/// What became of a world.
#[derive(Clone, Debug)]
pub struct Report {
    /// How much happened, and the hash of it.
    pub count: u64,
    pub digest: String,
    /// What must never happen and did.
    pub wrongs: Vec<String>,
    pub runs: Vec<RunEnd>,
    /// What is in the clusters at the end.
    pub clusters: Vec<Vec<String>>,
    /// Changes in the clusters.
    pub changes: u64,
    /// How often another process went on with a task that had changed something.
    pub hand_overs: u64,
    /// At how many points the server could have died.
    pub points: u64,
    /// How long it lasted, in the time of the world.
    pub lasted: Millis,
    /// Everything that happened; only if it was wanted.
    pub lines: Vec<String>,
}

/// Plays a plan. `told`: whether every line of the history is kept.
pub fn play(seed: u64, plan: &Plan, death: Option<Death>, told: bool) -> Report {
    // Keys of hash maps and the order of what is ready at once belong to a thread: each world has its own, and no other.
    let others = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&others);
    let count = move || {
        counted.fetch_add(1, Relaxed);
    };
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).on_thread_start(count).build().unwrap();
    windlass_app::simulate_ids(Some(seed));
    let mut report = runtime.block_on(live(seed, plan, death, told));
    windlass_app::simulate_ids(None);
    if others.load(Relaxed) > 0 {
        report.wrongs.push("work was done on another thread: when it ended is a matter of chance".to_owned());
    }
    report
}

async fn live(seed: u64, plan: &Plan, death: Option<Death>, told: bool) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::simulated(Timestamp::parse(START).unwrap());
    let history = History::new(clock, told);
    let mut dice = Dice::new(seed ^ 0x0005_eed0_f0ff_1ce5);
    let sites = Sites::new(clock, &plan.clusters, &mut dice);
    let points = Arc::new(Points::new(death));
    let server = Server::start(clock, furnished(), history.clone(), Arc::clone(&points), plan.pace).await;
    let (ledger, logs) = (Ledger::default(), LogTalk::default());
    let around = Surroundings {
        clock,
        history: history.clone(),
        server: server.clone(),
        sites: sites.clone(),
        ledger: ledger.clone(),
        logs: logs.clone(),
        folder: folder.path().to_owned(),
    };
    let workers: Vec<Worker> =
        (0..2).map(|n| Worker::start(n, around.clone(), plan.lines[n], plan.skews[n], dice.fork())).collect();
    // Delegates are connected before anything is asked for: without any, a run is refused at once.
    clock.sleep(Millis::from_secs(5)).await;
    let (opened, from) = (Arc::clone(&points), plan.points_from);
    tokio::spawn(async move {
        clock.sleep(from).await;
        opened.open();
    });
    let people = People {
        server: server.clone(),
        clock,
        history: history.clone(),
        desk: Desk::default(),
        orders: Arc::new(plan.orders.clone()),
    };
    people.begin();
    let troubles = plan.troubles.iter().map(|(at, trouble)| {
        let (server, sites, workers, history) = (server.clone(), sites.clone(), workers.clone(), history.clone());
        let (at, trouble) = (*at, *trouble);
        tokio::spawn(async move {
            clock.sleep(at).await;
            history.note(format_args!("{trouble:?}"));
            strike(trouble, clock, &server, &sites, &workers).await;
        })
    });
    let troubles: Vec<JoinHandle<()>> = troubles.collect();
    let start = clock.now();
    let is_over = async {
        loop {
            clock.sleep(Millis::from_secs(5)).await;
            let settled = people.desk.papers().settled.len() == plan.orders.len();
            if settled && troubles.iter().all(JoinHandle::is_finished) {
                let process = server.up().await;
                if matches!(process.asked(verdict::is_quiet(&process)).await, Some(true)) {
                    return;
                }
            }
        }
    };
    if clock.timeout(HORIZON, is_over).await.is_err() {
        history.wrong(format_args!("there is no end after {HORIZON}"));
    }
    points.close();
    let lasted = clock.now().since(start);
    clock.sleep(AFTERMATH).await;
    let process = server.up().await;
    let runs = verdict::judge(&process, plan, &people.desk.papers(), &ledger, &logs, &history).await;
    let (count, digest) = history.digest();
    Report {
        count,
        digest,
        wrongs: history.wrongs(),
        runs,
        clusters: sites.states(),
        changes: ledger.count(),
        hand_overs: ledger.hand_overs(),
        points: points.count(),
        lasted,
        lines: history.lines(),
    }
}

async fn strike(trouble: Trouble, clock: Clock, server: &Server, sites: &Sites, workers: &[Worker]) {
    match trouble {
        Trouble::Partition { delegate, lasts } => {
            workers[delegate].cable().plug(false);
            clock.sleep(lasts).await;
            workers[delegate].cable().plug(true);
        }
        Trouble::ClusterAway { cluster, lasts } => {
            sites.way(cluster).close(true);
            clock.sleep(lasts).await;
            sites.way(cluster).close(false);
        }
        Trouble::DelegateDies { delegate, lasts } => {
            workers[delegate].kill();
            clock.sleep(lasts).await;
            workers[delegate].begin();
        }
        Trouble::DelegateSleeps { delegate, lasts } => workers[delegate].sleep(lasts).await,
        Trouble::ServerDies { lasts } => server.kill(lasts),
    }
}
