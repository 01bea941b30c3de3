//! What may be reached for what manifests name elsewhere: repositories, registries, addresses.

use crate::cache::{Cache, Counts, Kept, KeyMaker, Ledger, MOST_BYTES};
use crate::provenance::Verification;
use std::sync::Arc;
use windlass_git::{GitError, Reference, Repositories, Snapshot};
use windlass_http::{Client, Url};
use windlass_model::task::source::{ChartRepository, GitReference, GitRepository};
use windlass_registry::Registries;

/// Hosts from which kustomizations and charts may bring what they name. What connectors name is reached in any case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Hosts {
    #[default]
    Any,
    /// These, with or without a port; none when the list is empty.
    Only(Vec<String>),
}

impl Hosts {
    /// From a list with commas: `any`, `none`, or hosts.
    pub fn parse(text: &str) -> Self {
        match text.trim() {
            "" | "any" => Self::Any,
            "none" => Self::Only(Vec::new()),
            list => Self::Only(list.split(',').map(|host| host.trim().to_ascii_lowercase()).collect()),
        }
    }

    /// # Errors
    /// Why an address may not be asked, with what to do.
    pub(crate) fn check(&self, address: &str) -> Result<(), String> {
        let Self::Only(hosts) = self else { return Ok(()) };
        let authority = authority(address);
        let host = authority.rsplit_once(':').map_or(&*authority, |(host, _)| host);
        if hosts.iter().any(|known| *known == authority || known == host) {
            return Ok(());
        }
        let known = if hosts.is_empty() { "none".to_owned() } else { hosts.join(", ") };
        Err(format!(
            "{authority} is no host that this delegate fetches from (allowed: {known}); keep the files in the repository, \
             or have the delegate's operator add it to --remote-hosts"
        ))
    }
}

/// `host:port` of an address, whatever it is the address of.
pub(crate) fn authority(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    // `user@host:path`
    let authority = if address.contains("://") { authority } else { authority.split(':').next().unwrap_or_default() };
    authority.to_ascii_lowercase()
}

/// What a reader finds at a commit.
pub(crate) fn of_commit(kind: &str, repository: &GitRepository, reference: &Reference) -> KeyMaker {
    let auth = serde_json::to_vec(&repository.auth).unwrap_or_default();
    KeyMaker::new(kind).part(&repository.url).part(auth).part(&reference.commit)
}

/// What a reader finds in a repository of charts.
pub(crate) fn of_charts(kind: &str, repository: &ChartRepository) -> KeyMaker {
    let user = [&repository.username, &repository.password].map(|text| text.clone().unwrap_or_default());
    KeyMaker::new(kind).part(&repository.url).parts(user)
}

/// The way to what lies elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Outside {
    pub(crate) repositories: Arc<Repositories>,
    pub(crate) network: Option<Network>,
    pub(crate) hosts: Hosts,
    /// Charts of repositories must have been signed.
    pub(crate) verification: Option<Arc<Verification>>,
    pub(crate) cache: Arc<Cache>,
    pub(crate) ledger: Arc<Ledger>,
}

/// Two ways out: for what connectors name, and for what manifests name, where every hop must lead to a host that is allowed.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub registries: Registries,
    pub named: Registries,
    pub client: Client,
}

impl Network {
    fn new(client: Client, hosts: &Hosts) -> Self {
        let named = match hosts {
            Hosts::Any => client.clone(),
            Hosts::Only(_) => {
                let hosts = hosts.clone();
                client.gated(Arc::new(move |url| hosts.check(url.as_str())))
            }
        };
        Self { registries: Registries::new(client), named: Registries::new(named.clone()), client: named }
    }
}

impl Outside {
    /// Git repositories only.
    pub(crate) fn new(repositories: Arc<Repositories>) -> Self {
        let ledger = Arc::new(Ledger::default());
        let cache = Arc::new(Cache::new(MOST_BYTES, Arc::clone(&ledger)));
        Self { repositories, network: None, hosts: Hosts::Any, verification: None, cache, ledger }
    }

    pub(crate) fn reaching(mut self, client: Client, hosts: Hosts) -> Self {
        self.network = Some(Network::new(client, &hosts));
        self.hosts = hosts;
        self
    }

    pub(crate) fn counts(&self) -> Counts {
        self.ledger.counts()
    }

    pub(crate) fn network(&self) -> Result<&Network, String> {
        self.network.as_ref().ok_or_else(|| "nothing is fetched over the network here".to_owned())
    }

    /// The commit that is meant: the pinned one, or the one that is there now.
    pub(crate) async fn locate(
        &self,
        repository: &GitRepository,
        wanted: &GitReference,
        pinned: Option<&str>,
    ) -> Result<Reference, GitError> {
        if let Some(commit) = pinned {
            return Ok(Reference { commit: commit.to_owned(), name: None });
        }
        self.ledger.asked();
        self.repositories.locate(repository, wanted).await
    }

    /// Files of a commit by their paths. Asked for once.
    pub(crate) async fn files(
        &self,
        repository: &GitRepository,
        reference: &Reference,
        paths: &[String],
    ) -> Result<Arc<Snapshot>, GitError> {
        let key = of_commit("files", repository, reference).parts(paths).key();
        if let Some(Kept::Files(found)) = self.cache.get(key) {
            return Ok(found);
        }
        self.ledger.asked();
        let found = Arc::new(self.repositories.at(repository, reference, paths).await?);
        self.cache.put(key, Kept::Files(Arc::clone(&found)));
        Ok(found)
    }

    /// The files below a folder of a commit. Asked for once.
    pub(crate) async fn folder(
        &self,
        repository: &GitRepository,
        reference: &Reference,
        folder: &str,
    ) -> Result<Arc<Snapshot>, GitError> {
        let key = of_commit("folder", repository, reference).part(folder).key();
        if let Some(Kept::Files(found)) = self.cache.get(key) {
            return Ok(found);
        }
        self.ledger.asked();
        let found = Arc::new(self.repositories.folder(repository, reference, folder).await?);
        self.cache.put(key, Kept::Files(Arc::clone(&found)));
        Ok(found)
    }

    /// Whether an address may be asked at all.
    pub(crate) fn check(&self, address: &str) -> Result<(), String> {
        self.hosts.check(address)?;
        let url = address.replacen("oci://", "https://", 1);
        match (&self.network, Url::parse(&url)) {
            (Some(network), Ok(url)) => network.client.may_call(&url).map_err(|denied| denied.to_string()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_by_name_and_port() {
        for (address, wanted) in [
            ("https://git.example/acme/x", "git.example"),
            ("https://u@Git.example:8443/acme", "git.example:8443"),
            ("git@git.example:acme/x", "git.example"),
            ("ssh://git@git.example:22/acme", "git.example:22"),
            ("oci://registry.example/charts", "registry.example"),
            ("https://evil.example?@git.example/acme", "evil.example"),
            ("https://evil.example#@git.example/acme", "evil.example"),
            ("https://evil.example\\@git.example/acme", "evil.example"),
        ] {
            assert_eq!(authority(address), wanted, "{address}");
        }
        let only = Hosts::parse("git.example, charts.example:8443");
        assert!(only.check("https://git.example:443/x").is_ok());
        assert!(only.check("https://charts.example:8443/x").is_ok());
        let refused = only.check("https://charts.example/x").unwrap_err();
        assert!(refused.contains("charts.example is no host") && refused.contains("--remote-hosts"), "{refused}");
        assert!(Hosts::parse("none").check("https://git.example/x").is_err());
        assert_eq!(Hosts::parse("any"), Hosts::Any);
    }
}
