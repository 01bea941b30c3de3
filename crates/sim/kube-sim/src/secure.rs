//! HTTPS with an authority of its own: `kubectl` and every client library send their tokens over TLS only.

mod listener;

pub(crate) use listener::SecureListener;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// How an API server proves who it is: made anew for every start, and never written down.
#[derive(Clone)]
pub struct Identity {
    authority: String,
    acceptor: TlsAcceptor,
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    #[error("cannot make a certificate for {}", .names.join(", "))]
    Certificate {
        names: Vec<String>,
        #[source]
        source: rcgen::Error,
    },
    #[error("cannot use the certificate")]
    Tls(#[from] tokio_rustls::rustls::Error),
}

impl Identity {
    /// Makes an authority, and a certificate of it for these host names and addresses.
    ///
    /// # Errors
    /// When a name cannot stand in a certificate.
    pub fn new(names: &[String]) -> Result<Self, IdentityError> {
        let failed = |source| IdentityError::Certificate { names: names.to_vec(), source };
        let mut params = CertificateParams::new(Vec::new()).map_err(failed)?;
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.distinguished_name.push(DnType::CommonName, "kube-sim");
        let key = KeyPair::generate().map_err(failed)?;
        let authority = CertifiedIssuer::self_signed(params, key).map_err(failed)?;
        let mut params = CertificateParams::new(names).map_err(failed)?;
        params.distinguished_name.push(DnType::CommonName, "kube-apiserver");
        let key = KeyPair::generate().map_err(failed)?;
        let certificate = params.signed_by(&key, &authority).map_err(failed)?;
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self { authority: authority.pem(), acceptor: TlsAcceptor::from(Arc::new(config)) })
    }

    /// The certificate, in PEM, that clients have to trust.
    pub fn authority(&self) -> &str {
        &self.authority
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Identity").finish_non_exhaustive()
    }
}
