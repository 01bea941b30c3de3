//! Everything that was granted, arranged for quick answers.

use crate::assignment::RoleAssignment;
use crate::builtin::{BuiltinGroup, builtin_roles};
use crate::principal::{Principal, PrincipalKind};
use crate::resource::Resource;
use crate::resource_group::ResourceGroup;
use crate::role::Role;
use std::collections::{BTreeMap, BTreeSet};
use windlass_model::{Identifier, Scope};

/// A user group, by the scope it was saved in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId {
    pub scope: Scope,
    pub identifier: Identifier,
}

/// Roles, resource groups, memberships and assignments as they are stored at one moment.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    roles: BTreeMap<(Scope, Identifier), Role>,
    resource_groups: BTreeMap<(Scope, Identifier), ResourceGroup>,
    memberships: BTreeMap<Principal, BTreeSet<GroupId>>,
    assignments: BTreeMap<Holder, Vec<(Scope, RoleAssignment)>>,
}

/// Whom an assignment is kept for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holder {
    Principal(Principal),
    Group(GroupId),
}

/// The group to which every user belongs.
const EVERYBODY: &str = "_account_all_users";

impl Grants {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a custom role of a scope; it can be assigned in that scope.
    pub fn role(&mut self, scope: Scope, role: Role) -> &mut Self {
        self.roles.insert((scope, role.identifier.clone()), role);
        self
    }

    pub fn resource_group(&mut self, scope: Scope, group: ResourceGroup) -> &mut Self {
        self.resource_groups.insert((scope, group.identifier.clone()), group);
        self
    }

    /// Says that somebody is a member of a user group. Everybody is in `account._account_all_users` without that.
    pub fn member(&mut self, principal: Principal, group: GroupId) -> &mut Self {
        self.memberships.entry(principal).or_default().insert(group);
        self
    }

    /// Adds an assignment saved in `scope`. One that names nobody who can be (an API key, a wider level than there is) grants
    /// nothing.
    pub fn assign(&mut self, scope: Scope, assignment: RoleAssignment) -> &mut Self {
        if let Some(holder) = holder(&scope, &assignment) {
            self.assignments.entry(holder).or_default().push((scope, assignment));
        }
        self
    }

    /// The user groups of a principal.
    pub fn groups_of<'a>(&'a self, principal: &Principal) -> impl Iterator<Item = &'a GroupId> + use<'a> {
        self.memberships.get(principal).into_iter().flatten()
    }

    /// The assignments of a principal, its own and those of its groups, with the scope of each.
    pub fn held_by<'a>(
        &'a self,
        principal: &Principal,
    ) -> impl Iterator<Item = (&'a Scope, &'a RoleAssignment)> + use<'a> {
        self.of(principal).map(|(_, scope, assignment)| (scope, assignment))
    }

    /// Assignments of a principal, with the group through which it has them.
    pub(crate) fn of<'a>(
        &'a self,
        principal: &Principal,
    ) -> impl Iterator<Item = (Option<GroupId>, &'a Scope, &'a RoleAssignment)> + use<'a> {
        let everybody = (principal.kind() == PrincipalKind::User)
            .then(|| Identifier::parse(EVERYBODY).ok())
            .flatten()
            .map(|identifier| GroupId { scope: Scope::Account, identifier });
        let groups = self.groups_of(principal).cloned().chain(everybody).collect::<BTreeSet<_>>();
        let holders =
            std::iter::once(Holder::Principal(principal.clone())).chain(groups.into_iter().map(Holder::Group));
        holders.flat_map(move |holder| {
            let assignments = self.assignments.get(&holder).into_iter().flatten();
            let through = match holder {
                Holder::Group(group) => Some(group),
                Holder::Principal(_) => None,
            };
            assignments.map(move |(scope, assignment)| (through.clone(), scope, assignment))
        })
    }

    /// Every assignment with the scope it was saved in.
    pub(crate) fn all(&self) -> impl Iterator<Item = &(Scope, RoleAssignment)> {
        self.assignments.values().flatten()
    }

    /// The role an assignment in `scope` means: a built-in one, else one saved in the same scope.
    pub fn find_role(&self, scope: &Scope, identifier: &Identifier) -> Option<&Role> {
        builtin_roles().get(identifier).or_else(|| self.roles.get(&(scope.clone(), identifier.clone())))
    }

    /// A custom resource group saved in `scope`.
    pub fn find_group(&self, scope: &Scope, identifier: &Identifier) -> Option<&ResourceGroup> {
        self.resource_groups.get(&(scope.clone(), identifier.clone()))
    }

    /// Whether the resource group an assignment in `scope` names covers the resource.
    pub(crate) fn covers(&self, scope: &Scope, identifier: &Identifier, resource: &Resource) -> bool {
        match BuiltinGroup::find(identifier.as_str()) {
            Some(group) => group.covers(scope, resource),
            None => self.find_group(scope, identifier).is_some_and(|group| group.covers(scope, resource)),
        }
    }
}

fn holder(scope: &Scope, assignment: &RoleAssignment) -> Option<Holder> {
    let principal = &assignment.principal;
    Some(match principal.kind {
        PrincipalKind::User => Holder::Principal(Principal::User { id: principal.identifier.clone() }),
        PrincipalKind::Service => Holder::Principal(Principal::Service { name: principal.identifier.clone() }),
        PrincipalKind::ServiceAccount => Holder::Principal(Principal::ServiceAccount {
            scope: principal.home(scope)?,
            identifier: Identifier::parse_dashed(&principal.identifier).ok()?,
        }),
        PrincipalKind::UserGroup => Holder::Group(GroupId {
            scope: principal.home(scope)?,
            identifier: Identifier::parse_dashed(&principal.identifier).ok()?,
        }),
        // A key acts as its owner; it holds nothing itself.
        PrincipalKind::ApiKey => return None,
    })
}
