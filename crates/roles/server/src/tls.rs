//! The server's certificate, read from files and again when these change.

use axum_server::tls_rustls::RustlsConfig;
use std::path::{Path, PathBuf};
use windlass_clock::Clock;
use windlass_model::Millis;

/// How often the files are looked at.
const LOOK: Millis = Millis::from_secs(10);

/// Where certificate and key lie, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate, and those between it and an authority that clients know.
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{} and {} are no certificate with its key", files.certificate.display(), files.key.display())]
    Pair { files: TlsFiles, source: std::io::Error },
}

/// What the files hold.
#[derive(PartialEq, Eq)]
struct Pair {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl TlsFiles {
    async fn read(&self) -> Result<Pair, TlsError> {
        Ok(Pair { certificate: read(&self.certificate).await?, key: read(&self.key).await? })
    }

    fn unusable(&self, source: std::io::Error) -> TlsError {
        TlsError::Pair { files: self.clone(), source }
    }

    pub(crate) async fn load(self, clock: Clock) -> Result<Certificate, TlsError> {
        let seen = self.read().await?;
        let config = RustlsConfig::from_pem(seen.certificate.clone(), seen.key.clone())
            .await
            .map_err(|source| self.unusable(source))?;
        Ok(Certificate { files: self, config, seen, clock: clock.real() })
    }
}

/// The certificate that is shown to clients.
pub(crate) struct Certificate {
    files: TlsFiles,
    pub(crate) config: RustlsConfig,
    seen: Pair,
    clock: Clock,
}

impl Certificate {
    /// Takes over what whoever renews certificates writes, for ever. What cannot be used is told once, and the last good pair
    /// stays: between the writing of the one file and the other they do not fit.
    pub(crate) async fn follow(mut self) {
        let mut told = String::new();
        loop {
            self.clock.sleep(LOOK).await;
            match self.renew().await {
                Ok(false) => {}
                Ok(true) => {
                    tracing::info!(file = %self.files.certificate.display(), "took over a new certificate");
                    told.clear();
                }
                Err(error) => {
                    let text = windlass_app::chain(&error);
                    if told != text {
                        tracing::warn!(error = text, "the new certificate cannot be used; the earlier one stays");
                        told = text;
                    }
                }
            }
        }
    }

    /// Whether there was a new one.
    async fn renew(&mut self) -> Result<bool, TlsError> {
        let pair = self.files.read().await?;
        if pair == self.seen {
            return Ok(false);
        }
        let reloaded = self.config.reload_from_pem(pair.certificate.clone(), pair.key.clone()).await;
        reloaded.map_err(|source| self.files.unusable(source))?;
        self.seen = pair;
        Ok(true)
    }
}

impl std::fmt::Debug for Certificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Certificate").field("files", &self.files).finish_non_exhaustive()
    }
}

async fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    tokio::fs::read(path).await.map_err(|source| TlsError::Read { path: path.to_owned(), source })
}
