//! A machine that loses its power has kept what was acknowledged, whatever its disk did with what was not synced.

use crate::appends::{heard, until};
use crate::disk::{Disk, Unsynced, deeds};
use crate::{Acknowledged, Lost, look, runtime};
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Acknowledgements that are waited for: enough for the log of the database to be carried over into it more than once.
const ACKNOWLEDGEMENTS: usize = 4_000;

/// Moments at which the power fails, spread evenly; all of them with `POWER=full`.
const MOMENTS: usize = 40;

#[test]
fn every_acknowledged_append_outlives_a_failure_of_power() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("before")).unwrap();
    let recorder = recorder(folder.path());
    let more = [("LD_PRELOAD", &*recorder), ("RECORDED", &at("before")), ("RECORD", &at("record"))];
    until(ACKNOWLEDGEMENTS, &at("before/state.db"), 0, &more);

    let record = std::fs::read(at("record")).unwrap();
    let deeds = deeds(&record);
    let step = if std::env::var("POWER").is_ok_and(|wish| wish == "full") { 1 } else { deeds.len() / MOMENTS };
    let (mut disk, mut said, mut acknowledged) = (Disk::default(), Vec::new(), Acknowledged::new());
    let (mut tosses, mut tried) = (0_u64, 0);
    for (number, deed) in deeds.iter().enumerate() {
        disk.take(deed);
        said.extend_from_slice(deed.said().unwrap_or_default());
        // Just before something is synced, most is at stake.
        let is_moment =
            number % step == step - 1 || deeds.get(number + 1).is_some_and(|next| next.is_sync() && number % step < 3);
        if !is_moment {
            continue;
        }
        hear(&mut said, &mut acknowledged);
        let mut coin = || {
            tosses += 1;
            BuildHasherDefault::<DefaultHasher>::default().hash_one(tosses) % 2 == 0
        };
        for mut unsynced in [Unsynced::Lost, Unsynced::Luck(&mut coin)] {
            let after = tempfile::tempdir().unwrap();
            disk.save(&at("before"), after.path(), &mut unsynced);
            println!("power fails after deed {number} of {}: {} acknowledged", deeds.len(), acknowledged.len());
            runtime().block_on(look(&after.path().join("state.db"), &acknowledged, Lost::Logs));
            tried += 1;
        }
    }
    println!("{tried} failures of power survived");
    assert!(tried >= 2 * MOMENTS && acknowledged.values().sum::<u64>() > 700, "{tried}");
    let carried = disk.writes.get(&at("before/state.db")).copied().unwrap_or(0);
    assert!(carried > 100, "only {carried} pages came into the database itself");
}

/// Takes whole lines from what was said.
fn hear(said: &mut Vec<u8>, acknowledged: &mut Acknowledged) {
    let end = said.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lines: Vec<u8> = said.drain(..end).collect();
    acknowledged.extend(std::str::from_utf8(&lines).unwrap().lines().filter_map(heard));
}

/// The library that writes down what is done to files.
fn recorder(folder: &Path) -> PathBuf {
    let library = folder.join("recorder.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crash/recorder.c");
    // Whoever links Rust has it.
    let mut compiler = Command::new("cc");
    compiler.args(["-Wall", "-Werror", "-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(source);
    assert!(compiler.status().unwrap().success());
    library
}
