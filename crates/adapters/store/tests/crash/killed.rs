//! A process that is killed in the middle of many appends has lost nothing it was told is stored.

use crate::appends::{WRITERS, until};
use crate::{Acknowledged, Lost, look, runtime};

#[test]
fn every_acknowledged_append_outlives_a_killed_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let mut acknowledged = Acknowledged::new();
    // Killed early, in full swing, and over and over on the same file.
    for (round, lines) in (0..).zip([1, 50, 700, 2_000, 3]) {
        acknowledged.extend(until(lines, &path, round * WRITERS, &[]));
        runtime().block_on(look(&path, &acknowledged, Lost::Nothing));
    }
    assert!(acknowledged.values().sum::<u64>() >= 2_754);
}
