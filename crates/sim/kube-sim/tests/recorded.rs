//! Conversations recorded from a real kube-apiserver 1.34.4, replayed against the simulation in virtual time.
//!
//! The recordings lie beside the checkout; without them the test says that it was skipped. Each conversation is named with its
//! outcome. Those in [`AGREED`] must agree in every step.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // helpers outside of test functions

mod recorded {
    pub(crate) mod agreed;
    pub(crate) mod compare;
    pub(crate) mod normal;
    pub(crate) mod ordered;
    pub(crate) mod replay;
}

use recorded::agreed::AGREED;
use recorded::ordered::Ordered;
use recorded::replay::Replay;
use serde_json::Value;
use std::path::PathBuf;
use windlass_clock::{Clock, virtual_runtime};
use windlass_kube_sim::{Config, KubeSim};
use windlass_model::Timestamp;

type Recording = (String, Value, Ordered);

fn recordings() -> Option<Vec<Recording>> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/cases/kube-api");
    let folder = option_env!("KUBE_SIM_RECORDINGS").map_or(beside, PathBuf::from);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.sort();
    let read = |file: &PathBuf| {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read(file).unwrap();
        (name, serde_json::from_slice(&text).unwrap(), serde_json::from_slice(&text).unwrap())
    };
    Some(files.iter().map(read).collect())
}

#[test]
fn conversations_agree_with_a_real_server() {
    let Some(recordings) = recordings() else {
        println!("skipped: no recorded conversations beside the checkout");
        return;
    };
    let only = option_env!("KUBE_SIM_ONLY");
    let (mut agree, mut lost) = (0, Vec::new());
    for (name, conversation, written) in recordings.iter().filter(|(n, ..)| only.is_none_or(|o| n == o)) {
        let differences = virtual_runtime().unwrap().block_on(async {
            let clock = Clock::simulated(Timestamp::from_secs(1_700_000_000));
            let mut config = Config::new(clock).admin_token("admin").user_token("limited", "limited");
            config.controllers = option_env!("KUBE_SIM_BARE").is_none();
            let sim = KubeSim::new(config).unwrap();
            let controllers = sim.clone();
            let running = tokio::spawn(async move { controllers.run_controllers().await });
            let differences = Replay::new(&sim, clock).run(conversation, written).await;
            running.abort();
            differences
        });
        if differences.is_empty() {
            agree += 1;
            println!("agrees   {name}");
        } else {
            println!("differs  {name}");
            differences.iter().for_each(|d| println!("           {d}"));
        }
        if AGREED.contains(&name.as_str()) != differences.is_empty() {
            lost.push((name.clone(), differences));
        }
    }
    println!("{agree} of {} conversations agree", recordings.len());
    let told: Vec<String> = lost
        .iter()
        .map(|(name, differences)| match differences.as_slice() {
            [] => format!("{name} agrees now: add it to the list"),
            some => format!("{name} does not agree any more:\n  {}", some.join("\n  ")),
        })
        .collect();
    assert!(only.is_some() || told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn the_list_names_recordings_that_exist() {
    let Some(recordings) = recordings() else {
        println!("skipped: no recorded conversations beside the checkout");
        return;
    };
    let unknown: Vec<_> = AGREED.iter().filter(|a| !recordings.iter().any(|(name, ..)| name == *a)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
