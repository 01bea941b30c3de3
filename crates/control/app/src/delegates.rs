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
pub use selection::{Candidate, Selection, select};
pub(crate) use watch::watch;

use windlass_model::Millis;

/// How often workers tell that they live (kubernetes-deploy §4.2).
pub const HEARTBEAT: Millis = Millis::from_secs(10);

/// After this silence a task is given away. The worker itself stops changing things after 40 s.
pub const LOST: Millis = Millis::from_secs(60);

/// A delegate that was not heard of for this long gets nothing new.
pub const SUSPECT: Millis = Millis::from_secs(30);
