//! Documents that grant something: whether they say something that can be, and whether whoever saves them may give that away.
//!
//! Nobody gives away what they do not have: else a permission to manage people would be every permission.

use super::Caller;
use super::grants::typed;
use crate::{Answer, Failure};
use std::collections::BTreeSet;
use windlass_access::{
    BuiltinGroup, Filter, Grants, Permission, Resource, ResourceGroup, Role, RoleAssignment, ScopeLevel,
};
use windlass_diagnostic::{Diagnostic, Diagnostics};
use windlass_document::{Document, Kind};
use windlass_model::{Identifier, Json, Scope};

impl Caller {
    /// What is wrong with roles, resource groups and assignments in a text that is about to be saved.
    pub(crate) fn check_grants(&self, documents: &[Document]) -> Diagnostics {
        let mut found = Diagnostics::new();
        let mut grants = self.grants().clone();
        for document in documents {
            let (scope, id) = (&document.header.scope, &document.header.identifier);
            let body = document.body.clone();
            match document.kind {
                Kind::Role => {
                    unknown_permissions(&body, &mut found);
                    if let Some(role) = read::<Role>(body, id, &mut found) {
                        found.append(role.check(scope));
                        grants.role(scope.clone(), role);
                    }
                }
                Kind::ResourceGroup => {
                    if let Some(group) = read::<ResourceGroup>(body, id, &mut found) {
                        found.append(group.check(scope));
                        grants.resource_group(scope.clone(), group);
                    }
                }
                _ => {}
            }
        }
        for document in documents.iter().filter(|document| document.kind == Kind::RoleAssignment) {
            let id = &document.header.identifier;
            if let Some(assignment) = read::<RoleAssignment>(document.body.clone(), id, &mut found) {
                found.append(assignment.check(&document.header.scope, &grants));
                if assignment.managed {
                    let text = format!("`{id}` says `managed`, which only the platform's own assignments are");
                    found.push(Diagnostic::error("ACL0015", text).path("managed").remedy("leave it out"));
                }
            }
        }
        found
    }

    /// Refuses to give away what the caller does not have.
    pub(crate) fn may_give(&self, documents: &[Document]) -> Answer<()> {
        let mut roles: Vec<(&Scope, Role)> = Vec::new();
        let mut groups: Vec<(&Scope, ResourceGroup)> = Vec::new();
        for document in documents {
            let (scope, id) = (&document.header.scope, &document.header.identifier);
            match document.kind {
                Kind::Role => roles.push((scope, typed(document.body.clone(), id)?)),
                Kind::ResourceGroup => groups.push((scope, typed(document.body.clone(), id)?)),
                _ => {}
            }
        }
        for (scope, role) in &roles {
            self.has_all(&role.permissions, &[(*scope).clone()])?;
        }
        for document in documents.iter().filter(|document| document.kind == Kind::RoleAssignment) {
            let scope = &document.header.scope;
            let assignment: RoleAssignment = typed(document.body.clone(), &document.header.identifier)?;
            let named = &assignment.role_identifier;
            let own = roles.iter().find(|(at, role)| *at == scope && role.identifier == *named).map(|(_, role)| role);
            let Some(role) = own.or_else(|| self.grants().find_role(scope, named)) else { continue };
            let named = &assignment.resource_group_identifier;
            let own = groups.iter().find(|(at, group)| *at == scope && group.identifier == *named);
            let reach = match own {
                Some((_, group)) => reach_of(group, scope),
                None => reach(self.grants(), named, scope),
            };
            self.has_all(&role.permissions, &reach)?;
        }
        Ok(())
    }

    fn has_all(&self, permissions: &BTreeSet<Permission>, scopes: &[Scope]) -> Answer<()> {
        for permission in permissions {
            let in_question = scopes.iter().filter(|scope| permission.levels().contains(&ScopeLevel::of(scope)));
            for scope in in_question {
                if !self.may(*permission, &Resource::any(permission.resource(), scope.clone())) {
                    let text = format!(
                        "nobody gives away what they do not have: {permission} in {scope} is not among your permissions"
                    );
                    return Err(Failure::denied(text));
                }
            }
        }
        Ok(())
    }
}

/// The scopes that a resource group reaches; for those inside one stands for all.
fn reach(grants: &Grants, group: &Identifier, scope: &Scope) -> Vec<Scope> {
    if let Some(builtin) = BuiltinGroup::find(group.as_str()) {
        return with_inner(scope, builtin.filter);
    }
    grants.find_group(scope, group).map_or_else(|| vec![scope.clone()], |group| reach_of(group, scope))
}

fn reach_of(group: &ResourceGroup, own: &Scope) -> Vec<Scope> {
    if group.included_scopes.is_empty() {
        return vec![own.clone()];
    }
    let included = group.included_scopes.iter();
    included.filter_map(|one| Some(with_inner(&one.scope()?, one.filter))).flatten().collect()
}

fn with_inner(scope: &Scope, filter: Filter) -> Vec<Scope> {
    let mut scopes = vec![scope.clone()];
    if filter == Filter::IncludingChildScopes
        && let Ok(some) = Identifier::parse("_some")
    {
        let project = |org: &Identifier| Scope::Project { org: org.clone(), project: some.clone() };
        match scope {
            Scope::Account => scopes.extend([Scope::Org { org: some.clone() }, project(&some)]),
            Scope::Org { org } => scopes.push(project(org)),
            Scope::Project { .. } => {}
        }
    }
    scopes
}

/// Every word that is no permission, with the nearest that is.
fn unknown_permissions(body: &Json, found: &mut Diagnostics) {
    for word in body["permissions"].as_array().into_iter().flatten().filter_map(Json::as_str) {
        if let Err(error) = word.parse::<Permission>() {
            found.push(Diagnostic::error("ACL0016", error.to_string()).path("permissions"));
        }
    }
}

fn read<T: serde::de::DeserializeOwned>(body: Json, id: &Identifier, found: &mut Diagnostics) -> Option<T> {
    match typed(body, id) {
        Ok(read) => Some(read),
        Err(error) => {
            if !found.has_errors() {
                let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
                found.push(Diagnostic::error("ACL0017", format!("`{id}` cannot be understood: {cause}")));
            }
            None
        }
    }
}
