use crate::{ServeError, TlsFiles};
use std::net::SocketAddr;
use std::path::PathBuf;
use windlass_api::Front;
use windlass_clock::Clock;
use windlass_http::AddressRange;
use windlass_logs::BucketOptions;
use windlass_model::Millis;

/// Where closed logs go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LogPlace {
    /// A folder below the data folder; with a database that servers share, the database.
    #[default]
    Own,
    Database,
    /// One that all servers on the database can reach by this path.
    Folder(PathBuf),
    Bucket(BucketOptions),
}

/// Who may use a bucket, and where it is.
#[derive(Clone, Default)]
pub struct BucketAccess {
    pub region: String,
    /// Empty: the one of the region.
    pub endpoint: String,
    pub access_key: String,
    pub secret_key: String,
    pub session_token: Option<String>,
}

impl std::fmt::Debug for BucketAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { region, endpoint, .. } = self;
        f.debug_struct("BucketAccess").field("region", region).field("endpoint", endpoint).finish_non_exhaustive()
    }
}

impl LogPlace {
    /// `database`, the path of a folder, or `s3://BUCKET/PREFIX`.
    ///
    /// # Errors
    /// A text for people: what is missing.
    pub fn parse(text: &str, access: BucketAccess) -> Result<Self, String> {
        let Some(place) = text.strip_prefix("s3://") else {
            return Ok(match text {
                "" => Self::Own,
                "database" => Self::Database,
                path => Self::Folder(path.into()),
            });
        };
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        let BucketAccess { region, endpoint, access_key, secret_key, session_token } = access;
        if bucket.is_empty() {
            return Err(format!("`{text}` names no bucket: write s3://BUCKET or s3://BUCKET/PREFIX"));
        }
        if access_key.is_empty() || secret_key.is_empty() {
            return Err("logs in a bucket need AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY".to_owned());
        }
        let prefix = prefix.trim_matches('/');
        if prefix.split('/').any(|part| matches!(part, "." | "..")) {
            return Err(format!("`{prefix}` cannot be in front of names in a bucket"));
        }
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        let bucket = bucket.to_owned();
        Ok(Self::Bucket(BucketOptions { bucket, prefix, region, endpoint, access_key, secret_key, session_token }))
    }
}

/// How a server is started.
#[derive(Clone, Debug)]
pub struct Config {
    pub listen: SocketAddr,
    /// Where keys, and the SQLite file unless told otherwise, are kept.
    pub data: PathBuf,
    /// `sqlite:PATH`, `postgres://…`, `memory:`; empty: a SQLite file in `data`.
    pub database: String,
    /// Where closed logs go.
    pub logs: LogPlace,
    /// The file of the master key, which must be there; none: `master.key` in `data`, made at the first start.
    pub master_key: Option<PathBuf>,
    /// The keys that servers on this database share are lost: this one's take their place.
    pub replace_keys: bool,
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
