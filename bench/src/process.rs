//! What another process uses, as the kernel counts it.

use std::time::Duration;

/// A process that is looked at from outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observed(pub(crate) u32);

impl Observed {
    /// Memory that is resident now, in MiB.
    pub(crate) fn resident(self) -> f64 {
        self.status("VmRSS:")
    }

    /// The most that was ever resident, in MiB.
    pub(crate) fn peak(self) -> f64 {
        self.status("VmHWM:")
    }

    /// From now on the peak counts anew.
    pub(crate) fn forget_peak(self) {
        std::fs::write(format!("/proc/{}/clear_refs", self.0), "5").unwrap();
    }

    fn status(self, name: &str) -> f64 {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.0)).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1_024.0
    }

    /// Processor time of all its threads so far, those that have ended among them.
    pub(crate) fn processor(self) -> Duration {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.0)).unwrap();
        // The name stands in parentheses and may hold anything.
        let rest = text.rsplit_once(") ").unwrap().1;
        let fields: Vec<&str> = rest.split(' ').collect();
        // Fields 14 and 15 of the file, in hundredths of a second.
        let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        Duration::from_millis(ticks * 10)
    }

    /// The share of one core it uses over a time, in percent.
    pub(crate) fn share(self, length: Duration) -> f64 {
        let (before, start) = (self.processor(), std::time::Instant::now());
        std::thread::sleep(length);
        (self.processor() - before).as_secs_f64() / start.elapsed().as_secs_f64() * 100.0
    }
}
