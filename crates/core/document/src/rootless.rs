//! What a document without root key is (SEED-34).

use crate::Kind;
use windlass_yaml::Node;

/// Guesses by the keys that only one kind has. `None`: it could be several or nothing.
pub(crate) fn kind_of(node: &Node) -> Option<Kind> {
    let has = |key: &str| node.get(key).is_some();
    let word = |key: &str| node.get(key).and_then(Node::as_str);
    if has("stages") {
        Some(Kind::Pipeline)
    } else if has("serviceDefinition") {
        Some(Kind::Service)
    } else if has("source") && has("pipelineIdentifier") {
        Some(Kind::Trigger)
    } else if has("environmentRef") && has("serviceRef") {
        Some(Kind::MonitoredService)
    } else if has("environmentRef") && has("spec") {
        Some(Kind::Infrastructure)
    } else if has("rego") {
        Some(Kind::Policy)
    } else if has("policies") {
        Some(Kind::PolicySet)
    } else if has("permissions") {
        Some(Kind::Role)
    } else if has("resourceFilter") {
        Some(Kind::ResourceGroup)
    } else if has("roleIdentifier") {
        Some(Kind::RoleAssignment)
    } else if has("users") {
        Some(Kind::UserGroup)
    } else if matches!(word("type"), Some("Production" | "PreProduction")) {
        Some(Kind::Environment)
    } else if matches!(word("type"), Some("SecretText" | "SecretFile" | "SSHKey" | "WinRmCredentials")) {
        Some(Kind::Secret)
    } else if word("type") == Some("String") && has("spec") {
        Some(Kind::Variable)
    } else if has("type") && has("spec") {
        Some(Kind::Connector)
    } else if has("email") {
        Some(Kind::User)
    } else {
        None
    }
}
