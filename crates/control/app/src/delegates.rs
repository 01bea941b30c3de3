//! Delegates: who is connected, who gets which task, and what happens when one goes silent.

mod connection;
mod dispatch;
mod end;
mod hub;
mod list;
mod register;
mod sealing;
mod selection;
pub mod tokens;
mod watch;

pub(crate) use dispatch::dispatch;
pub(crate) use end::{Ended, end};
pub use hub::Hub;
pub use list::DelegateRow;
pub use selection::{Candidate, EVERY_TAG, Selection, select};
pub(crate) use watch::watch;

use windlass_model::Millis;

/// How often workers tell that they live, and what silence means (kubernetes-deploy §4.2, architecture §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// From one heartbeat to the next; told to every worker. A worker stops changing things after four.
    pub heartbeat: Millis,
}

impl Pace {
    /// A delegate that was not heard of for this long gets nothing new.
    pub const fn suspect(self) -> Millis {
        Millis(self.heartbeat.0.saturating_mul(3))
    }

    /// After this silence a task is given away.
    pub const fn lost(self) -> Millis {
        Millis(self.heartbeat.0.saturating_mul(6))
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self { heartbeat: Millis::from_secs(10) }
    }
}
