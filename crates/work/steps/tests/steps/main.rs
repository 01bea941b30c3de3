//! Handlers as the delegate calls them.

mod connection;
mod http;
mod shell;
mod support;
mod verify;
