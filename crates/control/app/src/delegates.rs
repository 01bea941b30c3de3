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

pub(crate) use connection::StoredTask;
pub(crate) use dispatch::dispatch;
pub(crate) use end::{Ended, end};
pub use hub::Hub;
pub use list::DelegateRow;
pub use selection::{Candidate, EVERY_TAG, Selection, select};
pub(crate) use watch::watch;
