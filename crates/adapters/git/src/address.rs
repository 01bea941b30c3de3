//! Addresses of repositories, without credentials.

use crate::error::GitError;
use std::fmt;

/// `https://host/path`, `http://host/path`, `ssh://git@host/path` or `git@host:path`. Nothing else: git's other transports
/// run programs or read files.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RepoUrl {
    text: String,
    scheme: Scheme,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scheme {
    Https,
    Http,
    Ssh,
}

impl RepoUrl {
    /// # Errors
    /// When the text is something else, or holds a user with a password.
    pub fn parse(text: &str) -> Result<Self, GitError> {
        let bad = |problem| GitError::Address { url: without_user(text), problem };
        let text = text.trim();
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(bad("it holds spaces or control characters"));
        }
        let (scheme, rest) = if let Some(rest) = text.strip_prefix("https://") {
            (Scheme::Https, rest)
        } else if let Some(rest) = text.strip_prefix("http://") {
            (Scheme::Http, rest)
        } else if let Some(rest) = text.strip_prefix("ssh://") {
            (Scheme::Ssh, rest)
        } else if let Some((host, path)) = text.split_once(':').filter(|(host, _)| !host.contains('/')) {
            if host.starts_with('-') || path.starts_with("//") || path.starts_with(':') || path.is_empty() {
                return Err(bad("expected https://, http://, ssh:// or user@host:path"));
            }
            return Ok(Self { text: text.to_owned(), scheme: Scheme::Ssh });
        } else {
            return Err(bad("expected https://, http://, ssh:// or user@host:path"));
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        if authority.is_empty() || authority.starts_with('-') || path.trim_matches('/').is_empty() {
            return Err(bad("host or path are missing"));
        }
        if scheme != Scheme::Ssh && authority.contains('@') {
            return Err(bad("credentials belong into the secret of the connector, not into its address"));
        }
        if authority.split_once('@').is_some_and(|(user, _)| user.contains(':')) {
            return Err(bad("a password belongs into a secret, not into the address"));
        }
        Ok(Self { text: text.to_owned(), scheme })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// `https://host:port/`, to which git limits a setting.
    pub(crate) fn origin(&self) -> Option<String> {
        let (scheme, rest) = self.text.split_once("://")?;
        let authority = rest.split('/').next()?;
        Some(format!("{scheme}://{authority}/"))
    }

    pub(crate) fn is_loopback(&self) -> bool {
        let authority = self.text.split_once("://").and_then(|(_, rest)| rest.split('/').next()).unwrap_or_default();
        let host = if let Some(v6) = authority.strip_prefix('[') {
            v6.split(']').next().unwrap_or_default()
        } else {
            authority.split(':').next().unwrap_or_default()
        };
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }
}

impl fmt::Display for RepoUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// An address that may be wrong in any way, for a message.
fn without_user(text: &str) -> String {
    let (scheme, rest) = text.split_once("://").map_or(("", text), |(scheme, rest)| (scheme, rest));
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    if scheme.is_empty() { rest.to_owned() } else { format!("{scheme}://{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_network_addresses_without_credentials() {
        for good in
            ["https://git.example/acme/deploy.git", "http://127.0.0.1:3000/a/b", "ssh://git@h:22/a", "git@h:a/b.git"]
        {
            assert_eq!(RepoUrl::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "/etc",
            "file:///etc",
            "ext::sh -c x",
            "https://",
            "https://h",
            "https://h/",
            "https://u:p@h/r",
            "https://u@h/r",
            "ssh://u:p@h/r",
            "-oProxyCommand=x:y",
            "https://h/a b",
            "host::x",
            "ssh://-x/y",
        ] {
            assert!(RepoUrl::parse(bad).is_err(), "{bad}");
        }
        let error = RepoUrl::parse("https://bot:s3cret@h/r").unwrap_err().to_string();
        assert!(!error.contains("s3cret"), "{error}");
    }

    #[test]
    fn a_setting_holds_for_one_server() {
        assert_eq!(RepoUrl::parse("https://h:8443/a/b").unwrap().origin().as_deref(), Some("https://h:8443/"));
        assert!(RepoUrl::parse("http://[::1]:80/a").unwrap().is_loopback());
        assert!(!RepoUrl::parse("http://localhost.example/a").unwrap().is_loopback());
    }
}
