//! The pretend forge, driven by the real git program and over HTTP.
#![allow(clippy::unwrap_used)] // helpers of tests, outside of the functions that clippy knows as tests

mod api;
mod clone;
mod library;
mod push;
mod support;
mod webhooks;
