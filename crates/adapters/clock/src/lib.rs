//! The only way to read time or sleep: real, scaled, virtual.
//!
//! Business time (approvals, waits, verification, change windows) may run faster than the world or in no time at all;
//! heartbeats, leases and tokens ask [`Clock::real`] (architecture §5, "Scaled clock"). A clock is consistent in itself:
//! after `sleep(d)` its `now` and its `monotonic` are at least `d` further, whatever its speed.
//!
//! Turned down: a global clock that tests replace. A handle that is passed in shows in every signature who depends on time,
//! and two clocks can live in one process (a rehearsal inside a server).
// The home of the methods that the rest of the house may not call.
#![allow(clippy::disallowed_methods)]

mod apart;
mod hold;
mod interval;
mod scale;
mod virtual_time;

pub use apart::{Interrupted, apart};
pub use hold::Hold;
pub use interval::Interval;
pub use scale::{Scale, ScaleError};
pub use virtual_time::virtual_runtime;

use std::fmt;
use std::future::Future;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;
use windlass_model::{Millis, Timestamp};

/// How long a sleeper trusts the wall clock before it looks again: a clock set by hand is noticed after this time.
const WALL_CHECK: Duration = Duration::from_secs(10);

/// Reads time and sleeps. Cheap to clone; clones agree with each other.
#[derive(Clone, Copy)]
pub struct Clock {
    kind: Kind,
    /// When this clock was made; zero of [`Clock::monotonic`].
    origin: Instant,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// The wall clock of the machine.
    Wall,
    /// Starts at a moment, then runs `factor` times as fast as the runtime's timer.
    Steady { start: Timestamp, factor: u32, is_virtual: bool },
}

/// The time ran out before the future was ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not ready after {limit}")]
pub struct Elapsed {
    pub limit: Millis,
}

impl Clock {
    /// The clock of the machine.
    pub fn system() -> Self {
        Self { kind: Kind::Wall, origin: Instant::now() }
    }

    /// Business time that runs faster than the world, see [`Scale`].
    pub fn scaled(scale: Scale) -> Self {
        let start = scale.at(wall());
        Self { kind: Kind::Steady { start, factor: scale.factor.get(), is_virtual: false }, origin: Instant::now() }
    }

    /// Time that jumps to the next sleeper as soon as everybody waits. Make it inside of [`virtual_runtime`]: anywhere else
    /// it runs at the speed of the world.
    pub fn simulated(start: Timestamp) -> Self {
        Self { kind: Kind::Steady { start, factor: 1, is_virtual: true }, origin: Instant::now() }
    }

    /// The same world without scaling: for heartbeats, leases, tokens and time limits of the network. A simulated clock
    /// answers with itself, since nothing real is going on around it.
    pub fn real(&self) -> Self {
        match self.kind {
            Kind::Steady { is_virtual: false, .. } => Self { kind: Kind::Wall, origin: self.origin },
            _ => *self,
        }
    }

    /// The moment, in business time. May jump when somebody sets the machine's clock; measure with [`Clock::monotonic`].
    pub fn now(&self) -> Timestamp {
        match self.kind {
            Kind::Wall => wall(),
            Kind::Steady { start, .. } => {
                let passed = i64::try_from(self.monotonic().as_micros()).unwrap_or(i64::MAX);
                Timestamp::from_micros(start.micros().saturating_add(passed))
            }
        }
    }

    /// Time since the clock was made, at the clock's own speed. Never goes back.
    pub fn monotonic(&self) -> Duration {
        self.origin.elapsed().saturating_mul(self.factor())
    }

    /// Waits for a length of business time.
    pub async fn sleep(&self, length: Millis) {
        tokio::time::sleep(self.shorten(length.to_std())).await;
    }

    /// Waits until `now()` is `at` or later. Returns at once for a moment in the past.
    pub async fn sleep_until(&self, at: Timestamp) {
        loop {
            let left = at.micros().saturating_sub(self.now().micros());
            let Ok(left @ 1..) = u64::try_from(left) else { return };
            let left = self.shorten(Duration::from_micros(left));
            let left = if matches!(self.kind, Kind::Wall) { left.min(WALL_CHECK) } else { left };
            tokio::time::sleep(left).await;
        }
    }

    /// Gives `future` a length of business time, and drops it then.
    pub async fn timeout<F: Future>(&self, limit: Millis, future: F) -> Result<F::Output, Elapsed> {
        tokio::time::timeout(self.shorten(limit.to_std()), future).await.map_err(|_| Elapsed { limit })
    }

    /// Ticks at once and then every `period`; ticks that were missed are skipped, never caught up.
    pub fn interval(&self, period: Millis) -> Interval {
        Interval::new(self.shorten(period.to_std()))
    }

    fn is_virtual(&self) -> bool {
        matches!(self.kind, Kind::Steady { is_virtual: true, .. })
    }

    fn factor(&self) -> u32 {
        match self.kind {
            Kind::Wall => 1,
            Kind::Steady { factor, .. } => factor,
        }
    }

    /// The runtime's time in which `length` of this clock's time passes, rounded up.
    fn shorten(&self, length: Duration) -> Duration {
        match self.factor() {
            1 => length,
            factor => {
                Duration::from_nanos(u64::try_from(length.as_nanos().div_ceil(u128::from(factor))).unwrap_or(u64::MAX))
            }
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.kind).finish()
    }
}

/// The machine's clock. A clock before 1970 reads as 1970.
fn wall() -> Timestamp {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_micros(i64::try_from(passed.as_micros()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests;
