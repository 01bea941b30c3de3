//! Addresses that may not be called, and the ways people try.

use super::server::{Count, Names, client, local, no_jitter, serve};
use axum::Router;
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse, Redirect};
use axum::routing::get;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use windlass_clock::Clock;
use windlass_http::{AddressRules, Client, Config, HttpError, ProxyConfig, Request};

/// A server of this process that nobody may see, and how often it was called.
async fn hidden() -> (u16, Count) {
    let count = Count::default();
    let counted = count.clone();
    let answer = move || {
        counted.next();
        async { ([(header::CONNECTION, "close")], "internal").into_response() }
    };
    (serve(Router::new().fallback(get(answer))).await.port(), count)
}

#[tokio::test]
async fn the_server_does_not_call_itself() {
    let (port, count) = hidden().await;
    let client = client(Config::default());
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"] {
        let error = client.send(&Request::get(&format!("http://{host}:{port}/")).unwrap()).await.unwrap_err();
        assert!(matches!(error, HttpError::Denied(_)), "{host}: {error:?}");
    }
    assert_eq!(count.get(), 0);
}

#[tokio::test]
async fn redirects_do_not_lead_around_the_rules() {
    let to = |target: &'static str| get(move || async move { Redirect::temporary(target) });
    let routes = Router::new()
        .route("/metadata", to("http://169.254.169.254/latest/meta-data/"))
        .route("/name", to("http://inside.test/"));
    let port = serve(routes).await.port();
    let rules = AddressRules { allow_hosts: vec!["public.test".into()], ..AddressRules::server() };
    let config = Config { addresses: rules, ..Config::default() };
    for path in ["/metadata", "/name"] {
        let names = Names::new(&[&["127.0.0.1"], &["127.0.0.1"]]);
        let client = Client::with_lookup(config.clone(), Clock::system(), no_jitter(), names).unwrap();
        let error = client.send(&Request::get(&format!("http://public.test:{port}{path}")).unwrap()).await.unwrap_err();
        assert!(matches!(error, HttpError::Denied(_)), "{path}: {error:?}");
    }
}

#[tokio::test]
async fn a_name_that_changes_its_mind_gains_nothing() {
    let (port, count) = hidden().await;
    let rules = AddressRules { allow: vec!["127.0.0.1/32".parse().unwrap()], ..AddressRules::server() };
    let config = Config { addresses: rules, ..Config::default() };
    // First an allowed address, then one that is not, then both, then none.
    let names = Names::new(&[&["127.0.0.1"], &["127.0.0.2"], &["127.0.0.2", "127.0.0.1"], &[]]);
    let client = Client::with_lookup(config, Clock::system(), no_jitter(), names).unwrap();
    let request = Request::get(&format!("http://rebind.test:{port}/")).unwrap();
    assert_eq!(client.send(&request).await.unwrap().text(), "internal");
    let denied = client.send(&request).await.unwrap_err();
    assert_eq!(
        denied.to_string(),
        "rebind.test is 127.0.0.2, which is this machine; calls to such addresses are not allowed here"
    );
    assert_eq!(client.send(&request).await.unwrap().text(), "internal");
    assert!(matches!(client.send(&request).await.unwrap_err(), HttpError::Name { .. }));
    assert_eq!(count.get(), 2);
}

#[tokio::test]
async fn proxies_are_used_and_may_be_inside() {
    let seen =
        |uri: Uri, headers: HeaderMap| async move { format!("{uri} {}", headers.contains_key("proxy-authorization")) };
    let port = serve(Router::new().fallback(get(seen))).await.port();
    let proxy = ProxyConfig::new(Some(&format!("u:p@proxy.test:{port}")), None, Some("direct.test")).unwrap();
    let config = Config { proxy, ..Config::default() };
    let names = Names::new(&[&["127.0.0.1"], &["127.0.0.1"]]);
    let client = Client::with_lookup(config, Clock::system(), no_jitter(), names).unwrap();
    let answer = client.send(&Request::get("http://far.test/a").unwrap()).await.unwrap();
    assert_eq!(answer.text(), "http://far.test/a true");
    // Without the proxy the rules hold.
    let error = client.send(&Request::get("http://direct.test/a").unwrap()).await.unwrap_err();
    assert!(matches!(error, HttpError::Denied(_)), "{error:?}");
    // A proxy is no way to an address that may not be called.
    let error = client.send(&Request::get("http://169.254.169.254/").unwrap()).await.unwrap_err();
    assert!(matches!(error, HttpError::Denied(_)), "{error:?}");
}

#[tokio::test]
async fn secure_connections_go_through_the_proxy_as_tunnels() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let head = tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut head = vec![0; 1_024];
        let length = connection.read(&mut head).await.unwrap();
        connection.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        String::from_utf8_lossy(&head[..length]).into_owned()
    });
    let proxy = ProxyConfig::new(None, Some(&format!("http://127.0.0.1:{port}")), None).unwrap();
    let error =
        client(Config { proxy, ..local() }).send(&Request::get("https://secure.test/x").unwrap()).await.unwrap_err();
    assert!(matches!(error, HttpError::Connect { .. }), "{error:?}");
    assert!(head.await.unwrap().starts_with("CONNECT secure.test:443 HTTP/1.1\r\n"));
}
