use crate::error::RegistryError;
use crate::helm;
use crate::oci::Conversation;
use crate::reference::Repository;
use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use windlass_http::{Client, Url};

/// Asks repositories of charts. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Registries {
    client: Client,
    limits: Limits,
}

/// How much is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one packed chart.
    pub chart: usize,
    /// Bytes of what tells who packed it.
    pub provenance: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { chart: 20 << 20, provenance: 1 << 20 }
    }
}

/// One version of a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub name: String,
    pub version: String,
    /// SHA-256 of the packed chart in hexadecimal; an index need not tell it.
    pub digest: Option<String>,
    pub(crate) place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Url(Url),
    /// SHA-256 of the layers in hexadecimal.
    Blobs {
        chart: String,
        provenance: Option<String>,
    },
}

impl Found {
    /// The name under which the chart was packed, as its provenance tells it.
    pub fn file_name(&self) -> String {
        match &self.place {
            Place::Url(url) => {
                let last = url.path_segments().and_then(Iterator::last).unwrap_or_default();
                last.replace("%2B", "+").replace("%2b", "+")
            }
            Place::Blobs { .. } => {
                let name = self.name.rsplit('/').next().unwrap_or_default();
                format!("{name}-{}.tgz", self.version)
            }
        }
    }
}

impl Registries {
    /// `client` bounds time, redirects and bytes: an index may have tens of megabytes.
    pub fn new(client: Client) -> Self {
        Self { client, limits: Limits::default() }
    }

    /// The version of a chart that is meant: a version, a range, or the newest when `wanted` is empty.
    ///
    /// # Errors
    /// When the repository cannot be asked, or has no such version.
    pub async fn find(&self, repository: &Repository, name: &str, wanted: &str) -> Result<Found, RegistryError> {
        if name.is_empty() && !repository.is_oci() || name.contains("..") {
            let url = repository.to_string();
            return Err(RegistryError::NoChart { url, name: name.to_owned(), nearest: None });
        }
        if repository.is_oci() {
            return Conversation::new(&self.client, repository, name).find(name, wanted.trim()).await;
        }
        helm::find(&self.client, repository, name, wanted.trim()).await
    }

    /// The packed chart, checked against its digest.
    ///
    /// # Errors
    /// When it cannot be fetched, is too large, or other bytes come.
    pub async fn pull(&self, repository: &Repository, found: &Found) -> Result<Bytes, RegistryError> {
        let bytes = match &found.place {
            Place::Url(url) => helm::bytes(&self.client, repository, url).await?,
            Place::Blobs { chart, .. } => Conversation::new(&self.client, repository, &found.name).blob(chart).await?,
        };
        let url = || format!("{repository} ({} {})", found.name, found.version);
        if bytes.len() > self.limits.chart {
            let problem = format!("the packed chart has {} bytes; {} are the most", bytes.len(), self.limits.chart);
            return Err(RegistryError::Protocol { url: url(), problem });
        }
        let came = sha256(&bytes);
        match &found.digest {
            Some(wanted) if *wanted != came => {
                Err(RegistryError::Digest { url: url(), wanted: wanted.clone(), found: came })
            }
            _ => Ok(bytes),
        }
    }

    /// What was published about who packed a chart; nothing when there is nothing.
    ///
    /// # Errors
    /// When it cannot be fetched, is too large, or other bytes come.
    pub async fn provenance(&self, repository: &Repository, found: &Found) -> Result<Option<Bytes>, RegistryError> {
        let bytes = match &found.place {
            Place::Url(url) => {
                let mut beside = url.clone();
                beside.set_path(&format!("{}.prov", url.path()));
                match helm::bytes(&self.client, repository, &beside).await {
                    Err(RegistryError::Status { status: 404 | 410, .. }) => return Ok(None),
                    answer => answer?,
                }
            }
            Place::Blobs { provenance: None, .. } => return Ok(None),
            Place::Blobs { provenance: Some(digest), .. } => {
                let bytes = Conversation::new(&self.client, repository, &found.name).blob(digest).await?;
                let came = sha256(&bytes);
                if came != *digest {
                    let url = format!("{repository} ({} {}, provenance)", found.name, found.version);
                    return Err(RegistryError::Digest { url, wanted: digest.clone(), found: came });
                }
                bytes
            }
        };
        if bytes.len() > self.limits.provenance {
            let url = format!("{repository} ({} {}, provenance)", found.name, found.version);
            let problem = format!("the provenance has {} bytes; {} are the most", bytes.len(), self.limits.provenance);
            return Err(RegistryError::Protocol { url, problem });
        }
        Ok(Some(bytes))
    }

    /// Whether a repository answers and lets this user in. What it tells is for people.
    ///
    /// # Errors
    /// Why it does not.
    pub async fn test(&self, repository: &Repository) -> Result<String, RegistryError> {
        if repository.is_oci() {
            Conversation::new(&self.client, repository, "").greet().await?;
            return Ok("the registry answers".to_owned());
        }
        let text = helm::index(&self.client, repository).await?;
        let index = crate::index::Index::new(&text);
        let names = index.names();
        if names.is_empty() {
            // Any name shows whether it is an index at all.
            let problem = |problem| RegistryError::Protocol { url: repository.to_string(), problem };
            index.versions("").map_err(problem)?;
        }
        Ok(format!("the repository answers: {} charts", names.len()))
    }
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
