//! Handlers as the delegate calls them.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests, outside of the functions that clippy knows as tests

mod connection;
mod http;
mod shell;
mod support;
mod verify;
