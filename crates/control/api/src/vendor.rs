//! The vendor's envelope and words, as clients of its API expect them (pipelines §7.2, §9.4).

use crate::problem::Problem;
use axum::Json;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_app::{App, Failure, FailureKind};
use windlass_model::{Identifier, Scope};

/// What handlers of the vendor's paths return.
pub(crate) type Vendor<T> = Result<Json<Success<T>>, Refused>;

/// `{status: SUCCESS, data, metaData, correlationId}`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct Success<T> {
    status: Status,
    data: T,
    /// Nothing.
    meta_data: (),
    /// Names one answer.
    correlation_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
enum Status {
    #[serde(rename = "SUCCESS")]
    Success,
}

impl<T> Success<T> {
    pub(crate) fn json(data: T) -> Json<Self> {
        Json(Self { status: Status::Success, data, meta_data: (), correlation_id: correlation() })
    }
}

/// A failure in the vendor's envelope, with the status of our own problem.
#[derive(Debug)]
pub(crate) struct Refused(Failure);

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let failure = self.0;
        let (code, message) = (failure.code, failure.to_string());
        let kind = failure.kind;
        let metadata = failure.details.clone();
        let status = Problem::from(failure).into_response().status();
        let word = match kind {
            FailureKind::Unauthenticated => "INVALID_CREDENTIAL",
            FailureKind::Denied => "NG_ACCESS_DENIED",
            FailureKind::NotFound => "RESOURCE_NOT_FOUND_EXCEPTION",
            FailureKind::Policy => "POLICY_EVALUATION_FAILURE",
            _ => "INVALID_REQUEST",
        };
        let body = serde_json::json!({
            "status": if status.is_server_error() { "ERROR" } else { "FAILURE" },
            "code": word,
            "message": message,
            "windlassCode": code,
            "correlationId": correlation(),
            "metadata": metadata,
        });
        (status, Json(body)).into_response()
    }
}

/// Names one answer, in the form of a UUID.
fn correlation() -> String {
    App::correlation()
}

/// The query that says where something lives.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Where {
    pub(crate) account_identifier: Option<String>,
    pub(crate) org_identifier: Option<String>,
    pub(crate) project_identifier: Option<String>,
}

impl Where {
    /// Refuses another account; there is one on a server.
    pub(crate) fn account(&self, app: &App) -> Result<(), Failure> {
        match self.account_identifier.as_deref().filter(|account| !account.is_empty()) {
            Some(account) if account != app.parts().account => {
                Err(Failure::invalid("API0010", format!("there is no account `{account}` on this server")))
            }
            _ => Ok(()),
        }
    }

    /// The project, which the vendor's paths demand.
    pub(crate) fn project(&self) -> Result<Scope, Failure> {
        let part = |name: &str, text: &Option<String>| {
            let text = text.as_deref().filter(|text| !text.is_empty());
            let text =
                text.ok_or_else(|| Failure::invalid("API0006", format!("the query parameter {name} is missing")))?;
            Identifier::parse(text).map_err(|e| Failure::invalid("API0006", e.to_string()))
        };
        let org = part("orgIdentifier", &self.org_identifier)?;
        Ok(Scope::Project { org, project: part("projectIdentifier", &self.project_identifier)? })
    }
}
