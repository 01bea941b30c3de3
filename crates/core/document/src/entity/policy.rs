//! Policies and policy sets (pipelines §8.1). The Rego itself is checked by the policy engine.

use super::head;
use serde::{Deserialize, Serialize};
use windlass_yaml::Reader;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    pub rego: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicySet {
    /// `pipeline`, `custom`, `connector`, ….
    #[serde(rename = "type")]
    pub kind: String,
    /// `onsave`, `onrun`, `onstepstart`, `onstep`.
    pub action: String,
    pub enabled: bool,
    pub policies: Vec<PolicyInSet>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyInSet {
    /// A scoped reference.
    pub identifier: String,
    /// Whether a denial refuses, or only warns.
    pub error: bool,
}

pub(crate) fn policy(reader: &Reader<'_>) -> Option<Policy> {
    let fields = reader.fields()?;
    head(&fields);
    let rego = fields.string("rego");
    fields.finish();
    Some(Policy { rego: rego? })
}

pub(crate) const TYPES: &[(&str, &str)] = &[
    ("pipeline", "pipeline"),
    ("custom", "custom"),
    ("template", "template"),
    ("connector", "connector"),
    ("secret", "secret"),
    ("variable", "variable"),
    ("service", "service"),
    ("environment", "environment"),
    ("infrastructure", "infrastructure"),
    ("override", "override"),
    ("serviceaccount", "serviceaccount"),
    ("apikey", "apikey"),
    ("token", "token"),
];

pub(crate) fn policy_set(reader: &Reader<'_>) -> Option<PolicySet> {
    let fields = reader.fields()?;
    head(&fields);
    let kind = fields.choice("type", TYPES);
    let action = fields.opt("action").and_then(|a| {
        a.choice(&[("onsave", "onsave"), ("onrun", "onrun"), ("onstepstart", "onstepstart"), ("onstep", "onstep")])
    });
    let enabled = fields.opt_bool("enabled").unwrap_or(true);
    let policies = fields.list("policies", |item| {
        let fields = item.fields()?;
        let identifier = fields.string("identifier");
        let error = fields.opt_choice("severity", &[("error", true), ("warning", false)]).unwrap_or(true);
        fields.finish();
        Some(PolicyInSet { identifier: identifier?, error })
    });
    fields.finish();
    let kind = kind?.to_owned();
    let usual = if kind == "custom" { "onstep" } else { "onsave" };
    Some(PolicySet { action: action.unwrap_or(usual).to_owned(), kind, enabled, policies })
}
