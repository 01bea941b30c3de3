//! Outgoing HTTP: one client for everything that calls somebody else's endpoint.
//!
//! Every limit is on by default: time, redirects, size of the answer, and the addresses that may be called. Addresses are checked
//! after names were resolved, and what was checked is what is connected to: a name that answers differently the second time
//! gains nothing. Nothing is read from the environment; roles hand proxies and certificates in.

mod address;
mod answer;
mod client;
mod config;
mod error;
mod proxy;
mod range;
mod request;
mod resolve;
mod retry;
mod stand;

pub use address::{AddressRules, Denied};
pub use answer::Answer;
pub use client::{Client, Gate, Jitter};
pub use config::{Config, ConfigError, OnExcess};
pub use error::HttpError;
pub use proxy::{Bypass, ProxyConfig, ProxyError};
pub use range::{AddressRange, RangeError};
pub use request::{Request, RequestError, shown};
pub use resolve::{Lookup, SystemLookup};
pub use retry::{RetryPolicy, retry_after};
pub use stand::Stand;

pub use reqwest::Url;
