//! Forms of answers that several nouns share.

use axum::Json;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use schemars::JsonSchema;
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

/// A whole list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Items<T> {
    items: Vec<T>,
}

impl<T> Items<T> {
    pub(crate) fn json(items: Vec<T>) -> Json<Self> {
        Json(Self { items })
    }
}

/// A piece of a list, written as it is: it may be long.
#[derive(Debug)]
pub(crate) struct Listed<T>(pub(crate) Page<T>);

impl<T: Serialize> IntoResponse for Listed<T> {
    fn into_response(self) -> Response {
        Json(Piece { items: self.0.items, next: self.0.next }).into_response()
    }
}

/// The form of [`Listed`].
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Piece<T> {
    items: Vec<T>,
    /// The cursor of what follows.
    next: Option<String>,
}

/// One JSON record in each line.
#[derive(Debug)]
pub(crate) struct Lines(pub(crate) Body);

impl IntoResponse for Lines {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/x-ndjson")], self.0).into_response()
    }
}
