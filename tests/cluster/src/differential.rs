//! The same requests to a real API server and to the simulated one, and their answers compared.
//!
//! A sequence of requests grows from a seed ([`generate`]). It is sent to both ([`play`]); uids, versions and moments get names in the order
//! in which they appear, so that it still counts which of them are the same ([`Normal`]). What differs and is known to differ has a reason ([`known`]).

mod compare;
mod expiry;
mod generate;
mod kinds;
mod known;
mod menu;
mod normal;
mod play;
mod step;

pub use compare::differences;
pub use expiry::{Expiring, expiring};
pub use generate::{beforehand, fixed, generate};
pub use known::{KNOWN, Known, known};
pub use normal::Normal;
pub use play::{Played, Server, play, play_on};
pub use step::{Body, Edit, Step};
