//! Whom to ask: who has what somebody else is missing.

use crate::grants::Grants;
use crate::level::ScopeLevel;
use crate::permission::Permission;
use crate::principal::PrincipalKind;
use crate::resource::Resource;
use std::collections::BTreeSet;

/// Who has `permission` over `resource`, as people would say it: `user ada`, `group ops`. At most `limit`, in alphabetical order.
pub fn holders(grants: &Grants, permission: Permission, resource: &Resource, limit: usize) -> Vec<String> {
    let having = grants.all().filter(|(scope, assignment)| {
        let role = grants.find_role(scope, &assignment.role_identifier);
        let grants_it =
            role.is_some_and(|role| role.allowed_at(ScopeLevel::of(scope)) && role.permissions.contains(&permission));
        grants_it
            && !assignment.disabled
            && scope.contains(&resource.scope)
            && grants.covers(scope, &assignment.resource_group_identifier, resource)
    });
    let names: BTreeSet<String> = having
        .map(|(_, assignment)| {
            let noun = match assignment.principal.kind {
                PrincipalKind::User => "user",
                PrincipalKind::UserGroup => "group",
                PrincipalKind::ServiceAccount => "service account",
                PrincipalKind::ApiKey => "API key",
                PrincipalKind::Service => "service",
            };
            format!("{noun} {}", assignment.principal.identifier)
        })
        .collect();
    names.into_iter().take(limit).collect()
}
