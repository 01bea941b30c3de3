//! The order of things: what starts when, what a failure leads to, how things end.

mod abort;
mod advance;
mod aggregate;
mod fail;
mod finish;
mod retry;
mod start;
mod stop;
mod strategy;
mod timers;
mod when;

pub(crate) use aggregate::{aggregate, shown_status};
pub(crate) use finish::End;
