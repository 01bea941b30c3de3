//! What it is measured on: figures without it mean nothing.

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

pub(crate) fn describe() -> String {
    let cpu = read("/proc/cpuinfo");
    let model =
        cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("").trim_start_matches(['\t', ' ', ':']);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let disk = tempfile::tempdir_in(".").map_or(f64::NAN, |folder| fsync(folder.path()).as_secs_f64() * 1e3);
    format!("{model}, {cores} cores, load {}; {disk:.2} ms to write and sync 4 KiB here", load())
}

/// How busy the machine was in the last minute, with everything that ran on it.
pub(crate) fn load() -> String {
    read("/proc/loadavg").split(' ').next().unwrap_or("?").to_owned()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// The median time for one small write to reach the disk.
pub(crate) fn fsync(folder: &Path) -> Duration {
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
