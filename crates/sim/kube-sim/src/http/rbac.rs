//! Rights by roles and bindings, read from the cluster's own objects.

use super::tokens::User;
use crate::cluster::Cluster;
use crate::kind::GroupResource;
use crate::object::Object;
use serde_json::Value;
use std::sync::Arc;

pub(crate) const ROLES: GroupResource = GroupResource::new("rbac.authorization.k8s.io", "roles");
pub(crate) const ROLE_BINDINGS: GroupResource = GroupResource::new("rbac.authorization.k8s.io", "rolebindings");
pub(crate) const CLUSTER_ROLES: GroupResource = GroupResource::new("rbac.authorization.k8s.io", "clusterroles");
pub(crate) const CLUSTER_ROLE_BINDINGS: GroupResource =
    GroupResource::new("rbac.authorization.k8s.io", "clusterrolebindings");

/// What somebody wants to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attributes<'a> {
    pub verb: &'a str,
    pub group: &'a str,
    pub resource: &'a str,
    pub subresource: &'a str,
    /// Empty for the whole cluster.
    pub namespace: &'a str,
    pub name: &'a str,
}

/// A rule that holds for a user, and through which binding.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    pub rule: Value,
    pub reason: String,
}

/// Why the user may; nothing when not.
pub(crate) fn allows(cluster: &Cluster, user: &User, wanted: &Attributes<'_>) -> Option<String> {
    if is_master(user) {
        return Some(String::new());
    }
    let grants = grants(cluster, user, wanted.namespace);
    grants.into_iter().find(|g| covers(&g.rule, wanted)).map(|g| g.reason)
}

/// Whether the user may use a path that is no resource.
pub(crate) fn allows_path(cluster: &Cluster, user: &User, verb: &str, path: &str) -> bool {
    is_master(user)
        || grants(cluster, user, "").iter().any(|g| {
            has(&g.rule, "verbs", verb)
                && g.rule.list("/nonResourceURLs").iter().filter_map(Value::as_str).any(|url| {
                    url == "*" || url == path || url.strip_suffix('*').is_some_and(|prefix| path.starts_with(prefix))
                })
        })
}

fn is_master(user: &User) -> bool {
    user.groups.iter().any(|g| g == "system:masters")
}

/// Every rule that the user has in a namespace, cluster-wide ones first.
pub(crate) fn grants(cluster: &Cluster, user: &User, namespace: &str) -> Vec<Grant> {
    if is_master(user) {
        let rule =
            serde_json::json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"], "nonResourceURLs": ["*"]});
        return vec![Grant { rule, reason: String::new() }];
    }
    let mut out = Vec::new();
    for binding in cluster.list(&CLUSTER_ROLE_BINDINGS, None) {
        add(cluster, user, &binding, "", &mut out);
    }
    if !namespace.is_empty() {
        for binding in cluster.list(&ROLE_BINDINGS, Some(namespace)) {
            add(cluster, user, &binding, namespace, &mut out);
        }
    }
    out
}

fn add(cluster: &Cluster, user: &User, binding: &Arc<Value>, namespace: &str, out: &mut Vec<Grant>) {
    let Some(subject) = binding.list("/subjects").iter().find(|s| is_subject(user, s, namespace)) else { return };
    let (role_kind, role_name) = (binding.text("/roleRef/kind"), binding.text("/roleRef/name"));
    let role = match role_kind {
        "ClusterRole" => cluster.get(&CLUSTER_ROLES, "", role_name),
        _ => cluster.get(&ROLES, namespace, role_name),
    };
    let kind = if namespace.is_empty() { "ClusterRoleBinding" } else { "RoleBinding" };
    let place = if namespace.is_empty() { String::new() } else { format!("/{namespace}") };
    let reason = format!(
        "RBAC: allowed by {kind} \"{}{place}\" of {role_kind} {role_name:?} to {} {:?}",
        binding.name(),
        subject.text("/kind"),
        subject.text("/name")
    );
    for rule in role.iter().flat_map(|r| r.list("/rules")) {
        out.push(Grant { rule: rule.clone(), reason: reason.clone() });
    }
}

fn is_subject(user: &User, subject: &Value, namespace: &str) -> bool {
    let name = subject.text("/name");
    match subject.text("/kind") {
        "User" => user.name == name,
        "Group" => user.groups.iter().any(|g| g == name),
        "ServiceAccount" => {
            let own = subject.text("/namespace");
            let place = if own.is_empty() { namespace } else { own };
            !place.is_empty() && user.name == format!("system:serviceaccount:{place}:{name}")
        }
        _ => false,
    }
}

fn has(rule: &Value, key: &str, wanted: &str) -> bool {
    rule.list(&format!("/{key}")).iter().any(|v| v == "*" || v == wanted)
}

fn covers(rule: &Value, wanted: &Attributes<'_>) -> bool {
    let resource = if wanted.subresource.is_empty() {
        wanted.resource.to_owned()
    } else {
        format!("{}/{}", wanted.resource, wanted.subresource)
    };
    let any_resource_of_subresource = format!("*/{}", wanted.subresource);
    let resources = rule.list("/resources").iter().any(|v| {
        v == "*"
            || *v == resource.as_str()
            || !wanted.subresource.is_empty() && *v == any_resource_of_subresource.as_str()
    });
    let names = rule.list("/resourceNames");
    has(rule, "verbs", wanted.verb)
        && has(rule, "apiGroups", wanted.group)
        && resources
        && (names.is_empty() || !wanted.name.is_empty() && names.iter().any(|n| n == wanted.name))
}
