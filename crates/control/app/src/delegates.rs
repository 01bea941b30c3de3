//! Delegates: who is connected, who gets which task, and what happens when one goes silent.

mod connection;
mod declines;
mod dispatch;
mod end;
mod forward;
mod hub;
mod lanes;
mod list;
mod presence;
mod register;
mod sealing;
mod selection;
pub mod tokens;
mod watch;

pub(crate) use connection::StoredTask;
pub use declines::Declined;
pub(crate) use declines::Declines;
pub(crate) use dispatch::dispatch;
pub(crate) use end::{Ended, end};
pub(crate) use forward::forward;
pub use hub::Hub;
pub use list::DelegateRow;
pub(crate) use presence::presence;
pub(crate) use sealing::place_of;
pub use selection::{Asked, Candidate, EVERY_TAG, Reach, Selection, select};
pub use tokens::TokenRow;
pub(crate) use watch::watch;
