//! Some seeds, as the tests are built: with checks that an optimised build does not have. And that a seed is the same history each time.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use windlass_test_simulation::{Report, play_seed};

/// In a thread of its own, so that nothing of another seed is left.
fn played(seed: u64) -> Report {
    std::thread::spawn(move || play_seed(seed, false)).join().unwrap_or_else(|_| panic!("seed {seed} panicked"))
}

fn hold(seeds: impl Iterator<Item = u64>) {
    let seeds: Vec<u64> = seeds.collect();
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(seed) = seeds.get(usize::try_from(next.fetch_add(1, Relaxed)).unwrap()) {
                    let report = played(*seed);
                    let replay = format!("cargo run -p windlass-test-simulation -- --seed {seed}");
                    assert!(report.wrongs.is_empty(), "seed {seed}: {}\n  replay: {replay}", report.wrongs.join("\n"));
                }
            });
        }
    });
}

#[test]
fn whatever_breaks_nothing_is_lost_or_done_twice() {
    let seeds = std::env::var_os("SEEDS").and_then(|seeds| seeds.to_str()?.parse().ok()).unwrap_or(60);
    hold(1..=seeds);
}

#[test]
fn a_seed_is_the_same_history_each_time() {
    for seed in [3, 17, 29] {
        let (first, second) = (played(seed), played(seed));
        assert_eq!((first.count, &first.digest), (second.count, &second.digest), "seed {seed}");
        println!("seed {seed}: {} events, digest {}", first.count, first.digest);
    }
    assert_ne!(played(3).digest, played(4).digest);
}
