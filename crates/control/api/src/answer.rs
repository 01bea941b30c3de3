//! Forms of answers that several nouns share.

use axum::Json;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use serde::Serialize;
use windlass_store::Page;

/// Something new.
#[derive(Debug)]
pub(crate) struct Created<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        (StatusCode::CREATED, Json(self.0)).into_response()
    }
}

/// Something with the tag of its version, for `If-Match`.
#[derive(Debug)]
pub(crate) struct Tagged<T> {
    pub(crate) etag: String,
    pub(crate) body: T,
}

impl<T: Serialize> IntoResponse for Tagged<T> {
    fn into_response(self) -> Response {
        ([(header::ETAG, format!("\"{}\"", self.etag))], Json(self.body)).into_response()
    }
}

/// A piece of a list, written as it is: it may be long.
#[derive(Debug)]
pub(crate) struct Listed<T>(pub(crate) Page<T>);

impl<T: Serialize> IntoResponse for Listed<T> {
    fn into_response(self) -> Response {
        #[derive(Serialize)]
        struct Written<T> {
            items: Vec<T>,
            next: Option<String>,
        }
        Json(Written { items: self.0.items, next: self.0.next }).into_response()
    }
}

/// One JSON record in each line.
#[derive(Debug)]
pub(crate) struct Lines(pub(crate) Body);

impl IntoResponse for Lines {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/x-ndjson")], self.0).into_response()
    }
}
