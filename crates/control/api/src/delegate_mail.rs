//! What delegates are answered.

use crate::openapi::{Operation, Says, answer, bare};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::StatusCode;
use serde_json::json;

/// A connection that goes on as a WebSocket.
pub(crate) struct Switched(pub(crate) Response);

impl IntoResponse for Switched {
    fn into_response(self) -> Response {
        self.0
    }
}

impl Says for Switched {
    fn says(operation: &mut Operation) {
        bare(operation, 101, "The connection is a WebSocket from here");
    }
}

/// What a worker that polls is told.
pub(crate) enum Mail {
    /// Its frames are taken.
    Taken,
    /// Frames for it, with the number of the answer.
    Frames(u64, Bytes),
    /// It is not known any more: it registers anew.
    Gone,
}

impl IntoResponse for Mail {
    fn into_response(self) -> Response {
        match self {
            Self::Taken => StatusCode::OK.into_response(),
            Self::Frames(number, frames) => ([("x-windlass-answer", number.to_string())], frames).into_response(),
            Self::Gone => StatusCode::GONE.into_response(),
        }
    }
}

impl Says for Mail {
    fn says(operation: &mut Operation) {
        answer(operation, 200, "application/octet-stream", json!({}));
        bare(operation, 410, "Register anew");
    }
}
