use std::net::SocketAddr;
use std::path::PathBuf;
use windlass_clock::Clock;
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
    pub account: String,
    pub clock: Clock,
    /// How often delegates report; a task is given away after six times that.
    pub heartbeat: Millis,
    pub version: String,
    /// Print a new one-time code although there are people already.
    pub login_code: bool,
}
