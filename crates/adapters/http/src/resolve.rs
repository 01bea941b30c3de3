//! Names to addresses, with the rules in between.

use crate::address::AddressRules;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::collections::BTreeSet;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

/// Finds the addresses of a name.
pub trait Lookup: Send + Sync {
    fn lookup(&self, host: &str) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + '_>>;
}

/// As the system does.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup(&self, host: &str) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + '_>> {
        let host = host.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// The name could not be resolved.
#[derive(Debug, thiserror::Error)]
#[error("the name {host} cannot be resolved")]
pub(crate) struct Unresolved {
    pub(crate) host: String,
    #[source]
    source: io::Error,
}

/// Resolves a name and leaves only addresses that may be called. The client connects to what comes out of here and asks no second
/// time, so an answer that changes in between changes nothing.
#[derive(Clone)]
pub(crate) struct GuardedResolver {
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) rules: Arc<AddressRules>,
    /// Proxies, by name: chosen by the operator.
    pub(crate) trusted: Arc<BTreeSet<String>>,
}

impl fmt::Debug for GuardedResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedResolver").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let this = self.clone();
        Box::pin(async move {
            let host = name.as_str();
            let unresolved = |source| Unresolved { host: host.to_owned(), source };
            let found = this.lookup.lookup(host).await.map_err(unresolved)?;
            if found.is_empty() {
                return Err(unresolved(io::Error::from(io::ErrorKind::NotFound)).into());
            }
            let judged: Vec<_> = found
                .into_iter()
                .map(|address| match this.trusted.contains(host) {
                    true => Ok(address),
                    false => this.rules.check(host, address).map(|()| address),
                })
                .collect();
            let allowed: Vec<SocketAddr> =
                judged.iter().flatten().map(|address| SocketAddr::new(*address, 0)).collect();
            match judged.into_iter().find_map(Result::err) {
                Some(denied) if allowed.is_empty() => Err(denied.into()),
                _ => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}
