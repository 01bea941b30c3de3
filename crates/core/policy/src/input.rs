//! The documents that policies see (pipelines §8.3). Pure: everything they hold is given.

mod expand;

pub use expand::{EntityRef, RefKind, expand};

use crate::kind::{Action, PolicyType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use windlass_model::{Json, Timestamp};

/// Who asks, and for what: the member `metadata` of every input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    #[serde(rename = "type")]
    pub kind: PolicyType,
    pub action: Action,
    /// Seconds since 1970.
    pub timestamp: i64,
    pub principal_identifier: String,
    /// `USER`, `SERVICE_ACCOUNT`, …
    pub principal_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<User>,
    #[serde(default)]
    pub user_groups: Vec<UserGroup>,
    #[serde(default)]
    pub role_assignment_metadata: Vec<RoleAssignment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_metadata: Option<Project>,
}

/// The person who asks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    pub uuid: String,
    pub name: String,
    pub email: String,
    #[serde(default)]
    pub disabled: bool,
    #[serde(default)]
    pub locked: bool,
    #[serde(default)]
    pub externally_managed: bool,
}

/// A group of the person who asks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserGroup {
    pub identifier: String,
    pub name: String,
    #[serde(default)]
    pub users: Vec<String>,
}

/// What the one who asks was granted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoleAssignment {
    pub identifier: String,
    pub role_identifier: String,
    pub role_name: String,
    pub resource_group_identifier: String,
    pub resource_group_name: String,
    #[serde(default)]
    pub managed_role: bool,
    #[serde(default)]
    pub managed_role_assignment: bool,
}

/// The project in which it is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    pub identifier: String,
    pub name: String,
    pub org_identifier: String,
    #[serde(default)]
    pub modules: Vec<String>,
    #[serde(default)]
    pub tags: Map<String, Json>,
    #[serde(default)]
    pub description: String,
}

impl Metadata {
    fn json(&self) -> Json {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// For sets of type `pipeline` on save and on run. `expanded` is the pipeline without its root key, after [`expand`].
pub fn pipeline(expanded: Json, metadata: &Metadata, now: Timestamp) -> Json {
    json!({ "pipeline": expanded, "metadata": metadata.json(), "action": null, "date": now.to_string() })
}

/// Delegate selectors and the level that wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Selectors {
    pub delegate_selectors: Vec<String>,
    /// `step`, `stepGroup`, `stage`, `pipeline`, …
    pub origin: String,
}

/// For `onstepstart` and `enforce`: the resolved step itself, at the root.
pub fn step(step: &Json, uuid: &str, selectors: &[Selectors], metadata: &Metadata) -> Json {
    let mut root: Map<String, Json> = ["identifier", "name", "type", "timeout", "spec"]
        .into_iter()
        .filter_map(|key| step.get(key).map(|value| (key.to_owned(), value.clone())))
        .collect();
    if !selectors.is_empty() {
        let list = serde_json::to_value(selectors).unwrap_or_default();
        let spec = root.entry("spec").or_insert_with(|| json!({}));
        if let Json::Object(spec) = spec {
            spec.insert("delegateSelectors".to_owned(), list);
        }
    }
    root.insert("uuid".to_owned(), json!(uuid));
    root.insert("metadata".to_owned(), metadata.json());
    Json::Object(root)
}

/// Why the payload of a Policy step cannot be asked about. The step fails.
#[derive(Debug, thiserror::Error)]
#[error("`policySpec.payload` is not JSON after its expressions were resolved, in line {line}, column {column}")]
pub struct PayloadError {
    pub line: usize,
    pub column: usize,
    #[source]
    source: serde_json::Error,
}

/// For a Policy step: its payload as the root. Objects get `metadata` unless they have that key.
pub fn payload(text: &str, metadata: &Metadata) -> Result<Json, PayloadError> {
    let mut root: Json = serde_json::from_str(text).map_err(|source| PayloadError {
        line: source.line(),
        column: source.column(),
        source,
    })?;
    if let Json::Object(fields) = &mut root {
        fields.entry("metadata").or_insert_with(|| metadata.json());
    }
    Ok(root)
}

/// For entities other than pipelines: `entity`, and the same under the name of its type.
pub fn entity(kind: PolicyType, entity: Json, metadata: &Metadata) -> Json {
    let alias = match kind {
        PolicyType::Service => "serviceEntity",
        PolicyType::Environment => "environmentEntity",
        PolicyType::Infrastructure => "infrastructureEntity",
        other => other.name(),
    };
    let mut root = Map::new();
    root.insert(alias.to_owned(), entity.clone());
    root.insert("entity".to_owned(), entity);
    root.insert("metadata".to_owned(), metadata.json());
    Json::Object(root)
}
