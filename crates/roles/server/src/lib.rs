//! The server: opens the store, serves the API, performs what was decided, and drains when asked to stop.

mod config;
mod keys;
mod logs;
mod serve;
mod tls;

pub use config::{BucketAccess, Config, LogPlace};
pub use serve::{ServeError, Server};
pub use tls::{TlsError, TlsFiles};
pub use windlass_http::AddressRange;
