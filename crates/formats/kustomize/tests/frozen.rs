//! Builds and what the reference made of them, without the reference. Nothing here writes the answers anew.
//!
//! `data/frozen.txt` has small builds made by ourselves: each case is a line `== name`, its files behind lines `-- path`, and
//! the output behind `=> output`. `data/frozen.jsonl` has random ones: seed, files, and the text, or nothing where the
//! reference refused (`tests/differential` makes more, and freezes them).

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests may fail by panic, their helpers too"
)]

#[path = "differential/charts_in_memory.rs"]
mod charts_in_memory;
#[path = "support/origins.rs"]
mod origins;

use charts_in_memory::MemoryCharts;
use serde_json::Value as Json;
use windlass_kustomize::{Built, KustomizeError, MemoryFiles, Options, build};

const CASES: &str = include_str!("data/frozen.txt");
const RANDOM: &str = include_str!("data/frozen.jsonl");

fn built(files: &[(String, String)]) -> Result<Built, Box<KustomizeError>> {
    let memory: MemoryFiles = files.iter().map(|(path, text)| (path, text.as_str())).collect();
    let charts = MemoryCharts { paths: files.iter().map(|(path, _)| path.clone()).collect(), memory: &memory };
    let built = build(&memory, "/root", &Options { enable_helm: true, charts: Some(&charts), ..Options::default() })?;
    origins::check(&built).expect("every value has an origin");
    Ok(built)
}

#[test]
fn the_frozen_sample() {
    let mut count = 0;
    for case in CASES.split("\n== ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a name");
        let (files, expected) = rest.split_once("\n=> output\n").expect("an output");
        let files: Vec<(String, String)> = files
            .split("-- ")
            .skip(1)
            .filter_map(|file| file.split_once('\n'))
            .map(|(path, text)| (format!("/{path}"), format!("{text}\n")))
            .collect();
        let built = built(&files).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(built.to_yaml().trim_end(), expected.trim_end(), "{name}");
        count += 1;
    }
    assert!(count >= 10, "only {count} cases");
}

#[test]
fn random_kustomizations() {
    let (mut accepted, mut refused) = (0, 0);
    for line in RANDOM.lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        let files = case["files"].as_object().unwrap().iter();
        let files: Vec<(String, String)> =
            files.map(|(path, text)| (format!("/{path}"), text.as_str().unwrap().to_owned())).collect();
        match (built(&files), case["text"].as_str()) {
            (Ok(built), Some(text)) => {
                assert_eq!(built.to_yaml(), text, "seed {}", case["seed"]);
                accepted += 1;
            }
            (Err(_), None) => refused += 1,
            (Err(error), Some(_)) => panic!("seed {}: {error}", case["seed"]),
            (Ok(_), None) => panic!("seed {}: the reference refuses it", case["seed"]),
        }
    }
    assert!(accepted >= 40 && refused >= 20, "{accepted} accepted and {refused} refused");
}
