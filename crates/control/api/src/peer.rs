//! Who speaks: the other end of the connection, or whom a trusted proxy speaks for.

use crate::Api;
use crate::problem::Problem;
use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use std::net::{IpAddr, SocketAddr};
use windlass_app::{Failure, FailureKind};
use windlass_http::AddressRange;

/// What stands between the server and its clients.
#[derive(Clone, Debug, Default)]
pub struct Front {
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted: Vec<AddressRange>,
    /// Nobody else is served, themselves on this machine apart: what they send came over no TLS.
    pub only_trusted: bool,
}

/// The address of the client, for everything that happens for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer(pub(crate) IpAddr);

impl Front {
    fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|range| range.contains(address))
    }

    /// The nearest address that is no trusted proxy. Each proxy appends whom it heard; what stands before the first one that is
    /// not trusted could be anybody's invention.
    fn client(&self, connected: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = connected;
        let lines = headers.get_all("x-forwarded-for").iter().rev();
        for entry in lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.rsplit(',')) {
            if !self.trusts(client) {
                break;
            }
            match address(entry.trim()) {
                Some(next) => client = next,
                None => break,
            }
        }
        client
    }
}

/// With or without a port, as proxies write it.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let parsed = bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()));
    parsed.map(|address: IpAddr| address.to_canonical())
}

/// Finds out who speaks, and whether they may without TLS.
pub(crate) async fn known(State(api): State<Api>, mut request: Request, next: Next) -> Response {
    let connected = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    if let Some(connected) = connected.map(|address| address.to_canonical()) {
        let probe = matches!(request.uri().path(), "/healthz" | "/readyz");
        if api.front.only_trusted && !probe && !connected.is_loopback() && !api.front.trusts(connected) {
            let failure = Failure::new(FailureKind::Denied, "API0016", format!("{connected} is no trusted proxy"))
                .hint("this server speaks plain HTTP to its proxies only: come through them");
            return Problem::from(failure).into_response();
        }
        let client = api.front.client(connected, request.headers());
        request.extensions_mut().insert(Peer(client));
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(connected: &str, forwarded: &[&'static str]) -> String {
        let front = Front { trusted: vec!["10.0.0.0/8".parse().unwrap(), "::1".parse().unwrap()], ..Front::default() };
        let headers =
            forwarded.iter().map(|line| (http::HeaderName::from_static("x-forwarded-for"), line.parse().unwrap()));
        front.client(connected.parse().unwrap(), &headers.collect()).to_string()
    }

    #[test]
    fn proxies_are_believed_as_far_as_they_are_trusted() {
        for (connected, forwarded, wanted) in [
            ("192.0.2.1", &[][..], "192.0.2.1"),
            ("192.0.2.1", &["198.51.100.7"], "192.0.2.1"),
            ("10.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.7, 10.0.0.2"], "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9", "198.51.100.7,10.0.0.2"], "198.51.100.7"),
            ("10.0.0.1", &["198.51.100.7:4711"], "198.51.100.7"),
            ("::1", &["[2001:db8::1]:443"], "2001:db8::1"),
            ("::1", &["[2001:db8::1]"], "2001:db8::1"),
            ("10.0.0.1", &["::ffff:198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9, unknown"], "10.0.0.1"),
            ("10.0.0.1", &["10.0.0.3"], "10.0.0.3"),
            ("10.0.0.1", &[""], "10.0.0.1"),
        ] {
            assert_eq!(client(connected, forwarded), wanted, "{connected} {forwarded:?}");
        }
    }
}
