use crate::error::RegistryError;
use crate::sign_in::User;
use std::fmt;
use windlass_http::Url;

/// A repository of charts, and who asks.
#[derive(Clone, PartialEq, Eq)]
pub struct Repository {
    /// `https://…` in front of everything, also for a registry.
    pub(crate) base: Url,
    pub(crate) kind: Kind,
    pub(crate) user: Option<User>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Helm,
    Oci,
}

impl Repository {
    /// `https://host/path`, `http://host/path` or `oci://host/path`. A registry is asked over HTTPS; one on this machine
    /// over plain HTTP.
    ///
    /// # Errors
    /// When the text is something else, or user and password would go over plain HTTP to another machine.
    pub fn parse(text: &str, user: Option<User>) -> Result<Self, RegistryError> {
        let bad = |problem| RegistryError::Address { url: without_user(text), problem };
        let text = text.trim();
        let (kind, address) = match text.strip_prefix("oci://") {
            Some(rest) => (Kind::Oci, format!("https://{rest}")),
            None => (Kind::Helm, text.to_owned()),
        };
        let mut base = Url::parse(&address).map_err(|_| bad("expected https://host/path or oci://host/path"))?;
        if !matches!(base.scheme(), "https" | "http") {
            return Err(bad("expected https://, http:// or oci://"));
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(bad("user and password belong into the connector, not into the address"));
        }
        if base.host_str().unwrap_or_default().is_empty() || base.query().is_some() || base.fragment().is_some() {
            return Err(bad("expected a host and a path, nothing behind"));
        }
        if kind == Kind::Oci && is_loopback(&base) {
            // The scheme of a special URL may change to another special one.
            let port = base.port();
            let _ = base.set_scheme("http");
            let _ = base.set_port(port);
        }
        if user.is_some() && base.scheme() == "http" && !is_loopback(&base) {
            return Err(bad("user and password are not sent over plain http; use https"));
        }
        let path = format!("{}/", base.path().trim_end_matches('/'));
        base.set_path(&path);
        Ok(Self { base, kind, user })
    }

    /// A repository below this one.
    #[must_use]
    pub fn below(mut self, path: &str) -> Self {
        let path = path.trim_matches('/');
        if !path.is_empty() {
            let full = format!("{}{path}/", self.base.path());
            self.base.set_path(&full);
        }
        self
    }

    /// Whether charts are artifacts of a registry.
    pub fn is_oci(&self) -> bool {
        self.kind == Kind::Oci
    }

    /// `host:port`: where user and password belong to.
    pub fn authority(&self) -> String {
        authority(&self.base)
    }

    pub(crate) fn is_own(&self, url: &Url) -> bool {
        url.scheme() == self.base.scheme() && authority(url) == self.authority()
    }
}

fn authority(url: &Url) -> String {
    format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default())
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// An address that may be wrong in any way, for a message.
fn without_user(text: &str) -> String {
    match text.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_once('/').map_or((rest, None), |(a, p)| (a, Some(p)));
            let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
            path.map_or(format!("{scheme}://{authority}"), |path| format!("{scheme}://{authority}/{path}"))
        }
        None => text.rsplit_once('@').map_or(text, |(_, rest)| rest).to_owned(),
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.base.as_str().trim_end_matches('/');
        match (self.kind, text.split_once("://")) {
            (Kind::Oci, Some((_, rest))) => write!(f, "oci://{rest}"),
            _ => f.write_str(text),
        }
    }
}

impl fmt::Debug for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_repositories() {
        for (text, shown, asked) in [
            ("https://charts.example/stable", "https://charts.example/stable", "https://charts.example/stable/"),
            ("oci://registry.example/charts/", "oci://registry.example/charts", "https://registry.example/charts/"),
            ("oci://127.0.0.1:5000/c", "oci://127.0.0.1:5000/c", "http://127.0.0.1:5000/c/"),
            ("oci://localhost/c", "oci://localhost/c", "http://localhost/c/"),
        ] {
            let repository = Repository::parse(text, None).unwrap();
            assert_eq!((&*repository.to_string(), repository.base.as_str()), (shown, asked));
        }
        for bad in ["charts.example", "ftp://x/y", "https://u:p@x/y", "https://x/y?a=b", "oci://", ""] {
            let said = Repository::parse(bad, None).unwrap_err().to_string();
            assert!(!said.contains("u:p"), "{said}");
        }
        let user = || Some(User { name: "bot".into(), password: "hunter2".into() });
        assert!(Repository::parse("http://charts.example/", user()).is_err());
        let own = Repository::parse("http://127.0.0.1:1/", user()).unwrap();
        assert!(!format!("{own:?}").contains("hunter2"));
    }
}
