//! The client against servers of this process.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod calls;
mod guards;
mod secure;
mod server;
