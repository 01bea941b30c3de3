//! Acting as somebody else: `kubectl --as`, for those who have the right to impersonate.

use super::rbac::{self, Attributes};
use super::tokens::User;
use crate::cluster::Cluster;
use crate::error::ApiError;
use crate::kind::GroupResource;
use http::HeaderMap;

/// Whom the request acts as; the user itself when it asks for nobody else.
pub(crate) fn impersonated(cluster: &Cluster, user: User, headers: &HeaderMap) -> Result<User, ApiError> {
    let all = |name: &str| -> Vec<String> {
        headers
            .get_all(name)
            .iter()
            .filter_map(|v| v.to_str().ok())
            .filter(|v| !v.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (names, groups) = (all("impersonate-user"), all("impersonate-group"));
    let Some(name) = names.into_iter().next() else {
        if groups.is_empty() {
            return Ok(user);
        }
        return Err(ApiError::bad_request(format!("requested {groups:?} without impersonating a user")));
    };
    let mut parts = name.strip_prefix("system:serviceaccount:").unwrap_or_default().split(':');
    let mut other = match (parts.next(), parts.next(), parts.next()) {
        (Some(namespace), Some(account), None) => {
            check(cluster, &user, "serviceaccounts", namespace, account)?;
            User::service_account(namespace, account, "")
        }
        _ => {
            check(cluster, &user, "users", "", &name)?;
            User { name, uid: String::new(), groups: Vec::new() }
        }
    };
    for group in groups {
        check(cluster, &user, "groups", "", &group)?;
        other.groups.push(group);
    }
    let everybody = if other.name == "system:anonymous" { "system:unauthenticated" } else { "system:authenticated" };
    if !other.groups.iter().any(|group| group == everybody) {
        other.groups.push(everybody.to_owned());
    }
    Ok(other)
}

fn check(cluster: &Cluster, user: &User, resource: &str, namespace: &str, name: &str) -> Result<(), ApiError> {
    let wanted = Attributes { verb: "impersonate", group: "", resource, subresource: "", namespace, name };
    if rbac::allows(cluster, user, &wanted).is_some() {
        return Ok(());
    }
    let place = if namespace.is_empty() {
        "at the cluster scope".to_owned()
    } else {
        format!("in the namespace {namespace:?}")
    };
    let why = format!("User {:?} cannot impersonate resource {resource:?} in API group \"\" {place}", user.name);
    Err(ApiError::forbidden(&GroupResource::named("", resource), name, &why))
}
