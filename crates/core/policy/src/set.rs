//! Policies and policy sets as people save them (pipelines §8.1).

use crate::kind::{Action, PolicyType};
use serde::{Deserialize, Serialize};
use windlass_diagnostic::{Diagnostic, Diagnostics};
use windlass_model::{Identifier, Scope, ScopedRef};

/// One Rego text. Alone it enforces nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    pub identifier: Identifier,
    #[serde(default)]
    pub name: String,
    pub rego: String,
}

/// How much a denial weighs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Warning,
    /// Refuses.
    #[default]
    Error,
}

/// A policy in a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyUse {
    /// A policy of the set's own or a wider scope.
    pub identifier: ScopedRef,
    #[serde(default)]
    pub severity: Severity,
}

/// Which policies are asked, about what, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicySet {
    pub identifier: Identifier,
    #[serde(default)]
    pub name: String,
    #[serde(rename = "type")]
    pub kind: PolicyType,
    pub action: Action,
    #[serde(default = "enabled")]
    pub enabled: bool,
    #[serde(default)]
    pub policies: Vec<PolicyUse>,
}

fn enabled() -> bool {
    true
}

impl PolicySet {
    /// What is wrong with the set itself, saved in `scope`.
    pub fn check(&self, scope: &Scope) -> Diagnostics {
        let mut found = Diagnostics::new();
        let actions = self.kind.actions();
        if actions.is_empty() {
            let text = format!("policy sets of type `{}` are not asked by this version", self.kind);
            found.push(Diagnostic::error("POL0010", text).path("type"));
        } else if !actions.contains(&self.action) {
            let names: Vec<_> = actions.iter().map(|action| action.name()).collect();
            found.push(
                Diagnostic::error(
                    "POL0011",
                    format!("sets of type `{}` are not asked at `{}`", self.kind, self.action),
                )
                .path("action")
                .remedy(format!("write {}", names.join(" or "))),
            );
        }
        if self.policies.is_empty() {
            found
                .push(Diagnostic::warning("POL0012", "the set has no policies and passes everything").path("policies"));
        }
        for (index, one) in self.policies.iter().enumerate() {
            if let Err(error) = one.identifier.resolve(scope) {
                let path = format!("policies[{index}].identifier");
                found.push(Diagnostic::error("POL0013", error.to_string()).path(path));
            }
        }
        found
    }
}
