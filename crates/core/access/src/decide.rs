//! The one question: may somebody do something to a thing?

use crate::grants::{Grants, GroupId};
use crate::level::ScopeLevel;
use crate::permission::Permission;
use crate::principal::Principal;
use crate::resource::{Resource, ResourceType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use windlass_model::{Identifier, Scope};

/// The answer with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub allowed: bool,
    pub because: Because,
}

/// Why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    Granted(Granted),
    /// What came closest.
    Missing(Miss),
}

/// The grant that allows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Granted {
    pub assignment: Identifier,
    /// Where the assignment was saved.
    pub scope: Scope,
    pub role: Identifier,
    pub resource_group: Identifier,
    /// The user group through which the principal has it, with its scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_group: Option<(Scope, Identifier)>,
}

/// Why nothing allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Miss {
    /// The permission is for another type of thing: a mistake of the caller.
    WrongType { wanted: ResourceType },
    /// Nothing was assigned to the principal or its groups.
    NoAssignment,
    /// The thing is within reach of these roles, and none has the permission.
    NoPermission { roles: Vec<Identifier> },
    /// Roles with the permission were assigned, and their resource groups do not cover the thing.
    OutOfReach { assignments: Vec<Identifier> },
}

/// Decides. Assignments at the scope of the resource and at wider scopes count; the resource group says how far they reach.
pub fn decide(grants: &Grants, principal: &Principal, permission: Permission, resource: &Resource) -> Decision {
    let denied = |miss| Decision { allowed: false, because: Because::Missing(miss) };
    if permission.resource() != resource.kind {
        return denied(Miss::WrongType { wanted: permission.resource() });
    }
    let mut any = false;
    let (mut roles, mut assignments) = (Vec::new(), Vec::new());
    for (through, scope, assignment) in grants.of(principal) {
        any = true;
        let Some(role) = grants.find_role(scope, &assignment.role_identifier) else { continue };
        if assignment.disabled || !role.allowed_at(ScopeLevel::of(scope)) {
            continue;
        }
        // The scope of the assignment bounds it, whatever its resource group includes.
        let reaches =
            scope.contains(&resource.scope) && grants.covers(scope, &assignment.resource_group_identifier, resource);
        match (reaches, role.permissions.contains(&permission)) {
            (true, true) => {
                let granted = Granted {
                    assignment: assignment.identifier.clone(),
                    scope: scope.clone(),
                    role: role.identifier.clone(),
                    resource_group: assignment.resource_group_identifier.clone(),
                    user_group: through.map(|GroupId { scope, identifier }| (scope, identifier)),
                };
                return Decision { allowed: true, because: Because::Granted(granted) };
            }
            (true, false) => roles.push(role.identifier.clone()),
            (false, true) => assignments.push(assignment.identifier.clone()),
            (false, false) => {}
        }
    }
    denied(if !roles.is_empty() {
        roles.sort();
        roles.dedup();
        Miss::NoPermission { roles }
    } else if !assignments.is_empty() {
        Miss::OutOfReach { assignments }
    } else if any {
        Miss::NoPermission { roles: Vec::new() }
    } else {
        Miss::NoAssignment
    })
}

impl fmt::Display for Granted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { assignment, scope, role, resource_group, user_group } = self;
        write!(f, "role {role} over {resource_group} by assignment {assignment} of {scope}")?;
        if let Some((scope, group)) = user_group {
            write!(f, " through group {group} of {scope}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |ids: &[Identifier]| ids.iter().map(Identifier::as_str).collect::<Vec<_>>().join(", ");
        match self {
            Self::WrongType { wanted } => write!(f, "the permission is about {wanted}"),
            Self::NoAssignment => f.write_str("no role is assigned"),
            Self::NoPermission { roles } if roles.is_empty() => f.write_str("no assigned role reaches this"),
            Self::NoPermission { roles } => write!(f, "the permission is in none of the roles {}", list(roles)),
            Self::OutOfReach { assignments } => {
                write!(f, "the resource groups of {} do not cover this", list(assignments))
            }
        }
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Granted(granted) => granted.fmt(f),
            Self::Missing(miss) => miss.fmt(f),
        }
    }
}
