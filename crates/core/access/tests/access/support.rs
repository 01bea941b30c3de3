use serde_json::{Value as Json, json};
use windlass_access::{Grants, Permission, Principal, Resource, ResourceType, RoleAssignment, decide};
use windlass_model::{Identifier, Scope};

pub(crate) fn id(text: &str) -> Identifier {
    text.parse().unwrap()
}

/// `account`, `acme`, `acme/pay`
pub(crate) fn scope(text: &str) -> Scope {
    match text.split_once('/') {
        _ if text == "account" => Scope::Account,
        Some((org, project)) => Scope::Project { org: id(org), project: id(project) },
        None => Scope::Org { org: id(text) },
    }
}

pub(crate) fn ann() -> Principal {
    Principal::user("ann")
}

pub(crate) fn assignment(role: &str, group: &str, principal: Json) -> RoleAssignment {
    serde_json::from_value(json!({
        "identifier": format!("{role}_over_{group}").trim_start_matches('_'),
        "roleIdentifier": role,
        "resourceGroupIdentifier": group,
        "principal": principal,
    }))
    .unwrap()
}

/// A role and a resource group for Ann.
pub(crate) fn anns(role: &str, group: &str) -> RoleAssignment {
    assignment(role, group, json!({"type": "USER", "identifier": "ann"}))
}

pub(crate) fn resource(kind: ResourceType, name: &str, at: &str) -> Resource {
    Resource::new(kind, id(name), scope(at))
}

pub(crate) fn may(grants: &Grants, permission: Permission, resource: &Resource) -> bool {
    decide(grants, &ann(), permission, resource).allowed
}

/// The reason of a decision about Ann.
pub(crate) fn why(grants: &Grants, permission: Permission, resource: &Resource) -> String {
    decide(grants, &ann(), permission, resource).because.to_string()
}
