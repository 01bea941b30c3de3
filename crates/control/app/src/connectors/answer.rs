use crate::{Answer, Failure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_model::id::DelegateId;
use windlass_model::task::{Outcome, TaskResult};
use windlass_model::{Json, Timestamp};
use windlass_store::tasks::TaskRow;

/// What a test of a connector found, in the words of clients that know the vendor's (kubernetes-deploy §6.3).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectorTest {
    pub status: TestStatus,
    pub errors: Vec<TestError>,
    pub error_summary: String,
    pub tested_at: Timestamp,
    /// Who looked; nobody when no delegate could be found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegate_id: Option<DelegateId>,
    /// What was learnt about the target.
    #[serde(skip_serializing_if = "Json::is_null")]
    pub details: Json,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum TestStatus {
    Success,
    Failure,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestError {
    /// At which point the way to the target ends: `dns`, `tcp`, `tls`, `auth`, `permission`, `not-found`, `rate-limit`,
    /// `protocol`, `configuration`, or `delegate` when nobody looked.
    pub reason: String,
    pub message: String,
    pub hint: String,
}

/// The words of a worker.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    status: TestStatus,
    #[serde(default)]
    errors: Vec<TestError>,
    #[serde(default)]
    error_summary: String,
    #[serde(default)]
    details: Json,
    #[serde(default)]
    warnings: Vec<String>,
}

impl ConnectorTest {
    /// Of a task that has ended.
    pub(super) fn of(row: &TaskRow, delegate: Option<(DelegateId, String)>) -> Answer<Self> {
        let result = row.result.as_deref().unwrap_or_default();
        let result: TaskResult = serde_json::from_str(result).map_err(Failure::internal)?;
        let report = match result.outcome {
            Outcome::Succeeded { output } => serde_json::from_value(output).map_err(Failure::internal)?,
            Outcome::Failed { failure, .. } => {
                let hint = failure.hints.first().cloned().unwrap_or_else(|| {
                    "`windlass delegate list` tells which delegates there are and what they can do".to_owned()
                });
                Report::unable(failure.message, hint)
            }
            Outcome::Skipped { reason, .. } => Report::unable(reason, String::new()),
            Outcome::Aborted { done } => Report::unable(done, "test again".to_owned()),
            Outcome::Interrupted { .. } => {
                Report::unable("the delegate was stopped".to_owned(), "test again".to_owned())
            }
        };
        let (delegate_id, delegate) = delegate.unzip();
        Ok(Self {
            status: report.status,
            errors: report.errors,
            error_summary: report.error_summary,
            tested_at: result.finished_at,
            delegate,
            delegate_id,
            details: report.details,
            warnings: report.warnings,
        })
    }
}

impl Report {
    /// Nobody looked.
    fn unable(message: String, hint: String) -> Self {
        Self {
            status: TestStatus::Failure,
            error_summary: format!("{message} (delegate)"),
            errors: vec![TestError { reason: "delegate".to_owned(), message, hint }],
            details: Json::Null,
            warnings: Vec::new(),
        }
    }
}
