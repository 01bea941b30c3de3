//! A connection that breaks, repeats, delays and loses: nothing is done twice, and nothing is lost (kubernetes-deploy §4.4).
//!
//! Server and delegate run in one process on a virtual clock; the network between them comes from a seed.
// Tests stop where they are wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod house;
mod network;

use house::{House, STEPS};
use windlass_clock::virtual_runtime;
use windlass_model::Status;

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
