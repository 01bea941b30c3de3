//! Where closed logs go.

use crate::{Config, LogPlace, ServeError};
use std::sync::Arc;
use windlass_http::{AddressRules, Client, Config as Http};
use windlass_logs::{Blobs, BucketOptions, Logs, OpenError};
use windlass_model::Millis;
use windlass_store::Store;

/// Without a place of their own, the logs of servers that share a database stay in it, where all can read them. What one server alone
/// had written to its folder before can still be read there.
pub(crate) fn open(store: &Store, config: &Config) -> Result<Logs, ServeError> {
    let own = config.data.join("logs");
    let blobs = match &config.logs {
        LogPlace::Folder(folder) => Blobs::folder(folder)?,
        LogPlace::Own if !store.is_shared() => Blobs::folder(&own)?,
        LogPlace::Own | LogPlace::Database if own.is_dir() => Blobs::earlier(&own)?,
        LogPlace::Own | LogPlace::Database => Blobs::none(),
        LogPlace::Bucket(options) => {
            let bucket = Blobs::bucket(options, client(options, config)?, config.clock)?;
            if own.is_dir() { bucket.and_earlier(&own)? } else { bucket }
        }
    };
    Ok(Logs::open(store.clone(), blobs, config.clock))
}

/// A client that may call the bucket's endpoint, wherever that is.
fn client(options: &BucketOptions, config: &Config) -> Result<Client, ServeError> {
    let url = options.url()?;
    let endpoint = url.host_str().ok_or_else(|| OpenError::Endpoint { endpoint: options.endpoint.clone() })?;
    let hosts = vec![format!("{}.{endpoint}", options.bucket), endpoint.to_owned()];
    let addresses = AddressRules { allow_hosts: hosts, ..AddressRules::server() };
    // A compressed log is a few megabytes at most.
    let http = Http { addresses, timeout: Millis::from_secs(60), body: 64 << 20, ..Http::default() };
    Ok(Client::new(http, config.clock.real(), Arc::new(rand::random::<f64>))?)
}
