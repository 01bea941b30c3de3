//! `?org=…&project=…`.

use schemars::JsonSchema;
use serde::Deserialize;
use windlass_app::Failure;
use windlass_model::{Identifier, Scope};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ScopeQuery {
    #[serde(default)]
    pub(crate) org: Option<String>,
    #[serde(default)]
    pub(crate) project: Option<String>,
}

impl ScopeQuery {
    pub(crate) fn scope(&self) -> Result<Scope, Failure> {
        let part = |text: &Option<String>| {
            let text = text.as_deref().filter(|t| !t.is_empty());
            text.map(Identifier::parse).transpose().map_err(|e| Failure::invalid("API0006", e.to_string()))
        };
        Scope::of(part(&self.org)?, part(&self.project)?)
            .ok_or_else(|| Failure::invalid("API0006", "a project belongs to an organization: `org` is missing"))
    }
}
