use crate::address::AddressRules;
use crate::proxy::ProxyConfig;
use windlass_model::Millis;

/// What happens to answers that are too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnExcess {
    /// The call fails.
    Fail,
    /// The beginning is kept.
    Truncate,
}

/// How a client behaves.
#[derive(Clone, Debug)]
pub struct Config {
    pub proxy: ProxyConfig,
    /// Certificate authorities besides those of the system, each text with one or more in PEM.
    pub ca: Vec<String>,
    pub addresses: AddressRules,
    /// Time for name, connection and TLS.
    pub connect: Millis,
    /// Time for one try, body included.
    pub timeout: Millis,
    /// Redirects that are followed; from https to http never.
    pub redirects: usize,
    /// Bytes of an answer's body.
    pub body: usize,
    pub on_excess: OnExcess,
    pub user_agent: String,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            proxy: ProxyConfig::default(),
            ca: Vec::new(),
            addresses: AddressRules::server(),
            connect: Millis::from_secs(10),
            timeout: Millis::from_secs(30),
            redirects: 5,
            body: 8 << 20,
            on_excess: OnExcess::Fail,
            user_agent: concat!("windlass/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

/// Why a client cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("certificate authority {0} is not PEM, or holds no certificate")]
    Certificate(usize),
    #[error("the HTTP client cannot be made")]
    Client(#[source] reqwest::Error),
}
