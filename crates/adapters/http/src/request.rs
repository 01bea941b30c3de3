use bytes::Bytes;
use http::Method;
use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::Url;

/// What is sent.
#[derive(Clone)]
pub struct Request {
    pub method: Method,
    pub url: Url,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Whether sending it twice is the same as once. Known from the method; POST can be declared so.
    pub idempotent: bool,
}

/// Why a request cannot be made from its parts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    #[error("`{0}` is not a URL")]
    Url(String),
    #[error("`{0}` URLs are not called, only http and https")]
    Scheme(String),
    #[error("the URL holds a user and a password: send them as a header")]
    Credentials,
    #[error("`{0}` is not a method")]
    Method(String),
    #[error("`{0}` is not a name of a header, or its value has characters that headers cannot have")]
    Header(String),
}

impl Request {
    pub fn new(method: &str, url: &str) -> Result<Self, RequestError> {
        let parsed = Url::parse(url.trim()).map_err(|_| RequestError::Url(cut(url)))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(RequestError::Scheme(parsed.scheme().to_owned()));
        }
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return Err(RequestError::Credentials);
        }
        let method = Method::from_bytes(method.trim().to_ascii_uppercase().as_bytes())
            .map_err(|_| RequestError::Method(method.to_owned()))?;
        let idempotent = method.is_idempotent();
        Ok(Self { method, url: parsed, headers: HeaderMap::new(), body: Bytes::new(), idempotent })
    }

    pub fn get(url: &str) -> Result<Self, RequestError> {
        Self::new("GET", url)
    }

    /// Adds a header. Values never appear in messages or logs.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, RequestError> {
        let error = || RequestError::Header(name.to_owned());
        let header = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| error())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| error())?;
        value.set_sensitive(true);
        self.headers.append(header, value);
        Ok(self)
    }

    pub fn bearer(self, token: &str) -> Result<Self, RequestError> {
        self.header(AUTHORIZATION.as_str(), &format!("Bearer {token}"))
    }

    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Says that it may be sent again although its method would not allow that.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, shown(&self.url))
    }
}

/// A URL for messages and logs: without user, password, query and fragment, any of which may be secret.
pub fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

fn cut(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::{Request, RequestError, shown};

    #[test]
    fn requests_are_checked_before_they_are_sent() {
        let error = |url: &str| Request::get(url).unwrap_err();
        assert!(matches!(error("not a url"), RequestError::Url(_)));
        assert_eq!(error("file:///etc/passwd"), RequestError::Scheme("file".into()));
        assert_eq!(error("gopher://x/"), RequestError::Scheme("gopher".into()));
        assert_eq!(error("http://u:p@x/"), RequestError::Credentials);
        assert!(matches!(Request::new("G T", "http://x/"), Err(RequestError::Method(_))));
        assert!(matches!(Request::get("http://x/").unwrap().header("a b", "c"), Err(RequestError::Header(_))));
        assert!(matches!(Request::get("http://x/").unwrap().header("a", "c\r\nd: e"), Err(RequestError::Header(_))));
        let request = Request::get("http://x/a?token=hunter2").unwrap().bearer("hunter2").unwrap();
        assert_eq!(format!("{request:?}"), "GET http://x/a");
        assert!(!format!("{:?}", request.headers).contains("hunter2"));
        assert_eq!(shown(&"https://u:p@h:1/a?b#c".parse().unwrap()), "https://h:1/a");
    }

    #[test]
    fn idempotence_follows_the_method() {
        for (method, idempotent) in [("get", true), ("PUT", true), ("DELETE", true), ("POST", false), ("PATCH", false)]
        {
            assert_eq!(Request::new(method, "http://x/").unwrap().idempotent, idempotent, "{method}");
        }
        assert!(Request::new("POST", "http://x/").unwrap().idempotent().idempotent);
    }
}
