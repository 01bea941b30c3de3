//! Named sets of resources (pipelines §9.1).

use crate::resource::{Resource, ResourceType};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use windlass_diagnostic::{Diagnostic, Diagnostics};
use windlass_model::{Identifier, Scope};

/// Whether the scopes inside belong to an included scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Filter {
    #[default]
    ExcludingChildScopes,
    IncludingChildScopes,
}

/// A scope whose resources belong to the group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IncludedScope {
    #[serde(default, alias = "orgId", skip_serializing_if = "Option::is_none")]
    pub org_identifier: Option<Identifier>,
    #[serde(default, alias = "projectId", skip_serializing_if = "Option::is_none")]
    pub project_identifier: Option<Identifier>,
    #[serde(default)]
    pub filter: Filter,
}

impl IncludedScope {
    pub fn new(scope: &Scope, filter: Filter) -> Self {
        Self { org_identifier: scope.org().cloned(), project_identifier: scope.project().cloned(), filter }
    }

    /// `None` when a project is named without its organization.
    pub fn scope(&self) -> Option<Scope> {
        Scope::of(self.org_identifier.clone(), self.project_identifier.clone())
    }

    fn covers(&self, scope: &Scope) -> bool {
        self.scope().is_some_and(|included| match self.filter {
            Filter::ExcludingChildScopes => included == *scope,
            Filter::IncludingChildScopes => included.contains(scope),
        })
    }
}

/// Resources by what they are like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttributeFilter {
    /// `category`, `type`, `labels` or `tags`.
    pub attribute_name: String,
    pub attribute_values: BTreeSet<String>,
}

/// Resources of one type: all, some by identifier, or some by attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceSelector {
    pub resource_type: ResourceType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identifiers: Option<BTreeSet<Identifier>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute_filter: Option<AttributeFilter>,
}

/// Which resources of the included scopes belong to the group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceFilter {
    #[serde(default)]
    pub include_all_resources: bool,
    #[serde(default)]
    pub resources: Vec<ResourceSelector>,
}

/// What somebody may act on, apart from how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceGroup {
    pub identifier: Identifier,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub allowed_scope_levels: BTreeSet<crate::ScopeLevel>,
    /// Empty: the scope it was saved in, without those inside.
    #[serde(default)]
    pub included_scopes: Vec<IncludedScope>,
    #[serde(default)]
    pub resource_filter: ResourceFilter,
}

impl ResourceGroup {
    /// Whether the resource belongs to the group, which was saved in `own`.
    pub fn covers(&self, own: &Scope, resource: &Resource) -> bool {
        // A group reaches inwards only, whatever its scopes say.
        own.contains(&resource.scope)
            && self.covers_scope(own, &resource.scope)
            && (self.resource_filter.include_all_resources
                || self.resource_filter.resources.iter().any(|selector| selector.matches(own, resource)))
    }

    fn covers_scope(&self, own: &Scope, scope: &Scope) -> bool {
        if self.included_scopes.is_empty() {
            own == scope
        } else {
            self.included_scopes.iter().any(|one| one.covers(scope))
        }
    }

    /// What is wrong with a custom group saved in `own`.
    pub fn check(&self, own: &Scope) -> Diagnostics {
        let mut found = Diagnostics::new();
        if self.identifier.as_str().starts_with('_') {
            let text = format!("`{}` starts with `_`, which is kept for built-in groups", self.identifier);
            found.push(Diagnostic::error("ACL0001", text).path("identifier"));
        }
        for (index, included) in self.included_scopes.iter().enumerate() {
            let path = format!("includedScopes[{index}]");
            match included.scope() {
                None => {
                    let text = "a project is named without its organization";
                    found.push(Diagnostic::error("ACL0004", text).path(path).remedy("add `orgIdentifier`"));
                }
                Some(scope) if !own.contains(&scope) => {
                    let text = format!("{scope} lies outside of {own}, where the group is saved");
                    found.push(Diagnostic::error("ACL0005", text).path(path));
                }
                Some(_) => {}
            }
        }
        if !self.resource_filter.include_all_resources && self.resource_filter.resources.is_empty() {
            let remedy = "write `includeAllResources: true`, or list `resources`";
            found.push(
                Diagnostic::warning("ACL0006", "the group holds no resources").path("resourceFilter").remedy(remedy),
            );
        }
        let only_own = self
            .included_scopes
            .iter()
            .all(|included| *included == IncludedScope::new(own, Filter::ExcludingChildScopes));
        for (index, selector) in self.resource_filter.resources.iter().enumerate() {
            selector.check(only_own, &format!("resourceFilter.resources[{index}]"), &mut found);
        }
        found
    }
}

/// Attributes that filters may name, by type.
const ATTRIBUTES: &[(ResourceType, &[&str])] = &[
    (ResourceType::Environment, &["type", "tags", "labels"]),
    (ResourceType::Connector, &["category", "tags", "labels"]),
    (ResourceType::Pipeline, &["tags", "labels"]),
];

impl ResourceSelector {
    fn matches(&self, own: &Scope, resource: &Resource) -> bool {
        let by_identifier = self.identifiers.as_ref().is_none_or(|identifiers| {
            // Identifiers repeat in other scopes: they name things of the group's own scope alone.
            resource.scope == *own && resource.id.as_ref().is_some_and(|id| identifiers.contains(id))
        });
        let by_attribute = self.attribute_filter.as_ref().is_none_or(|filter| {
            resource
                .attributes
                .get(&filter.attribute_name)
                .is_some_and(|values| values.iter().any(|value| filter.attribute_values.contains(value)))
        });
        self.resource_type == resource.kind && by_identifier && by_attribute
    }

    fn check(&self, only_own: bool, path: &str, found: &mut Diagnostics) {
        if self.identifiers.is_some() && !only_own {
            let text = "single identifiers can be named in a group of its own scope only, without the scopes inside";
            let remedy = "save the group in that scope with EXCLUDING_CHILD_SCOPES, or leave `identifiers` out";
            found.push(Diagnostic::error("ACL0007", text).path(format!("{path}.identifiers")).remedy(remedy));
        }
        if let Some(filter) = &self.attribute_filter {
            let known =
                ATTRIBUTES.iter().find(|(kind, _)| *kind == self.resource_type).map_or(&[][..], |(_, names)| names);
            if !known.contains(&filter.attribute_name.as_str()) {
                let text = match known {
                    [] => format!("resources of type {} have no attributes to filter by", self.resource_type),
                    known => format!(
                        "`{}` is no attribute of {}; write {}",
                        filter.attribute_name,
                        self.resource_type,
                        known.join(" or ")
                    ),
                };
                found.push(Diagnostic::error("ACL0008", text).path(format!("{path}.attributeFilter")));
            }
        }
    }
}
