use crate::{ServeError, TlsFiles};
use std::net::SocketAddr;
use std::path::PathBuf;
use windlass_api::Front;
use windlass_clock::Clock;
use windlass_http::AddressRange;
use windlass_model::Millis;

/// How a server is started.
#[derive(Clone, Debug)]
pub struct Config {
    pub listen: SocketAddr,
    /// Where keys, and the SQLite file unless told otherwise, are kept.
    pub data: PathBuf,
    /// `sqlite:PATH`, `postgres://…`, `memory:`; empty: a SQLite file in `data`.
    pub database: String,
    /// Where people and delegates reach the server; empty: the address it listens on.
    pub public_url: String,
    /// Without one, plain HTTP is served.
    pub tls: Option<TlsFiles>,
    /// Proxies that say truly for whom they speak.
    pub trusted_proxies: Vec<AddressRange>,
    pub account: String,
    pub clock: Clock,
    /// How often delegates report; a task is given away after six times that.
    pub heartbeat: Millis,
    pub version: String,
    /// Print a new one-time code although there are people already.
    pub login_code: bool,
}

impl Config {
    /// Nothing that others could listen to or change goes over a network: plain HTTP is for this machine and for trusted proxies.
    pub(crate) fn front(&self) -> Result<Front, ServeError> {
        let address = self.listen;
        let outside = !address.ip().is_loopback();
        let plain = self.tls.is_none();
        if outside && plain && self.trusted_proxies.is_empty() {
            return Err(ServeError::Plain { address });
        }
        if outside && self.public_url.is_empty() {
            return Err(ServeError::PublicUrl { address });
        }
        Ok(Front { trusted: self.trusted_proxies.clone(), only_trusted: outside && plain })
    }
}
