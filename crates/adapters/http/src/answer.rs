use bytes::Bytes;
use http::{HeaderMap, StatusCode};

/// What came back, whatever its status.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// The body was longer; what is here is its beginning.
    pub truncated: bool,
    /// How often it was sent.
    pub tries: u32,
}

impl Answer {
    /// The body as text; bytes that are none become replacement characters.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}
