//! A connection that breaks, repeats, delays and loses: nothing is done twice, and nothing is lost (kubernetes-deploy §4.4).
//!
//! Server and delegate run in one process on a virtual clock; the network between them comes from a seed.
// Tests stop where they are wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod house;
mod network;

use house::{Connect, House, STEPS};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tokio::sync::mpsc;
use windlass_clock::virtual_runtime;
use windlass_link::{Lease, PROTOCOL, ToServer, ToWorker, channel_pair};
use windlass_model::{Millis, Status, TaskId};
use windlass_store::tasks::TaskState;

const SEEDS: u64 = 40;

#[test]
fn every_step_happens_once_and_its_log_is_whole_over_any_network() {
    let mut repeated = 0;
    let mut lost = 0;
    let mut connections = 0;
    for seed in 1..=SEEDS {
        virtual_runtime().unwrap().block_on(async {
            let house = House::open().await;
            let network = network::start(&house, seed).await;
            let run = house.run_pipeline().await;
            assert_eq!(run.run.status, Status::Success, "seed {seed}: {:?}", run.run.failure);
            for step in STEPS {
                assert_eq!(house.begun(step), 1, "seed {seed}: how often `{step}` was done");
                let attempts = run.nodes.iter().filter(|node| node.identifier == step).count();
                assert_eq!(attempts, 1, "seed {seed}: nodes of `{step}`");
                let log = house.log(&run, step).await;
                assert_eq!(log, house::lines(step), "seed {seed}: the log of `{step}`");
            }
            repeated += network.repeated();
            lost += network.lost();
            connections += network.connections();
        });
    }
    // The network was as bad as it should be.
    assert!(repeated > SEEDS * 10 && lost > SEEDS && connections > SEEDS * 3, "{repeated} {lost} {connections}");
}

/// More chunks than both queues of a connection and everything that the server deals with at once can hold.
const OUTBURST: usize = 800;

#[test]
fn a_delegate_that_comes_back_with_much_to_say_listens_meanwhile() {
    virtual_runtime().unwrap().block_on(async {
        let house = House::with_outburst(OUTBURST).await;
        let (connect, connections) = mpsc::channel(1);
        house.start_delegate(connections);
        let absence = async {
            // A connection on which the server soon hears nothing any more, and which takes everything that is said.
            let (served, (to_server, mut from_server), (to_worker, mut from_worker)) = house.tap(&connect).await;
            let down = tokio::spawn(async move {
                while let Some(word) = from_server.recv().await {
                    let _ = to_worker.send(word).await;
                }
            });
            let deaf = Arc::new(AtomicBool::new(false));
            let is_deaf = Arc::clone(&deaf);
            let up = tokio::spawn(async move {
                while let Some(word) = from_worker.recv().await {
                    if !is_deaf.load(Relaxed) {
                        let _ = to_server.send(word).await;
                    }
                }
            });
            while house.begun(STEPS[0]) == 0 {
                house.clock.sleep(Millis(100)).await;
            }
            deaf.store(true, Relaxed);
            house.clock.sleep(Millis::from_secs(10)).await;
            served.abort();
            down.abort();
            up.abort();
            house.connect(&connect).await;
        };
        let (run, ()) = tokio::join!(house.run_pipeline(), absence);
        assert_eq!(run.run.status, Status::Success, "{:?}", run.run.failure);
        assert_eq!(house.begun(STEPS[0]), 1);
        let said = OUTBURST + house::lines(STEPS[0]).len();
        assert_eq!(house.lines(&run, STEPS[0]).await, said as u64);
    });
}

/// A connection that breaks where a task is handed over.
async fn lose_an_assignment(house: &House, connect: &Connect) {
    let (served, (to_server, mut from_server), (to_worker, mut from_worker)) = house.tap(connect).await;
    let up = tokio::spawn(async move {
        while let Some(word) = from_worker.recv().await {
            let _ = to_server.send(word).await;
        }
    });
    while let Some(word) = from_server.recv().await {
        if matches!(word, ToWorker::Assignment { .. }) {
            break;
        }
        let _ = to_worker.send(word).await;
    }
    served.abort();
    up.abort();
}

/// Its time runs from when it can begin, not from when somebody else could have.
#[test]
fn a_task_whose_assignment_was_lost_is_not_given_away_as_soon_as_it_begins() {
    virtual_runtime().unwrap().block_on(async {
        let house = House::open().await;
        let (connect, connections) = mpsc::channel(1);
        house.start_delegate(connections);
        let absence = async {
            lose_an_assignment(&house, &connect).await;
            // A little less than it takes until a worker is given up.
            house.clock.sleep(Millis::from_secs(55)).await;
            assert_eq!(house.begun(STEPS[0]), 0);
            house.connect(&connect).await;
        };
        let (run, ()) = tokio::join!(house.run_pipeline(), absence);
        assert_eq!(run.run.status, Status::Success, "{:?}", run.run.failure);
        assert_eq!(house.begun(STEPS[0]), 1);
    });
}

#[test]
fn a_task_that_was_cancelled_before_its_assignment_came_never_begins() {
    virtual_runtime().unwrap().block_on(async {
        let house = House::open().await;
        let (connect, connections) = mpsc::channel(1);
        house.start_delegate(connections);
        let absence = async {
            lose_an_assignment(&house, &connect).await;
            let run = house.abort().await;
            house.clock.sleep(Millis::from_secs(20)).await;
            house.connect(&connect).await;
            house.clock.sleep(Millis::from_secs(1)).await;
            let tasks = house.app.store().tasks().of_run(run).await.unwrap();
            assert_eq!(tasks.iter().map(|task| task.state).collect::<Vec<_>>(), [TaskState::Aborted], "{tasks:?}");
        };
        let (run, ()) = tokio::join!(house.run_pipeline(), absence);
        assert_eq!(run.run.status, Status::Aborted);
        assert_eq!(house.begun(STEPS[0]), 0);
    });
}

#[test]
fn a_delegate_is_told_which_tasks_are_not_its_own() {
    virtual_runtime().unwrap().block_on(async {
        let house = House::open().await;
        let (server_end, own_end) = channel_pair();
        house.serve(server_end);
        let (to_server, mut from_server) = own_end.split();
        let gone = Lease::new(TaskId::from_ulid(ulid::Ulid::from_bytes([7; 16])), 1);
        let hello = ToServer::Hello { protocol: PROTOCOL, version: "1".into(), running: vec![gone] };
        to_server.send(hello).await.unwrap();
        let Some(ToWorker::Welcome { lost, .. }) = from_server.recv().await else { panic!("no welcome") };
        assert_eq!(lost, [gone]);
        let heartbeat = ToServer::Heartbeat { running: vec![gone], capacity: 10, draining: false, memory_bytes: 0 };
        to_server.send(heartbeat).await.unwrap();
        let Some(ToWorker::Cancel { task, attempt, .. }) = from_server.recv().await else { panic!("not told") };
        assert_eq!((task, attempt), (gone.task, gone.attempt));
    });
}
