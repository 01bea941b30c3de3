//! Encryption towards PostgreSQL.
//!
//! Asked for by `sslmode=require`, and verified then. `prefer`, which others take for granted, protects from nobody who can answer
//! in the server's place, so it is the same as no encryption here.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::fmt;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream as Session;

/// Why no encrypted connection can be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TlsError {
    #[error("cannot read certificates to trust from {path}")]
    Read {
        path: PathBuf,
        #[source]
        source: rustls::pki_types::pem::Error,
    },
    #[error("{path} holds no certificate that can be trusted")]
    None { path: PathBuf },
    #[error("cannot set up TLS")]
    Setup(#[source] rustls::Error),
}

/// Makes encrypted connections, or none where the address does not ask for it.
#[derive(Clone)]
pub(crate) struct Tls(Option<Arc<ClientConfig>>);

impl Tls {
    /// Reads what `config` asks for, and settles it there.
    pub(crate) fn new(config: &mut Config, ca: Option<&Path>) -> Result<Self, TlsError> {
        if config.get_ssl_mode() != SslMode::Require {
            config.ssl_mode(SslMode::Disable);
            return Ok(Self(None));
        }
        let mut roots = RootCertStore::empty();
        // Certificates of the system that cannot be read are as good as absent: the ones that matter are missed by name later.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if let Some(path) = ca {
            let read = |source| TlsError::Read { path: path.to_owned(), source };
            let own =
                CertificateDer::pem_file_iter(path).map_err(read)?.collect::<Result<Vec<_>, _>>().map_err(read)?;
            if roots.add_parsable_certificates(own).0 == 0 {
                return Err(TlsError::None { path: path.to_owned() });
            }
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Setup)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self(Some(Arc::new(client))))
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Tls(verified)" } else { "Tls(none)" })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Encrypted<S>;
    type TlsConnect = Connect;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> Result<Connect, io::Error> {
        let name =
            ServerName::try_from(host.to_owned()).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error));
        Ok(Connect { config: self.0.clone(), name })
    }
}

/// One connection to be encrypted.
#[derive(Debug)]
pub(crate) struct Connect {
    config: Option<Arc<ClientConfig>>,
    name: io::Result<ServerName<'static>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Connect {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let config = self.config.ok_or_else(|| io::Error::other("the address does not ask for encryption"))?;
            TlsConnector::from(config).connect(self.name?, stream).await.map(Encrypted)
        })
    }
}

/// An encrypted connection.
#[derive(Debug)]
pub(crate) struct Encrypted<S>(Session<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
