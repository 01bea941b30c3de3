//! TLS with a certificate authority of one's own.

use super::server::{client, local};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use windlass_http::{Client, Config, ConfigError, HttpError, Request};

/// A server with a certificate for `localhost`, and the PEM of the authority that signed it.
async fn secure(answer: &'static str) -> (SocketAddr, String) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(["localhost".to_owned()]).unwrap().signed_by(&key, &authority).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key.serialize_der().try_into().unwrap())
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            let Ok(mut connection) = acceptor.accept(connection).await else { continue };
            let mut head = [0; 1_024];
            let _ = connection.read(&mut head).await;
            let _ = connection.write_all(answer.as_bytes()).await;
            let _ = connection.shutdown().await;
        }
    });
    (address, authority.pem())
}

#[tokio::test]
async fn only_known_authorities_are_trusted() {
    let (address, ca) = secure("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok").await;
    let request = Request::get(&format!("https://localhost:{}/", address.port())).unwrap();
    let answer = client(Config { ca: vec![ca], ..local() }).send(&request).await.unwrap();
    assert_eq!(answer.text(), "ok");
    let error = client(local()).send(&request).await.unwrap_err();
    assert!(matches!(error, HttpError::Tls { .. }), "{error:?}");
    assert!(error.to_string().contains("the certificate is not accepted"), "{error}");
}

#[tokio::test]
async fn nothing_secure_is_continued_in_the_open() {
    let (address, ca) =
        secure("HTTP/1.1 302 Found\r\nlocation: http://localhost:1/\r\nconnection: close\r\n\r\n").await;
    let request = Request::get(&format!("https://localhost:{}/", address.port())).unwrap();
    let error = client(Config { ca: vec![ca], ..local() }).send(&request).await.unwrap_err();
    assert!(error.to_string().ends_with("redirected: from https to http"), "{error}");
}

#[test]
fn what_is_no_certificate_is_refused() {
    for pem in ["", "not a certificate", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n"] {
        let config = Config { ca: vec![pem.into()], ..Config::default() };
        let made = Client::new(config, windlass_clock::Clock::system(), super::server::no_jitter());
        assert!(matches!(made, Err(ConfigError::Certificate(0))), "{pem:?}");
    }
}
