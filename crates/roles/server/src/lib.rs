//! The server: opens the store, serves the API, performs what was decided, and drains when asked to stop.

mod config;
mod keys;
mod serve;

pub use config::Config;
pub use serve::{ServeError, Server};
