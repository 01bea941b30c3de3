//! Proxies, as `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` mean them. A role reads the environment and hands the texts in.

use crate::range::AddressRange;
use reqwest::Url;
use std::fmt;
use std::net::IpAddr;

/// Through which proxy a URL is reached.
#[derive(Clone, Default)]
pub struct ProxyConfig {
    http: Option<Url>,
    https: Option<Url>,
    bypass: Bypass,
}

/// A text that is no proxy. The text itself may hold a password and is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a proxy is written http://host:port, https://host:port or socks5://host:port, with user:password@ before the host where needed"
)]
pub struct ProxyError;

impl ProxyConfig {
    /// From the three texts; empty ones count as absent. A proxy without a scheme is `http://`.
    pub fn new(http: Option<&str>, https: Option<&str>, no_proxy: Option<&str>) -> Result<Self, ProxyError> {
        let url = |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(parse).transpose();
        Ok(Self { http: url(http)?, https: url(https)?, bypass: Bypass::parse(no_proxy.unwrap_or_default()) })
    }

    /// The proxy for a URL; `None` means a direct connection.
    pub fn for_url(&self, url: &Url) -> Option<&Url> {
        let proxy = match url.scheme() {
            "https" | "wss" => self.https.as_ref(),
            _ => self.http.as_ref(),
        };
        proxy.filter(|_| !url.host_str().is_some_and(|host| self.bypass.matches(host, url.port_or_known_default())))
    }

    /// The hosts of the proxies: the operator chose them, so rules about addresses do not hold for them.
    pub(crate) fn hosts(&self) -> impl Iterator<Item = &str> {
        [&self.http, &self.https].into_iter().flatten().filter_map(Url::host_str)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.http.is_none() && self.https.is_none()
    }
}

fn parse(text: &str) -> Result<Url, ProxyError> {
    let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let url = Url::parse(&text).map_err(|_| ProxyError)?;
    let known = matches!(url.scheme(), "http" | "https" | "socks4" | "socks4a" | "socks5" | "socks5h");
    if known && url.host_str().is_some_and(|host| !host.is_empty()) { Ok(url) } else { Err(ProxyError) }
}

impl fmt::Debug for ProxyConfig {
    /// Without passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |url: &Option<Url>| url.as_ref().map(crate::request::shown);
        f.debug_struct("ProxyConfig")
            .field("http", &shown(&self.http))
            .field("https", &shown(&self.https))
            .field("bypass", &self.bypass)
            .finish()
    }
}

/// What is reached without a proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bypass {
    everything: bool,
    ranges: Vec<AddressRange>,
    /// Lower case, without a leading dot, with a port where one was written.
    domains: Vec<(String, Option<u16>)>,
}

impl Bypass {
    /// Reads `NO_PROXY`: names (which also mean the names below them), addresses and ranges, separated by commas or spaces;
    /// `*` means everything.
    pub fn parse(text: &str) -> Self {
        let mut bypass = Self::default();
        for entry in text.split([',', ' ']).map(str::trim).filter(|entry| !entry.is_empty()) {
            if entry == "*" {
                bypass.everything = true;
            } else if let Ok(range) = entry.trim_matches(['[', ']']).parse() {
                bypass.ranges.push(range);
            } else {
                let (name, port) = match entry.rsplit_once(':').map(|(name, port)| (name, port.parse())) {
                    Some((name, Ok(port))) => (name, Some(port)),
                    _ => (entry, None),
                };
                let name =
                    name.trim_start_matches("*.").trim_start_matches('.').trim_end_matches('.').to_ascii_lowercase();
                bypass.domains.push((name, port));
            }
        }
        bypass
    }

    pub fn matches(&self, host: &str, port: Option<u16>) -> bool {
        let host = host.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
        if let Ok(address) = host.parse::<IpAddr>() {
            return self.everything || self.ranges.iter().any(|range| range.contains(address));
        }
        self.everything
            || self.domains.iter().any(|(domain, wanted)| {
                let below =
                    host.strip_suffix(domain.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
                below && wanted.is_none_or(|wanted| port == Some(wanted))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::{Bypass, ProxyConfig};
    use reqwest::Url;

    #[test]
    fn what_is_reached_without_a_proxy() {
        let bypass = Bypass::parse("localhost, .internal,example.com:8443 *.corp.test 10.0.0.0/8,192.0.2.7,[::1]");
        for (host, port, direct) in [
            ("localhost", 80, true),
            ("LOCALHOST.", 80, true),
            ("forge.internal", 443, true),
            ("internal", 443, true),
            ("notinternal", 443, false),
            ("example.com", 8443, true),
            ("example.com", 443, false),
            ("a.corp.test", 443, true),
            ("10.2.3.4", 80, true),
            ("192.0.2.7", 80, true),
            ("192.0.2.8", 80, false),
            ("[::1]", 80, true),
            ("8.8.8.8", 80, false),
        ] {
            assert_eq!(bypass.matches(host, Some(port)), direct, "{host}:{port}");
        }
        assert!(Bypass::parse("*").matches("anything", None));
        assert!(!Bypass::parse("").matches("anything", None));
    }

    #[test]
    fn the_scheme_of_the_url_chooses() {
        let proxies =
            ProxyConfig::new(Some("proxy:3128"), Some("https://u:hunter2@secure:3129"), Some("direct.test")).unwrap();
        let chosen = |url: &str| proxies.for_url(&Url::parse(url).unwrap()).and_then(Url::host_str).map(str::to_owned);
        assert_eq!(chosen("http://a.test/").as_deref(), Some("proxy"));
        assert_eq!(chosen("https://a.test/").as_deref(), Some("secure"));
        assert_eq!(chosen("https://direct.test/"), None);
        assert!(!format!("{proxies:?}").contains("hunter2"));
        for wrong in ["ftp://x", "http://", "://"] {
            assert!(ProxyConfig::new(Some(wrong), None, None).is_err(), "{wrong}");
        }
        assert!(ProxyConfig::new(Some(""), Some(" "), None).unwrap().is_empty());
    }
}
