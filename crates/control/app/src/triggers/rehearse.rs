//! What a trigger would do with a payload; nothing is stored (`windlass trigger test`).

use super::judge::Refused;
use super::{custom, github, status};
use crate::access::{Authorized, StoredTrigger};
use crate::{Answer, App};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use windlass_diagnostic::Diagnostic;
use windlass_model::Json;

/// A payload that did not come in.
#[derive(Clone, Debug, Default)]
pub struct RehearsalRequest {
    pub payload: Json,
    /// Names in any case. `X-GitHub-Event` says what GitHub would send.
    pub headers: BTreeMap<String, String>,
}

/// What would happen. Who may send is not looked at.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rehearsal {
    /// As the event's processing status would be.
    pub status: String,
    pub message: String,
    pub starts: bool,
    /// The merged inputs of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Json>,
    /// What would be seen on the run.
    pub warnings: Vec<Diagnostic>,
}

impl App {
    pub async fn rehearse_trigger(
        &self,
        trigger: &Authorized<StoredTrigger>,
        request: RehearsalRequest,
    ) -> Answer<Rehearsal> {
        let trigger = self.trigger_of(&trigger.key).await?;
        let headers: BTreeMap<String, String> =
            request.headers.into_iter().map(|(name, value)| (name.to_lowercase(), value)).collect();
        let event = if trigger.is_github() {
            let kind = headers.get("x-github-event").cloned().unwrap_or_else(|| "push".to_owned());
            github::context(&kind, request.payload, headers)
        } else {
            custom::context(request.payload, headers)
        };
        let no = |status: &str, message: String| Rehearsal {
            status: status.to_owned(),
            message,
            starts: false,
            inputs: None,
            warnings: Vec::new(),
        };
        let wanted = match self.consider(&trigger, &event, None).await? {
            Ok(wanted) => wanted,
            Err(refused) => return Ok(no(refused.status, refused.why)),
        };
        Ok(match self.prepare(wanted).await {
            Ok(start) => Rehearsal {
                status: status::REQUESTED.to_owned(),
                message: format!("{} would start", start.pipeline.identifier),
                starts: true,
                inputs: Some(start.inputs),
                warnings: start.warnings,
            },
            Err(failure) => {
                let refused = Refused::start(&failure);
                no(refused.status, refused.why)
            }
        })
    }
}
