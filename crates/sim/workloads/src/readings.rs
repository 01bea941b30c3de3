//! What a process would tell about itself at a moment.

use crate::arrivals::Arrivals;
use crate::chance::Seed;
use crate::fleet::{Process, Run};
use crate::latency::BUCKETS;
use crate::profile::Traffic;
use windlass_model::{Millis, Timestamp};

/// Counters and gauges of a process that runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readings {
    /// Requests by bucket of the histogram: answered well, and with 500.
    pub(crate) good: [u64; BUCKETS],
    pub(crate) bad: [u64; BUCKETS],
    pub(crate) cpu_seconds: f64,
    pub(crate) memory_bytes: f64,
}

/// How long one value of the memory's noise holds, ms.
const SLOT: i64 = 15_000;
/// How far memory moves around its line.
const SWING: f64 = 0.03;

impl Readings {
    /// `None` while the process does not run.
    pub(crate) fn at(process: &Process, at: Timestamp) -> Option<Self> {
        let (run, seed) = process.run_at(at)?;
        let profile = &process.profile;
        let mut readings = Self::default();
        if let Some(traffic) = &profile.traffic {
            let served = run.served_until(at).0;
            for (bucket, [good, bad]) in streams(traffic, seed).enumerate() {
                readings.good[bucket] = good.until(served);
                readings.bad[bucket] = bad.until(served);
            }
        }
        let seconds = at.since(run.start).to_std().as_secs_f64();
        #[allow(clippy::cast_precision_loss)] // counts are far below 2^53
        let requests = readings.requests() as f64;
        readings.cpu_seconds = profile.cpu.idle * seconds + profile.cpu.per_request * requests;
        let line = profile.memory.base + profile.memory.growth_per_minute * seconds / 60.0;
        let slot = at.millis().div_euclid(SLOT).cast_unsigned();
        readings.memory_bytes = line * (1.0 + SWING * (2.0 * seed.child(7).uniform(slot) - 1.0));
        Some(readings)
    }

    pub(crate) fn requests(&self) -> u64 {
        self.good.iter().chain(&self.bad).sum()
    }
}

/// The random processes behind each bucket: requests answered well, and with 500. Independent Poisson processes add up to
/// one, so every sum over buckets or answers has the right rate and the right noise, and all metrics tell the same story.
fn streams(traffic: &Traffic, seed: Seed) -> impl Iterator<Item = [Arrivals; 2]> {
    let (rate, errors) = (traffic.rate, traffic.error_rate);
    let shares = traffic.latency.shares().into_iter().enumerate();
    shares.map(move |(bucket, share)| {
        [(1, 1.0 - errors), (2, errors)].map(|(answer, part)| {
            // Less than a request in thirty years is none.
            let rate = if rate * share * part < 1e-9 { 0.0 } else { rate * share * part };
            Arrivals::new(seed.child(answer).child(bucket as u64), rate)
        })
    })
}

/// The last `limit` requests that came in between two moments, oldest first: when, and how long each took in seconds.
pub(crate) fn requests(
    traffic: &Traffic,
    seed: Seed,
    run: &Run,
    answered_well: bool,
    range: (Timestamp, Timestamp),
    limit: usize,
) -> Vec<(Timestamp, f64)> {
    let (from, to) = (run.served_until(range.0).0, run.served_until(range.1).0);
    let mut found: Vec<(u64, usize)> = Vec::new();
    for (bucket, [good, bad]) in streams(traffic, seed).enumerate() {
        let arrivals = if answered_well { good } else { bad };
        found.extend(arrivals.last(from, to, limit).into_iter().map(|moment| (moment, bucket)));
    }
    found.sort_unstable();
    found.drain(..found.len().saturating_sub(limit));
    let shares = traffic.latency.shares();
    let show = |(moment, bucket): (u64, usize)| {
        // A place within the bucket: below it lie the buckets before.
        let below: f64 = shares[..bucket].iter().sum();
        let uniform = below + shares[bucket] * seed.child(11).uniform(moment);
        (run.moment_of(Millis(moment)), traffic.latency.draw(uniform))
    };
    found.into_iter().map(show).collect()
}
