//! Errors in GitHub's shape.

use crate::RepoError;
use crate::access::Refusal;
use crate::body::BodyError;
use crate::pull::{MergeError, PullError};
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

#[derive(Debug)]
pub(super) struct ApiError {
    status: StatusCode,
    message: String,
}

impl ApiError {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    pub(super) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "Not Found")
    }

    pub(super) fn unprocessable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = json!({"message": self.message, "status": self.status.as_str()});
        (self.status, Json(body)).into_response()
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Anonymous => Self::new(StatusCode::UNAUTHORIZED, "Requires authentication"),
            Refusal::BadCredentials => Self::new(StatusCode::UNAUTHORIZED, "Bad credentials"),
            Refusal::Unseen { .. } => Self::not_found(),
            Refusal::TooLittle { .. } => Self::new(StatusCode::FORBIDDEN, refusal.to_string()),
        }
    }
}

impl From<RepoError> for ApiError {
    fn from(error: RepoError) -> Self {
        let status = match &error {
            RepoError::NoSuchRepo(_) | RepoError::NoSuchRevision { .. } | RepoError::NoSuchFile { .. } => {
                return Self::not_found();
            }
            RepoError::Name(_) | RepoError::Exists(_) | RepoError::Person(_) | RepoError::NotRevertible(_) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            RepoError::Moved { .. } | RepoError::Conflict { .. } => StatusCode::CONFLICT,
            RepoError::Git { .. } | RepoError::Folder { .. } => {
                tracing::warn!(error = &error as &dyn std::error::Error, "a request of the REST API failed");
                return Self::new(StatusCode::INTERNAL_SERVER_ERROR, "git failed; see the log of git-sim");
            }
        };
        Self::new(status, error.to_string())
    }
}

impl From<PullError> for ApiError {
    fn from(error: PullError) -> Self {
        match error {
            PullError::Repo(RepoError::NoSuchRevision { revision, .. }) => {
                Self::unprocessable(format!("Validation Failed: there is no {revision}"))
            }
            PullError::Repo(error) => error.into(),
            other => Self::unprocessable(format!("Validation Failed: {other}")),
        }
    }
}

impl From<MergeError> for ApiError {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::NoSuchPull(_) => Self::not_found(),
            MergeError::NotOpen(_) => Self::new(StatusCode::METHOD_NOT_ALLOWED, error.to_string()),
            MergeError::HeadMoved => Self::new(StatusCode::CONFLICT, error.to_string()),
            MergeError::Repo(RepoError::Conflict { .. }) => {
                Self::new(StatusCode::METHOD_NOT_ALLOWED, "Pull Request is not mergeable")
            }
            MergeError::Repo(error) => error.into(),
        }
    }
}

impl From<BodyError> for ApiError {
    fn from(error: BodyError) -> Self {
        let status = match error {
            BodyError::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            BodyError::Encoding(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            _ => StatusCode::BAD_REQUEST,
        };
        Self::new(status, error.to_string())
    }
}
