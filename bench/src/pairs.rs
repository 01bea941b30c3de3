//! Whole processes that do the same, in turn: whatever else the machine does, it does it to both.

use nix::sys::resource::{UsageWho, getrusage};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

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

/// The word by which this program runs another and tells what it used.
pub(crate) const PEAK_OF: &str = "peak-of";

/// The time of a process in milliseconds, and the most memory it had at any time in MiB.
///
/// The kernel tells the memory of children that have ended, the largest of all: so a process of its own waits for this one.
pub(crate) fn peak(command: &Command) -> (f64, f64) {
    let mut waiter = Command::new(std::env::current_exe().unwrap());
    waiter.arg(PEAK_OF).arg(command.get_program()).args(command.get_args());
    let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    waiter.envs(set).current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
    let told = String::from_utf8(run(waiter).output).unwrap();
    let (time, memory) = told.trim().split_once(' ').unwrap();
    (time.parse().unwrap(), memory.parse::<f64>().unwrap() / 1_024.0)
}

/// Runs a program that must succeed, and prints its milliseconds and its KiB.
pub(crate) fn peak_of(program: &str, arguments: &[String]) {
    let start = Instant::now();
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).status().unwrap();
    let time = start.elapsed().as_secs_f64() * 1e3;
    assert!(status.success(), "{program} {arguments:?}");
    println!("{time} {}", getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss());
}
