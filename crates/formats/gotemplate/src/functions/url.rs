//! Addresses in parts (rendering §2.5), by the rules of Go's `net/url`.

use crate::function::Function;
use crate::function::Parameter::{Map as AnyMap, Text};
use crate::value::{Map, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("urlParse", &[Text], |a| parse(&a.text(0)).map(Value::Map)),
    Function::pure("urlJoin", &[AnyMap], |a| join(&a.map(0)).map(Value::from)),
];

/// Which characters stand as they are, besides letters, digits and `-_.~`.
const IN_PATH: &str = "$&+,/:;=@";
const IN_HOST: &str = "!$&'()*+,;=:[]<>\"";
const IN_USER: &str = "$&+,;=";
const IN_FRAGMENT: &str = "$&+,/:;=?@!()*";

fn parse(text: &str) -> Result<Map, String> {
    let bad = |problem: &str| format!("unable to parse url: parse {text:?}: {problem}");
    if text.chars().any(|c| c.is_ascii_control()) {
        return Err(bad("invalid control character in URL"));
    }
    let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
    let (scheme, rest) = scheme(rest).ok_or_else(|| bad("missing protocol scheme"))?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let map = Map::new();
    let set = |name: &str, value: &str| map.set(name.into(), value.into());
    for name in ["scheme", "host", "hostname", "path", "query", "opaque", "fragment", "userinfo"] {
        set(name, "");
    }
    set("scheme", &scheme.to_ascii_lowercase());
    set("query", query);
    set("fragment", &decoded(fragment).ok_or_else(|| bad("invalid URL escape"))?);
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            set("opaque", rest);
            return Ok(map);
        }
        if rest.split('/').next().is_some_and(|first| first.contains(':')) {
            return Err(bad("first path segment in URL cannot contain colon"));
        }
    }
    let mut path = rest;
    if let Some(after) = rest.strip_prefix("//").filter(|after| !scheme.is_empty() || !after.starts_with('/')) {
        let (authority, behind) = after.split_at(after.find('/').unwrap_or(after.len()));
        path = behind;
        let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
        let host = decoded(host).ok_or_else(|| bad("invalid URL escape"))?;
        let name = hostname(&host).ok_or_else(|| bad("invalid port after host"))?;
        set("host", &host);
        set("hostname", name);
        if let Some(user) = user {
            set("userinfo", &userinfo(user).ok_or_else(|| bad("net/url: invalid userinfo"))?);
        }
    }
    set("path", &decoded(path).ok_or_else(|| bad("invalid URL escape"))?);
    Ok(map)
}

/// What stands before the first colon, when it may be a scheme, and the rest. Nothing when the colon comes first.
fn scheme(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
    match end {
        Some(0) if text.starts_with(':') => None,
        Some(end) if text[end..].starts_with(':') && text.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            Some((&text[..end], &text[end + 1..]))
        }
        _ => Some(("", text)),
    }
}

/// Without the port. Nothing when that is no number.
fn hostname(host: &str) -> Option<&str> {
    let (name, port) = match host.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((name, behind)) => (name, behind),
        None => host
            .find(':')
            .map_or((host, ""), |_| host.rsplit_once(':').map_or((host, ""), |(name, _)| (name, &host[name.len()..]))),
    };
    let is_port =
        port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()));
    is_port.then_some(name)
}

/// The name and password of an address, written again as Go writes them.
fn userinfo(text: &str) -> Option<String> {
    let is_known = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    if !text.chars().all(is_known) {
        return None;
    }
    let (name, password) = text.split_once(':').map_or((text, None), |(name, password)| (name, Some(password)));
    let mut out = encoded(&decoded(name)?, IN_USER);
    if let Some(password) = password {
        out.push(':');
        out.push_str(&encoded(&decoded(password)?, IN_USER));
    }
    Some(out)
}

fn decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let code = digit(rest.next())? * 16 + digit(rest.next())?;
            out.push(u8::try_from(code).ok()?);
        } else {
            out.push(byte);
        }
    }
    Some(String::from_utf8_lossy(&out).into_owned())
}

fn encoded(text: &str, plain: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let c = char::from(byte);
        if c.is_ascii_alphanumeric() || "-_.~".contains(c) || c.is_ascii() && plain.contains(c) {
            out.push(c);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn join(parts: &Map) -> Result<String, String> {
    let part = |name: &str| match parts.get(name) {
        None => Ok(String::new()),
        Some(Value::Text(text)) => Ok(text.to_string()),
        Some(other) => {
            Err(format!("unable to parse {name} key, must be of type string, but {} found", other.kind_name()))
        }
    };
    let (scheme, host, path, opaque) = (part("scheme")?, part("host")?, part("path")?, part("opaque")?);
    let (query, fragment, user) = (part("query")?, part("fragment")?, part("userinfo")?);
    let mut out = String::new();
    if !scheme.is_empty() {
        out.push_str(&format!("{scheme}:"));
    }
    if opaque.is_empty() {
        let has_authority = !host.is_empty() || !user.is_empty();
        if has_authority || !scheme.is_empty() && !path.is_empty() {
            out.push_str("//");
        }
        if !user.is_empty() {
            let user = userinfo(&user).ok_or("unable to parse userinfo in dict")?;
            out.push_str(&format!("{user}@"));
        }
        out.push_str(&encoded(&host, IN_HOST));
        if !path.is_empty() && !path.starts_with('/') && !host.is_empty() {
            out.push('/');
        }
        if out.is_empty() && path.split('/').next().is_some_and(|first| first.contains(':')) {
            out.push_str("./");
        }
        out.push_str(&if path == "*" { path } else { encoded(&path, IN_PATH) });
    } else {
        out.push_str(&opaque);
    }
    if !query.is_empty() {
        out.push_str(&format!("?{query}"));
    }
    if !fragment.is_empty() {
        out.push_str(&format!("#{}", encoded(&fragment, IN_FRAGMENT)));
    }
    Ok(out)
}
