//! Virtual time that waits for the world.

use crate::Clock;
use std::sync::mpsc::{Sender, channel};
use windlass_model::Millis;

/// Virtual time stands still while this lives, see [`Clock::hold`].
#[must_use = "time moves on as soon as the hold is dropped"]
#[derive(Debug)]
pub struct Hold {
    _release: Option<Sender<()>>,
}

impl Clock {
    /// Keeps virtual time from jumping while something outside of the runtime works: a child process, another machine.
    /// After `limit` of the world's time it lets go, so that time limits are kept. Other clocks do not notice.
    ///
    /// Must be called within a tokio runtime.
    pub fn hold(&self, limit: Millis) -> Hold {
        if !self.is_virtual() {
            return Hold { _release: None };
        }
        let (release, held) = channel::<()>();
        // The runtime does not move its clock while work on other threads is under way.
        tokio::task::spawn_blocking(move || held.recv_timeout(limit.to_std()));
        Hold { _release: Some(release) }
    }
}
