//! How many step transitions a second become durable, and how long the disk takes to sync.
//!
//! `cargo run --release -p windlass-store --example store_bench [seconds]`
//!
//! One transition is what the engine appends when a step ends and the next one starts: two events, the run, two nodes, a timer, an
//! effect, and the end of the effect before. Many runs append at once; the server has one thread besides the one that writes.
// A program for a terminal that measures real time.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used)]

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};
use ulid::Ulid;
use windlass_clock::Clock;
use windlass_model::{Identifier, RunId, Scope, Status, Timestamp};
use windlass_store::outbox::{Effect, NewEffect};
use windlass_store::runs::{Append, Run, RunEvent, RunNode};
use windlass_store::timers::NewTimer;
use windlass_store::{Database, SqliteOptions, Store, Write};

const AT: Timestamp = Timestamp::from_secs(1_772_460_000);

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(3);
    let length = Duration::from_secs(seconds);
    let folder = tempfile::tempdir_in(".").unwrap();
    println!("disk: {:.3} ms to write and sync 4 KiB (median)", fsync(folder.path()).as_secs_f64() * 1e3);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        for runs in [1, 10, 100, 1_000] {
            let path = folder.path().join(format!("state-{runs}.db"));
            let store = Store::open(&Database::Sqlite(SqliteOptions::new(&path)), Clock::system()).await.unwrap();
            tell(&format!("SQLite, {runs} runs at once"), &store, runs, length).await;
        }
        let store = Store::in_memory(Clock::system()).unwrap();
        tell("memory, 100 runs", &store, 100, length).await;
        if let Some(url) = std::env::args().nth(2) {
            let store = Store::open(&url.parse().unwrap(), Clock::system()).await.unwrap();
            tell("PostgreSQL, 100 runs at once", &store, 100, length).await;
        }
    });
}

/// The median time for one small write to reach the disk.
fn fsync(folder: &Path) -> Duration {
    let mut file = std::fs::File::create(folder.join("fsync")).unwrap();
    let mut times: Vec<_> = (0..200)
        .map(|_| {
            let start = Instant::now();
            file.write_all(&[0; 4_096]).unwrap();
            file.sync_data().unwrap();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

async fn tell(what: &str, store: &Store, runs: u32, length: Duration) {
    let (start, cpu) = (Instant::now(), cpu());
    let workers = (0..runs).map(|number| tokio::spawn(one_run(store.clone(), number, start + length)));
    let mut waits = Vec::new();
    for worker in workers.collect::<Vec<_>>() {
        waits.extend(worker.await.unwrap());
    }
    let (took, cpu) = (start.elapsed().as_secs_f64(), self::cpu() - cpu);
    let count = waits.len() as f64;
    waits.sort_unstable();
    let wait = |share: f64| waits[((waits.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!(
        "{what}: {:.0} transitions/s ({:.0} per second of processor time), waiting {:.2} ms (median), {:.2} ms (99 %)",
        count / took,
        count / cpu,
        wait(0.5),
        wait(0.99),
    );
}

/// Seconds of processor time this process has used on all its threads.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let tasks = std::fs::read_dir("/proc/self/task").map(|tasks| {
        let spent = tasks.flatten().filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok());
        spent.filter_map(|text| text.split(' ').next()?.parse::<f64>().ok()).sum::<f64>()
    });
    tasks.unwrap_or_else(|_| text.split(' ').next().and_then(|text| text.parse().ok()).unwrap_or_default()) / 1e9
}

async fn one_run(store: Store, number: u32, until: Instant) -> Vec<Duration> {
    let mut run = Run {
        id: RunId::from_ulid(Ulid::from_parts(u64::from(number), u128::from(std::process::id()))),
        scope: Scope::Project { org: name("default"), project: name("platform") },
        pipeline: name(&format!("payment_{}_{number}", std::process::id())),
        sequence: 1,
        status: Status::Running,
        trigger: "webhook".into(),
        started_by: "serviceAccount:ci".into(),
        created_at: AT,
        started_at: Some(AT),
        ended_at: None,
        last_seq: 0,
        body: format!(r#"{{"name":"payment-service","stages":{}}}"#, "[1,2,3,4,5,6,7,8]"),
    };
    let mut waits = Vec::new();
    for step in 0_u64.. {
        if Instant::now() >= until {
            break;
        }
        run.last_seq += 2;
        let seq = run.last_seq;
        let events = vec![event(seq - 1, "StepEnded"), event(seq, "StepStarted")];
        let mut append = Append::new(run.clone(), events);
        append.nodes = vec![node(step % 40, Status::Success), node((step + 1) % 40, Status::Running)];
        append.effects = vec![NewEffect::of_run(run.id, seq, 0, "StartTask", body(400), AT)];
        append.timers = vec![NewTimer::of_run(run.id, "step/timeout", "StepTimeout", body(60), AT)];
        let mut write = Write::new();
        if step > 0 {
            // As if it had been taken: nobody here takes effects.
            write.effect_done(&taken(NewEffect::of_run(run.id, seq - 2, 0, "StartTask", String::new(), AT)));
        }
        write.append_run(append);
        let start = Instant::now();
        store.write(write).await.unwrap();
        waits.push(start.elapsed());
        // In memory nothing ever waits: let the others have their turn.
        tokio::task::yield_now().await;
    }
    waits
}

fn name(text: &str) -> Identifier {
    Identifier::parse(text).unwrap()
}

fn body(size: usize) -> String {
    format!(r#"{{"text":"{}"}}"#, "x".repeat(size))
}

fn event(seq: u64, kind: &str) -> RunEvent {
    RunEvent { seq, at: AT, kind: kind.into(), version: 1, body: body(300) }
}

fn taken(effect: NewEffect) -> Effect {
    let NewEffect { key, run, kind, body, due_at, .. } = effect;
    Effect { key, run, kind, body, due_at, attempts: 0, epoch: 0, error: None }
}

fn node(number: u64, status: Status) -> RunNode {
    RunNode {
        node: format!("stage.deploy.execution.steps.step_{number}"),
        parent: Some("stage.deploy".into()),
        position: number,
        kind: "K8sRollingDeploy".into(),
        identifier: format!("step_{number}"),
        name: format!("Step {number}"),
        status,
        attempt: 1,
        started_at: Some(AT),
        ended_at: None,
        body: body(200),
    }
}
