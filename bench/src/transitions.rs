//! How many step transitions a second become durable.
//!
//! One transition is what the engine appends when a step ends and the next one starts: two events, the run, two nodes, a timer, an
//! effect, and the end of the effect before. Many runs append at once; there is one thread besides the one that writes.

use crate::figure::{Budget, Report, quantile};
use crate::process::Observed;
use std::time::{Duration, Instant};
use ulid::Ulid;
use windlass_clock::Clock;
use windlass_model::{Identifier, RunId, Scope, Status, Timestamp};
use windlass_store::outbox::{Effect, NewEffect};
use windlass_store::runs::{Append, Run, RunEvent, RunNode};
use windlass_store::timers::NewTimer;
use windlass_store::{Database, SqliteOptions, Store, Write};

const AT: Timestamp = Timestamp::from_secs(1_772_460_000);

/// How long each is measured.
const LENGTH: Duration = Duration::from_secs(3);

pub(crate) fn measure(report: &mut Report) {
    let folder = tempfile::tempdir_in(".").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if let Ok(url) = std::env::var("WINDLASS_DATABASE") {
        let database = url.parse().unwrap();
        let paces: Vec<Pace> = (0..report.times).map(|_| runtime.block_on(pace(&database, 100))).collect();
        return tell(report, "PostgreSQL, 100 runs at once", None, &paces);
    }
    for (runs, budget) in [(1, None), (100, Some(Budget::AtLeast(5_000.0))), (1_000, None)] {
        let mut paces = Vec::new();
        for time in 0..report.times {
            let path = folder.path().join(format!("state-{runs}-{time}.db"));
            let database = Database::Sqlite(SqliteOptions::new(&path));
            paces.push(runtime.block_on(pace(&database, runs)));
        }
        tell(report, &format!("SQLite, {runs} runs at once"), budget, &paces);
    }
    let paces: Vec<Pace> = (0..report.times).map(|_| runtime.block_on(pace(&Database::Memory, 100))).collect();
    tell(report, "memory, 100 runs at once", None, &paces);
}

fn tell(report: &mut Report, what: &str, budget: Option<Budget>, paces: &[Pace]) {
    let all = |value: fn(&Pace) -> f64| paces.iter().map(value).collect();
    report.tell(&format!("durable transitions, {what}"), "/s", budget, all(|pace| pace.count / pace.took));
    report.tell(
        &format!("durable transitions, {what}, per second of processor time"),
        "/s",
        budget,
        all(|pace| pace.count / pace.processor),
    );
    report.tell(&format!("durable transitions, {what}, wait for one (99 %)"), "ms", None, all(|pace| pace.wait));
}

struct Pace {
    count: f64,
    /// Seconds.
    took: f64,
    /// Seconds.
    processor: f64,
    /// Milliseconds.
    wait: f64,
}

async fn pace(database: &Database, runs: u32) -> Pace {
    let store = Store::open(database, Clock::system()).await.unwrap();
    let this = Observed(std::process::id());
    let (start, before) = (Instant::now(), this.processor());
    let workers = (0..runs).map(|number| tokio::spawn(one_run(store.clone(), number, start + LENGTH)));
    let mut waits = Vec::new();
    for worker in workers.collect::<Vec<_>>() {
        waits.extend(worker.await.unwrap());
    }
    Pace {
        count: waits.len() as f64,
        took: start.elapsed().as_secs_f64(),
        processor: (this.processor() - before).as_secs_f64(),
        wait: quantile(&waits, 0.99),
    }
}

/// Appends until the time is over; answers with how long each append took, in milliseconds.
async fn one_run(store: Store, number: u32, until: Instant) -> Vec<f64> {
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
        waits.push(start.elapsed().as_secs_f64() * 1e3);
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
