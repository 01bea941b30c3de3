//! Certificate authorities besides those of the system: for the server, for what steps call, and for the programs they start.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A text with certificates in PEM.
#[derive(Clone, Debug)]
pub struct Authorities(pub String);

/// Why programs cannot be told of the authorities.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", path.display())]
pub struct BundleError {
    path: PathBuf,
    source: std::io::Error,
}

impl Authorities {
    /// Sets a client up to believe them too.
    pub fn to_server(&self, client: reqwest::ClientBuilder) -> Result<reqwest::ClientBuilder, reqwest::Error> {
        Ok(client.tls_certs_merge(reqwest::Certificate::from_pem_bundle(self.0.as_bytes())?))
    }

    /// Programs know one file only: it holds these authorities and the system's. The variables that name it.
    pub(crate) fn for_programs(&self, folder: &Path) -> Result<BTreeMap<String, String>, BundleError> {
        let path = folder.join("authorities.pem");
        let mut text = String::new();
        for certificate in rustls_native_certs::load_native_certs().certs {
            push(&mut text, &certificate);
        }
        text.push_str(&self.0);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|source| BundleError { path: path.clone(), source })?;
        let path = std::path::absolute(&path).map_err(|source| BundleError { path: path.clone(), source })?;
        let path = path.display().to_string();
        Ok(["SSL_CERT_FILE", "GIT_SSL_CAINFO"].map(|name| (name.to_owned(), path.clone())).into())
    }
}

fn push(text: &mut String, certificate: &[u8]) {
    let encoded = STANDARD.encode(certificate);
    text.push_str("-----BEGIN CERTIFICATE-----\n");
    for line in encoded.as_bytes().chunks(64) {
        text.push_str(&String::from_utf8_lossy(line));
        text.push('\n');
    }
    text.push_str("-----END CERTIFICATE-----\n");
}
