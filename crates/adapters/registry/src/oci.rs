//! OCI registries: charts are artifacts, versions are tags.

use crate::challenge::{Challenge, parse};
use crate::error::RegistryError;
use crate::reference::Repository;
use crate::registries::{Found, Place, sha256};
use crate::send::{get, refused};
use crate::sign_in::{SignInError, basic, token};
use crate::version;
use bytes::Bytes;
use serde_json::Value as Json;
use windlass_http::{Answer, Client, Url, shown};

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CHART: [&str; 2] = ["application/vnd.cncf.helm.chart.content.v1.tar+gzip", "application/tar+gzip"];

const PROVENANCE: [&str; 1] = ["application/vnd.cncf.helm.chart.provenance.v1.prov"];

/// Pages of tags that are read.
const MOST_PAGES: usize = 50;

/// A conversation with one repository of a registry; it signs in once.
#[derive(Debug)]
pub(crate) struct Conversation<'r> {
    client: &'r Client,
    repository: &'r Repository,
    /// `charts/shop`
    path: String,
    authorization: Option<String>,
}

impl<'r> Conversation<'r> {
    pub(crate) fn new(client: &'r Client, repository: &'r Repository, name: &str) -> Self {
        let path = format!("{}{name}", repository.base.path().trim_start_matches('/'));
        Self { client, repository, path: path.trim_matches('/').to_owned(), authorization: None }
    }

    /// `https://host/v2/…`
    fn api(&self, rest: &str) -> Result<Url, RegistryError> {
        let path = if rest.is_empty() { "/v2/".to_owned() } else { format!("/v2/{}/{rest}", self.path) };
        let bad = |_| RegistryError::Address { url: self.repository.to_string(), problem: "it makes no address" };
        self.repository.base.join(&path).map_err(bad)
    }

    async fn ask(&mut self, url: &Url, accept: &str) -> Result<Answer, RegistryError> {
        let first = get(self.client, url, accept, self.authorization.as_deref()).await?;
        let header = first.headers.get("www-authenticate").and_then(|value| value.to_str().ok());
        let challenge = header.filter(|_| first.status.as_u16() == 401 && self.authorization.is_none()).and_then(parse);
        let answer = match challenge {
            Some(challenge) => {
                self.authorization = Some(self.sign_in(url, challenge).await?);
                get(self.client, url, accept, self.authorization.as_deref()).await?
            }
            None => first,
        };
        if answer.status.is_success() {
            return Ok(answer);
        }
        Err(refused(url, answer.status.as_u16(), self.repository.user.is_some()))
    }

    async fn sign_in(&self, url: &Url, challenge: Challenge) -> Result<String, RegistryError> {
        let user = self.repository.user.as_ref();
        match (challenge, user) {
            (Challenge::Basic, None) => Err(RegistryError::Anonymous { url: shown(url) }),
            (Challenge::Basic, Some(user)) => Ok(basic(&user.name, &user.password)),
            (Challenge::Bearer { realm, service, scope }, user) => {
                let scope = scope.or_else(|| Some(format!("repository:{}:pull", self.path)));
                let parameters = [("service", service), ("scope", scope)];
                let found = token(self.client, &self.repository.base, &realm, &parameters, user).await;
                found.map(|token| format!("Bearer {token}")).map_err(|error| match error {
                    SignInError::Http(error) => RegistryError::Http(error),
                    SignInError::Status { status: 401 | 403, .. } if user.is_none() => {
                        RegistryError::Anonymous { url: shown(url) }
                    }
                    SignInError::Status { url, status: status @ (401 | 403) } => RegistryError::Refused { url, status },
                    SignInError::Status { url, status } => RegistryError::Status { url, status },
                    odd => RegistryError::Protocol { url: shown(url), problem: odd.to_string() },
                })
            }
        }
    }

    /// Signs in, without looking at anything: the test of a connection.
    pub(crate) async fn greet(&mut self) -> Result<(), RegistryError> {
        let url = self.api("")?;
        self.ask(&url, "").await.map(drop)
    }

    /// The versions that are published, as tags write them.
    async fn tags(&mut self) -> Result<Vec<String>, RegistryError> {
        let mut url = self.api("tags/list?n=1000")?;
        let mut tags = Vec::new();
        for _ in 0..MOST_PAGES {
            let answer = self.ask(&url, "").await?;
            let list = json(&url, &answer.body)?;
            let page = list.get("tags").and_then(Json::as_array).into_iter().flatten();
            tags.extend(page.filter_map(Json::as_str).map(str::to_owned));
            let next = answer.headers.get("link").and_then(|link| link.to_str().ok()).and_then(next_page);
            match next.and_then(|next| url.join(next).ok()).filter(|next| self.repository.is_own(next)) {
                Some(next) => url = next,
                None => return Ok(tags),
            }
        }
        Ok(tags)
    }

    pub(crate) async fn find(&mut self, name: &str, wanted: &str) -> Result<Found, RegistryError> {
        let repository = self.repository.to_string();
        let missing = |nearest| RegistryError::NoVersion {
            url: repository.clone(),
            name: name.to_owned(),
            wanted: wanted.to_owned(),
            nearest,
        };
        let version = if wanted.starts_with("sha256:") || version::is_exact(wanted) {
            wanted.to_owned()
        } else {
            let tags = self.tags().await.map_err(|error| match error {
                RegistryError::Status { status: 404, .. } => {
                    RegistryError::NoChart { url: repository.clone(), name: name.to_owned(), nearest: None }
                }
                other => other,
            })?;
            // A tag cannot hold the `+` of a version.
            let versions: Vec<String> = tags.iter().map(|tag| tag.replace('_', "+")).collect();
            let chosen = version::choose(versions.iter().map(String::as_str), wanted).map(str::to_owned);
            chosen.ok_or_else(|| {
                let mut all = versions.clone();
                all.sort_by(|a, b| version::newest_first(a, b));
                missing(all.into_iter().next())
            })?
        };
        let url = self.api(&format!("manifests/{}", version.replace('+', "_")))?;
        let answer = self.ask(&url, MANIFEST).await.map_err(|error| match error {
            RegistryError::Status { status: 404, .. } => missing(None),
            other => other,
        })?;
        if wanted.starts_with("sha256:") {
            check(&url, wanted, &answer.body)?;
        }
        let manifest = json(&url, &answer.body)?;
        let Some(digest) = layer(&manifest, &CHART) else {
            let problem = "what is there is no chart: the manifest has no layer with one".to_owned();
            return Err(RegistryError::Protocol { url: shown(&url), problem });
        };
        let place = Place::Blobs { chart: digest.clone(), provenance: layer(&manifest, &PROVENANCE) };
        Ok(Found { name: name.to_owned(), version, digest: Some(digest), place })
    }

    pub(crate) async fn blob(&mut self, digest: &str) -> Result<Bytes, RegistryError> {
        let url = self.api(&format!("blobs/sha256:{digest}"))?;
        self.ask(&url, "").await.map(|answer| answer.body)
    }
}

/// SHA-256 of the layer of a kind, in hexadecimal.
fn layer(manifest: &Json, kinds: &[&str]) -> Option<String> {
    let layers = manifest.get("layers").and_then(Json::as_array)?;
    let is_of = |layer: &&Json| layer.get("mediaType").and_then(Json::as_str).is_some_and(|kind| kinds.contains(&kind));
    let digest = layers.iter().find(is_of)?.get("digest")?.as_str()?.strip_prefix("sha256:")?;
    (digest.len() == 64).then(|| digest.to_owned())
}

fn check(url: &Url, wanted: &str, body: &[u8]) -> Result<(), RegistryError> {
    let found = format!("sha256:{}", sha256(body));
    if found == wanted {
        return Ok(());
    }
    Err(RegistryError::Digest { url: shown(url), wanted: wanted.to_owned(), found })
}

fn json(url: &Url, body: &[u8]) -> Result<Json, RegistryError> {
    serde_json::from_slice(body)
        .map_err(|_| RegistryError::Protocol { url: shown(url), problem: "the answer is no JSON".to_owned() })
}

/// `</v2/x/tags/list?last=b>; rel="next"`
fn next_page(link: &str) -> Option<&str> {
    let (address, rest) = link.trim().strip_prefix('<')?.split_once('>')?;
    rest.contains("next").then_some(address)
}
