//! Helm repositories: an index, and packed charts somewhere.

use crate::error::RegistryError;
use crate::index::Index;
use crate::reference::Repository;
use crate::registries::{Found, Place};
use crate::send::{get, refused};
use crate::sign_in::basic;
use crate::version;
use windlass_http::{Client, Url, shown};

/// The index as text: also the test of a connection.
pub(crate) async fn index(client: &Client, repository: &Repository) -> Result<String, RegistryError> {
    let url = joined(repository, "index.yaml")?;
    let bytes = bytes(client, repository, &url).await?;
    String::from_utf8(bytes.to_vec())
        .map_err(|_| RegistryError::Protocol { url: shown(&url), problem: "the index is no text".to_owned() })
}

pub(crate) async fn find(
    client: &Client,
    repository: &Repository,
    name: &str,
    wanted: &str,
) -> Result<Found, RegistryError> {
    let text = index(client, repository).await?;
    let url = || repository.to_string();
    let index = Index::new(&text);
    let entries = index.versions(name).map_err(|problem| RegistryError::Protocol { url: url(), problem })?;
    let Some(entries) = entries else {
        let names = index.names();
        let nearest = windlass_diagnostic::nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
        return Err(RegistryError::NoChart { url: url(), name: name.to_owned(), nearest });
    };
    let versions = entries.iter().map(|entry| entry.version.as_str());
    let Some(version) = version::choose(versions, wanted) else {
        let nearest = entries.first().map(|entry| entry.version.clone());
        let wanted = wanted.to_owned();
        return Err(RegistryError::NoVersion { url: url(), name: name.to_owned(), wanted, nearest });
    };
    let entry = entries.iter().find(|entry| entry.version == version);
    let at = joined(repository, entry.map_or("", |entry| entry.url.as_str()))?;
    let digest = entry.and_then(|entry| entry.digest.clone());
    Ok(Found { name: name.to_owned(), version: version.to_owned(), digest, place: Place::Url(at) })
}

/// What lies behind an address. User and password go to the repository itself only.
pub(crate) async fn bytes(client: &Client, repository: &Repository, url: &Url) -> Result<bytes::Bytes, RegistryError> {
    let user = repository.user.as_ref().filter(|_| repository.is_own(url));
    let authorization = user.map(|user| basic(&user.name, &user.password));
    let answer = get(client, url, "", authorization.as_deref()).await?;
    if !answer.status.is_success() {
        return Err(refused(url, answer.status.as_u16(), user.is_some()));
    }
    Ok(answer.body)
}

/// An address as an index writes it.
fn joined(repository: &Repository, text: &str) -> Result<Url, RegistryError> {
    let bad = |problem| RegistryError::Address { url: text.to_owned(), problem };
    let url = repository.base.join(text).map_err(|_| bad("the index names it"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("charts are fetched over http and https"));
    }
    if repository.base.scheme() == "https" && url.scheme() != "https" {
        return Err(bad("an index that came over https names a chart without encryption"));
    }
    Ok(url)
}
