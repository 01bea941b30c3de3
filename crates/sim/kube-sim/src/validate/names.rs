//! The forms of names, labels and keys, with the words the API uses when one is wrong.

use std::net::IpAddr;

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const CONFIG_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const WILDCARD: &str = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const SEARCH: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";

pub(crate) const PORT_RANGE: &str = "must be between 1 and 65535, inclusive";
pub(crate) const PERCENT: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

fn too_long(max: usize) -> String {
    format!("must be no more than {max} characters")
}

fn is_label(text: &str) -> bool {
    let alphanumeric = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
    let bytes = text.as_bytes();
    matches!((bytes.first(), bytes.last()), (Some(&a), Some(&b)) if alphanumeric(a) && alphanumeric(b))
        && bytes.iter().all(|&c| alphanumeric(c) || c == b'-')
}

/// What is wrong with a name of several labels (most kinds).
pub(crate) fn subdomain(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    if name.len() > 253 {
        out.push(too_long(253));
    }
    if !name.split('.').all(is_label) {
        out.push(SUBDOMAIN.to_owned());
    }
    out
}

/// What is wrong with a name that may begin with `*.`.
pub(crate) fn wildcard_subdomain(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    if name.len() > 253 {
        out.push(too_long(253));
    }
    if !name.strip_prefix("*.").is_some_and(|n| n.split('.').all(is_label)) {
        out.push(WILDCARD.to_owned());
    }
    out
}

/// What is wrong with a domain in which names are searched.
pub(crate) fn search_domain(name: &str) -> Vec<String> {
    let alphanumeric = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
    let part = |part: &str| {
        let bytes = part.strip_prefix('_').unwrap_or(part).as_bytes();
        matches!((bytes.first(), bytes.last()), (Some(&a), Some(&b)) if alphanumeric(a) && alphanumeric(b))
            && bytes.iter().all(|&c| alphanumeric(c) || matches!(c, b'-' | b'_'))
    };
    let mut out = Vec::new();
    if name.len() > 253 {
        out.push(too_long(253));
    }
    if !name.split('.').all(part) {
        out.push(SEARCH.to_owned());
    }
    out
}

/// What is wrong with an IP address.
pub(crate) fn address(text: &str) -> Vec<String> {
    let fine = text.parse::<IpAddr>().is_ok();
    if fine { Vec::new() } else { vec!["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)".to_owned()] }
}

/// Addresses that point back at the machine they are used on.
pub(crate) fn special_address(text: &str) -> Vec<String> {
    let Ok(address) = text.parse::<IpAddr>() else { return address(text) };
    let link_local = match address {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    };
    let multicast = match address {
        IpAddr::V4(v4) => v4.octets()[..3] == [224, 0, 0],
        IpAddr::V6(v6) => v6.segments()[0] & 0xff0f == 0xff02,
    };
    let mut out = Vec::new();
    for (is, why) in [
        (address.is_unspecified(), format!("may not be unspecified ({text})")),
        (address.is_loopback(), "may not be in the loopback range (127.0.0.0/8, ::1/128)".to_owned()),
        (link_local, "may not be in the link-local range (169.254.0.0/16, fe80::/10)".to_owned()),
        (multicast, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)".to_owned()),
    ] {
        if is {
            out.push(why);
        }
    }
    out
}

/// An address and the length of its prefix.
pub(crate) fn network(text: &str) -> Option<(IpAddr, u8)> {
    let (address, bits) = text.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let bits: u8 = bits.parse().ok()?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    (bits <= most).then_some((address, bits))
}

/// Whether the first network lies within the second and is smaller.
pub(crate) fn is_within(inner: (IpAddr, u8), outer: (IpAddr, u8)) -> bool {
    let bits = |address: IpAddr| match address {
        IpAddr::V4(v4) => u128::from(v4.to_bits()) << 96,
        IpAddr::V6(v6) => v6.to_bits(),
    };
    let shift = 128 - u32::from(outer.1);
    let head = |address: IpAddr| bits(address).checked_shr(shift).unwrap_or(0);
    inner.0.is_ipv4() == outer.0.is_ipv4() && inner.1 > outer.1 && head(inner.0) == head(outer.0)
}

/// What is wrong with a path that must stay below where it starts.
pub(crate) fn backsteps(path: &str) -> Vec<String> {
    if path.split('/').any(|part| part == "..") { vec!["must not contain '..'".to_owned()] } else { Vec::new() }
}

/// What is wrong with a single label (namespaces, ports).
pub(crate) fn label(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    if name.len() > 63 {
        out.push(too_long(63));
    }
    if !is_label(name) {
        // What is a name with dots in it is told shortly.
        out.push(if name.split('.').all(is_label) { "must not contain dots".to_owned() } else { LABEL.to_owned() });
    }
    out
}

/// What is wrong with a label that starts with a letter (services).
pub(crate) fn label_1035(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    if name.len() > 63 {
        out.push(too_long(63));
    }
    if !is_label(name) || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        out.push(LABEL_1035.to_owned());
    }
    out
}

/// What is wrong with a name that is part of a path (RBAC).
pub(crate) fn path_segment(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    if name == "." || name == ".." {
        out.push(format!("may not be '{name}'"));
    }
    for bad in ["/", "%"] {
        if name.contains(bad) {
            out.push(format!("may not contain '{bad}'"));
        }
    }
    out
}

fn is_qualified_part(text: &str) -> bool {
    let bytes = text.as_bytes();
    matches!((bytes.first(), bytes.last()), (Some(a), Some(b)) if a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric())
        && bytes.iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.'))
}

/// What is wrong with a key of labels, annotations or taints.
pub(crate) fn qualified_name(key: &str) -> Vec<String> {
    let mut out = Vec::new();
    let parts: Vec<&str> = key.split('/').collect();
    let name = match parts.as_slice() {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                out.push("prefix part must be non-empty".to_owned());
            } else {
                out.extend(subdomain(prefix).into_iter().map(|e| format!("prefix part {e}")));
            }
            name
        }
        _ => {
            let with_prefix = QUALIFIED.replacen("must consist", "a qualified name must consist", 1);
            return vec![format!(
                "{with_prefix} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        out.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        out.push(format!("name part {}", too_long(63)));
    }
    if !is_qualified_part(name) {
        out.push(format!("name part {QUALIFIED}"));
    }
    out
}

/// What is wrong with the value of a label.
pub(crate) fn label_value(value: &str) -> Vec<String> {
    let mut out = Vec::new();
    if value.len() > 63 {
        out.push(too_long(63));
    }
    if !value.is_empty() && !is_qualified_part(value) {
        out.push(LABEL_VALUE.to_owned());
    }
    out
}

/// What is wrong with a key of a ConfigMap or Secret.
pub(crate) fn config_key(key: &str) -> Vec<String> {
    let mut out = Vec::new();
    if key.len() > 253 {
        out.push(too_long(253));
    }
    if key.is_empty() || !key.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.')) {
        out.push(CONFIG_KEY.to_owned());
    }
    if key == "." || key == ".." {
        out.push(format!("must not be '{key}'"));
    } else if key.starts_with("..") {
        out.push("must not start with '..'".to_owned());
    }
    out
}

/// What is wrong with the name of a port.
pub(crate) fn port_name(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    if name.len() > 15 {
        out.push("must be no more than 15 characters".to_owned());
    }
    if !name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-') {
        out.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".to_owned());
    }
    if !name.bytes().any(|c| c.is_ascii_lowercase()) {
        out.push("must contain at least one letter (a-z)".to_owned());
    }
    if name.contains("--") {
        out.push("must not contain consecutive hyphens".to_owned());
    }
    if name.starts_with('-') || name.ends_with('-') {
        out.push("must not begin or end with a hyphen".to_owned());
    }
    out
}

/// What is wrong with the name of an environment variable.
pub(crate) fn variable(name: &str) -> Vec<String> {
    if name.bytes().all(|c| (0x20..0x7f).contains(&c) && c != b'=') {
        return Vec::new();
    }
    vec!["a valid environment variable name must consist only of printable ASCII characters other than '='".to_owned()]
}

/// The number before the percent sign.
pub(crate) fn percent(text: &str) -> Option<i64> {
    let digits = text.strip_suffix('%')?;
    if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_and_bad_names() {
        for name in ["a", "a-b", "a.b.c", "9x", &"a".repeat(253)] {
            assert_eq!(subdomain(name), Vec::<String>::new(), "{name}");
        }
        for name in ["", "A", "-a", "a-", "a..b", "a_b", &"a".repeat(254)] {
            assert!(!subdomain(name).is_empty(), "{name}");
        }
        assert!(label_1035("9x")[0].starts_with("a DNS-1035 label"));
        assert!(qualified_name("a b")[0].starts_with("name part must consist"));
        assert!(qualified_name("x.y/z").is_empty() && !qualified_name("/z").is_empty());
        assert!(label_value("").is_empty() && !label_value("-").is_empty());
        assert!(config_key("a.b-C_9").is_empty() && !config_key("a/b").is_empty());
    }
}
