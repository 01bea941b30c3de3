use crate::caller::Caller;
use crate::problem::Answer;
use crate::routes::{Door, Routes};
use crate::scope::ScopeQuery;
use crate::{Api, LARGEST};
use axum::Json;
use axum::extract::{DefaultBodyLimit, State};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use windlass_app::Failure;
use windlass_app::documents::{Applied, ApplyRequest};
use windlass_document::Kind;

pub(crate) fn routes() -> Routes {
    let apply = Routes::new().post("/apply", Door::Documents, apply);
    apply.around(|router| router.layer(DefaultBodyLimit::max(LARGEST)))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Apply {
    /// The name the author knows the text by.
    #[serde(default)]
    file: String,
    text: String,
    #[serde(default)]
    org: Option<String>,
    #[serde(default)]
    project: Option<String>,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    set: BTreeMap<String, String>,
    #[serde(default)]
    dry_run: bool,
}

async fn apply(State(api): State<Api>, caller: Caller, Json(request): Json<Apply>) -> Answer<Json<Applied>> {
    let scope = ScopeQuery { org: request.org, project: request.project }.scope()?;
    let kind = match request.kind.as_deref() {
        None => None,
        Some(word) => Some(Kind::parse(word).ok_or_else(|| Failure::not_found(format!("there is no kind `{word}`")))?),
    };
    let request = ApplyRequest {
        file: &request.file,
        text: &request.text,
        scope,
        kind,
        set: request.set,
        dry_run: request.dry_run,
    };
    Ok(Json(api.app.apply(&caller.0, request).await?))
}
