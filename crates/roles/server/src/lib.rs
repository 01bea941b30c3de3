//! The server: opens the store, serves the API, performs what was decided, and drains when asked to stop.

mod config;
mod keys;
mod serve;
mod tls;

pub use config::Config;
pub use serve::{ServeError, Server};
pub use tls::{TlsError, TlsFiles};
pub use windlass_http::AddressRange;
