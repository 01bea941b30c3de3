//! Addresses of repositories (rendering §1.3).

use crate::files::{GitSource, clean};

/// Milliseconds, when the address does not say.
const DEFAULT_TIMEOUT: u64 = 27_000;

const SCHEMES: [&str; 4] = ["ssh://", "https://", "http://", "file://"];

/// The repository that an entry of `resources` names; nothing when it names none.
pub(crate) fn parse(text: &str) -> Option<GitSource> {
    if text.starts_with('/') {
        return None;
    }
    let (address, query) = text.split_once('?').unwrap_or((text, ""));
    let (host, rest) = host(address)?;
    let (repo, path) = split_repository(rest, host.starts_with("file://"))?;
    if repo.is_empty() || clean(path.trim_start_matches('/')).split('/').next() == Some("..") {
        return None;
    }
    let mut source = GitSource {
        raw: text.to_owned(),
        clone: format!("{host}{repo}"),
        path: path.strip_prefix('/').unwrap_or(&path).to_owned(),
        reference: String::new(),
        submodules: true,
        timeout: DEFAULT_TIMEOUT,
    };
    read_query(&mut source, query);
    Some(source)
}

fn strip_ignoring_case<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

/// Scheme, user and host as git takes them, and what is behind.
fn host(address: &str) -> Option<(String, &str)> {
    let address = strip_ignoring_case(address, "git::").unwrap_or(address);
    let (scheme, address) = SCHEMES
        .iter()
        .find_map(|scheme| strip_ignoring_case(address, scheme).map(|rest| (*scheme, rest)))
        .unwrap_or(("", address));
    let (user, address) = user(address);
    let github = ["github.com/", "github.com:"].iter().any(|host| strip_ignoring_case(address, host).is_some());
    let scp = scheme.is_empty() && (!user.is_empty() || github);
    if scheme.is_empty() && !scp {
        return None;
    }
    if scheme == "file://" {
        return Some((scheme.to_owned(), address));
    }
    let mut separator = address.find('/');
    if scp {
        let colon = address.find(':');
        if separator.is_none() || colon.is_some_and(|colon| colon > 0 && Some(colon) < separator) {
            separator = colon;
        }
    }
    let (host, rest) = match separator {
        Some(at) => (&address[..=at], &address[at + 1..]),
        None => (address, ""),
    };
    let host = match github {
        true if scheme == "ssh://" || !user.is_empty() => format!("{user}github.com:"),
        true => "https://github.com/".to_owned(),
        false if host.is_empty() => return None,
        false => format!("{scheme}{user}{host}"),
    };
    Some((host, rest))
}

/// `git@` at the start, when there is a user.
fn user(address: &str) -> (&str, &str) {
    let name = address.split('@').next().unwrap_or_default();
    let valid = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && name.len() < address.len();
    if valid { address.split_at(name.len() + 1) } else { ("", address) }
}

/// The repository and the folder in it.
fn split_repository(rest: &str, all: bool) -> Option<(String, String)> {
    if let Some(at) = rest.find("_git/") {
        let start = at + "_git/".len();
        let end = rest[start..].find('/').map_or(rest.len(), |slash| start + slash);
        let path = rest[end..].strip_prefix('/').unwrap_or_default();
        return Some((rest[..end].into(), path.into()));
    }
    if let Some((repo, path)) = rest.split_once("//") {
        return Some((repo.into(), path.into()));
    }
    if let Some(at) = rest.find(".git") {
        let (repo, path) = rest.split_at(at + ".git".len());
        return Some((repo.into(), path.into()));
    }
    if all {
        return Some((rest.into(), String::new()));
    }
    let mut segments = rest.splitn(3, '/');
    let (organisation, repo) = (segments.next()?, segments.next()?);
    Some((format!("{organisation}/{repo}"), segments.next().unwrap_or_default().into()))
}

fn read_query(source: &mut GitSource, query: &str) {
    let value = |name: &str| {
        query.split('&').find_map(|pair| pair.split_once('=').filter(|(key, _)| *key == name)).map(|(_, v)| v)
    };
    let reference = value("ref").filter(|v| !v.is_empty()).or_else(|| value("version"));
    source.reference = reference.map(decoded).unwrap_or_default();
    if let Some(timeout) = value("timeout").and_then(milliseconds) {
        source.timeout = timeout;
    }
    if let Some(submodules) = value("submodules") {
        source.submodules = !matches!(submodules, "0" | "f" | "F" | "false" | "FALSE" | "False");
    }
}

/// Seconds, or a duration such as `1m30s`.
fn milliseconds(text: &str) -> Option<u64> {
    if let Ok(seconds) = text.parse::<u64>() {
        return (seconds > 0).then(|| seconds.saturating_mul(1000));
    }
    let mut total: u64 = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let unit_end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let unit = match &rest[..unit_end] {
            "h" => 3_600_000,
            "m" => 60_000,
            "s" => 1000,
            "ms" => 1,
            _ => return None,
        };
        total = total.saturating_add(number.saturating_mul(unit));
        rest = &rest[unit_end..];
    }
    (total > 0).then_some(total)
}

/// `%2F` is `/`, `+` is a blank.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter();
    while let Some(byte) = rest.next().copied() {
        let escaped = rest.as_slice().get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match (byte, escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(decoded)) => {
                bytes.push(decoded);
                rest.nth(1);
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn addresses() {
        for (text, clone, path, reference) in [
            ("https://github.com/org/repo/some/path?ref=v1", "https://github.com/org/repo", "some/path", "v1"),
            ("github.com/org/repo//dir?version=2", "https://github.com/org/repo", "dir", "2"),
            ("git@github.com:org/repo.git/path", "git@github.com:org/repo.git", "path", ""),
            ("ssh://git@host:22/org/repo//a/b", "ssh://git@host:22/org/repo", "a/b", ""),
            ("file:///srv/repo", "file:///srv/repo", "", ""),
            ("https://dev.azure.com/o/p/_git/repo/x", "https://dev.azure.com/o/p/_git/repo", "x", ""),
            ("git::https://host/org/repo?ref=a%2Fb", "https://host/org/repo", "", "a/b"),
        ] {
            let found = parse(text).unwrap();
            assert_eq!((&*found.clone, &*found.path, &*found.reference), (clone, path, reference), "{text}");
        }
        for text in ["../base", "/abs", "base/x", "https://host/one", "github.com/org/repo//../x"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse("https://host/o/r?timeout=1m30s").unwrap().timeout, 90_000);
    }
}
