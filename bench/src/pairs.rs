//! Whole processes that do the same, in turn: whatever else the machine does, it does it to both.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One run of a process.
#[derive(Debug)]
pub(crate) struct Ran {
    /// From before it is started until it is gone, in milliseconds.
    pub(crate) time: f64,
    pub(crate) output: Vec<u8>,
}

/// Runs a process that must succeed.
pub(crate) fn run(mut command: Command) -> Ran {
    let start = Instant::now();
    let ran = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let time = start.elapsed().as_secs_f64() * 1e3;
    assert!(ran.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ran.stderr));
    Ran { time, output: ran.stdout }
}

/// Milliseconds of ours, of theirs, and how many times faster ours was, of each pair. Output that differs ends everything.
pub(crate) fn in_turn(pairs: usize, ours: &dyn Fn() -> Command, theirs: &dyn Fn() -> Command) -> [Vec<f64>; 3] {
    // Both find their files in the cache of the system.
    same(&run(ours()).output, &run(theirs()).output, "the output");
    let mut samples = [const { Vec::new() }; 3];
    for _ in 0..pairs {
        let (our, their) = (run(ours()), run(theirs()));
        same(&our.output, &their.output, "the output");
        for (samples, value) in samples.iter_mut().zip([our.time, their.time, their.time / our.time]) {
            samples.push(value);
        }
    }
    samples
}

/// Ends everything at the first line that differs.
pub(crate) fn same(ours: &[u8], theirs: &[u8], what: &str) {
    if ours == theirs {
        return;
    }
    let (ours, theirs) = (String::from_utf8_lossy(ours), String::from_utf8_lossy(theirs));
    let line = ours.lines().zip(theirs.lines()).take_while(|(our, their)| our == their).count();
    let at = |text: &str| text.lines().nth(line).map(str::to_owned);
    panic!("{what} differs in line {}: ours {:?}, theirs {:?}", line + 1, at(&ours), at(&theirs));
}

/// The time of a process in milliseconds, and the most memory it had at any time in MiB: looked at every millisecond.
pub(crate) fn peak(mut command: Command) -> (f64, f64) {
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let mut peak = 0.0_f64;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        // Of one that has just ended nothing is told any more.
        let told = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let most = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let most = most.and_then(|most| most.trim().trim_end_matches(" kB").parse::<f64>().ok());
        peak = peak.max(most.unwrap_or(0.0) / 1_024.0);
        std::thread::sleep(Duration::from_millis(1));
    };
    let time = start.elapsed().as_secs_f64() * 1e3;
    assert!(status.success(), "{command:?}");
    (time, peak)
}
