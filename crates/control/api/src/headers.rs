//! Headers that routes take.

use crate::openapi::{Operation, Takes, header};
use axum::extract::FromRequestParts;
use http::HeaderValue;
use http::header::IF_MATCH;
use http::request::Parts;
use std::convert::Infallible;

/// The tag of the version that the caller has read; a write of another one is a conflict.
#[derive(Debug)]
pub(crate) struct IfMatch(pub(crate) Option<String>);

impl<S: Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let tag = parts.headers.get(IF_MATCH).and_then(|value| value.to_str().ok());
        Ok(Self(tag.map(|tag| tag.trim_matches('"').to_owned())))
    }
}

impl Takes for IfMatch {
    fn takes(operation: &mut Operation) {
        header(operation, "If-Match", "The `ETag` that was read: what has changed since is not touched.");
    }
}

/// The same key with the same request is one request.
#[derive(Debug)]
pub(crate) struct Idempotency(pub(crate) Option<HeaderValue>);

impl<S: Sync> FromRequestParts<S> for Idempotency {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(parts.headers.get("idempotency-key").cloned()))
    }
}

impl Takes for Idempotency {
    fn takes(operation: &mut Operation) {
        header(operation, "Idempotency-Key", "A request that comes again with the same key is answered the same.");
    }
}
