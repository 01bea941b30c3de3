//! Which addresses may be called.

use crate::range::AddressRange;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Rules about addresses. What is not public is denied unless it is allowed here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AddressRules {
    /// Private networks (10/8, 172.16/12, 192.168/16, fc00::/7, carrier-grade NAT).
    pub private: bool,
    /// This machine.
    pub loopback: bool,
    /// 169.254/16 and fe80::/10, and the well-known addresses of clouds' metadata services wherever they are.
    pub link_local: bool,
    /// Ranges allowed besides.
    pub allow: Vec<AddressRange>,
    /// Host names whose addresses are not looked at: endpoints that an administrator configured.
    pub allow_hosts: Vec<String>,
}

/// An address that may not be called.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{host} is {address}, which is {why}; calls to such addresses are not allowed here")]
pub struct Denied {
    pub host: String,
    pub address: IpAddr,
    pub why: &'static str,
}

impl Default for AddressRules {
    fn default() -> Self {
        Self::server()
    }
}

/// Metadata services: they give credentials to whoever asks from inside.
const METADATA: [IpAddr; 4] = [
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x254)),
];

/// What the public Internet does not route, besides what has a rule of its own.
const RESERVED: [(IpAddr, u8, &str); 16] = [
    (v4(0, 0, 0, 0), 8, "this network"),
    (v4(192, 0, 0, 0), 24, "reserved"),
    (v4(192, 0, 2, 0), 24, "for documentation"),
    (v4(192, 88, 99, 0), 24, "reserved"),
    (v4(198, 18, 0, 0), 15, "for benchmarks"),
    (v4(198, 51, 100, 0), 24, "for documentation"),
    (v4(203, 0, 113, 0), 24, "for documentation"),
    (v4(224, 0, 0, 0), 4, "multicast"),
    (v4(240, 0, 0, 0), 4, "reserved"),
    (v6(0, 0), 128, "unspecified"),
    (v6(0x0100, 0), 64, "discarded"),
    (v6(0x2001, 0), 23, "reserved"),
    (v6(0x2001, 0x0db8), 32, "for documentation"),
    (v6(0x3fff, 0), 20, "for documentation"),
    (v6(0xfec0, 0), 10, "site-local"),
    (v6(0xff00, 0), 8, "multicast"),
];

const PRIVATE: [(IpAddr, u8); 5] = [
    (v4(10, 0, 0, 0), 8),
    (v4(172, 16, 0, 0), 12),
    (v4(192, 168, 0, 0), 16),
    (v4(100, 64, 0, 0), 10),
    (v6(0xfc00, 0), 7),
];

const fn v4(a: u8, b: u8, c: u8, d: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(a, b, c, d))
}

const fn v6(a: u16, b: u16) -> IpAddr {
    IpAddr::V6(Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0))
}

fn within(base: IpAddr, bits: u8, address: IpAddr) -> bool {
    AddressRange::new(base, bits).contains(address)
}

impl AddressRules {
    /// For the server: public addresses only.
    pub fn server() -> Self {
        Self { private: false, loopback: false, link_local: false, allow: Vec::new(), allow_hosts: Vec::new() }
    }

    /// For workers, which are there to reach what is in their network: everything but metadata services and link-local addresses.
    pub fn worker() -> Self {
        Self { private: true, loopback: true, ..Self::server() }
    }

    /// Whether a connection to `address` is allowed, for messages under the name `host`.
    pub fn check(&self, host: &str, address: IpAddr) -> Result<(), Denied> {
        if self.allow.iter().any(|range| range.contains(address)) || self.allows_host(host) {
            return Ok(());
        }
        // Addresses that stand for others are judged as those.
        let real = embedded(address).unwrap_or(address);
        if real != address && self.allow.iter().any(|range| range.contains(real)) {
            return Ok(());
        }
        match self.reason(real) {
            Some(why) => Err(Denied { host: host.to_owned(), address, why }),
            None => Ok(()),
        }
    }

    /// Checks a URL whose host is an address. Names are checked when they are resolved.
    pub fn check_url(&self, url: &Url) -> Result<(), Denied> {
        let host = url.host_str().unwrap_or_default();
        match host.trim_start_matches('[').trim_end_matches(']').parse() {
            Ok(address) => self.check(host, address),
            Err(_) => Ok(()),
        }
    }

    pub(crate) fn allows_host(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.');
        self.allow_hosts.iter().any(|allowed| allowed.trim_end_matches('.').eq_ignore_ascii_case(host))
    }

    fn reason(&self, address: IpAddr) -> Option<&'static str> {
        if METADATA.contains(&address) {
            return (!self.link_local).then_some("a metadata service");
        }
        if address.is_loopback() {
            return (!self.loopback).then_some("this machine");
        }
        if within(v4(169, 254, 0, 0), 16, address) || within(v6(0xfe80, 0), 10, address) {
            return (!self.link_local).then_some("link-local");
        }
        if PRIVATE.iter().any(|(base, bits)| within(*base, *bits, address)) {
            return (!self.private).then_some("in a private network");
        }
        RESERVED.iter().find(|(base, bits, _)| within(*base, *bits, address)).map(|(_, _, why)| *why)
    }
}

/// The IPv4 address inside of a mapped, translated (NAT64), 6to4 or compatible IPv6 address.
fn embedded(address: IpAddr) -> Option<IpAddr> {
    let IpAddr::V6(address) = address else { return None };
    let parts = address.segments();
    let ipv4 = |high: u16, low: u16| Some(IpAddr::V4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))));
    match parts {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => ipv4(high, low),
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => ipv4(high, low),
        [0x2002, high, low, ..] => ipv4(high, low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::AddressRules;
    use reqwest::Url;

    fn denied(rules: &AddressRules, address: &str) -> Option<&'static str> {
        rules.check("host", address.parse().unwrap()).err().map(|denied| denied.why)
    }

    #[test]
    fn what_is_not_public_is_denied_to_the_server() {
        let table = [
            ("8.8.8.8", None, None),
            ("2606:4700::1111", None, None),
            ("10.0.0.1", Some("in a private network"), None),
            ("172.16.0.1", Some("in a private network"), None),
            ("172.32.0.1", None, None),
            ("192.168.1.1", Some("in a private network"), None),
            ("100.64.0.1", Some("in a private network"), None),
            ("fd12::1", Some("in a private network"), None),
            ("127.0.0.1", Some("this machine"), None),
            ("127.9.9.9", Some("this machine"), None),
            ("::1", Some("this machine"), None),
            ("169.254.169.254", Some("a metadata service"), Some("a metadata service")),
            ("168.63.129.16", Some("a metadata service"), Some("a metadata service")),
            ("100.100.100.200", Some("a metadata service"), Some("a metadata service")),
            ("fd00:ec2::254", Some("a metadata service"), Some("a metadata service")),
            ("169.254.1.1", Some("link-local"), Some("link-local")),
            ("fe80::1", Some("link-local"), Some("link-local")),
            ("0.0.0.0", Some("this network"), Some("this network")),
            ("::", Some("unspecified"), Some("unspecified")),
            ("255.255.255.255", Some("reserved"), Some("reserved")),
            ("224.0.0.1", Some("multicast"), Some("multicast")),
            ("ff02::1", Some("multicast"), Some("multicast")),
            // Other ways to write the same.
            ("::ffff:127.0.0.1", Some("this machine"), None),
            ("::ffff:169.254.169.254", Some("a metadata service"), Some("a metadata service")),
            ("64:ff9b::a9fe:a9fe", Some("a metadata service"), Some("a metadata service")),
            ("2002:7f00:1::", Some("this machine"), None),
            ("::7f00:1", Some("this machine"), None),
            ("::ffff:8.8.8.8", None, None),
        ];
        for (address, server, worker) in table {
            assert_eq!(denied(&AddressRules::server(), address), server, "{address} from the server");
            assert_eq!(denied(&AddressRules::worker(), address), worker, "{address} from a worker");
        }
    }

    #[test]
    fn administrators_can_allow_ranges_and_hosts() {
        let rules = AddressRules {
            allow: vec!["10.1.0.0/16".parse().unwrap()],
            allow_hosts: vec!["Forge.Internal".into()],
            ..AddressRules::server()
        };
        assert_eq!(denied(&rules, "10.1.2.3"), None);
        assert_eq!(denied(&rules, "::ffff:10.1.2.3"), None);
        assert_eq!(denied(&rules, "10.2.0.1"), Some("in a private network"));
        assert!(rules.check("forge.internal.", "127.0.0.1".parse().unwrap()).is_ok());
        assert!(rules.check("x.forge.internal", "127.0.0.1".parse().unwrap()).is_err());
    }

    #[test]
    fn addresses_in_urls_are_seen_however_they_are_written() {
        for url in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://[::1]:80/",
            "http://[::ffff:7f00:1]/",
            "http://127.1:8080/",
        ] {
            assert!(AddressRules::server().check_url(&Url::parse(url).unwrap()).is_err(), "{url}");
        }
        assert!(AddressRules::server().check_url(&Url::parse("http://example.com/").unwrap()).is_ok());
    }
}
