//! Roles and resource groups that exist everywhere and cannot be changed (pipelines §9.1).

use crate::level::ScopeLevel;
use crate::permission::Permission;
use crate::resource::Resource;
use crate::resource_group::Filter;
use crate::role::Role;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use windlass_model::{Identifier, Scope};

/// The built-in roles by identifier.
///
/// An administrator of a level has every permission over things of that level and below, a viewer every permission to look, a
/// basic member sees who and what is around. Identifiers other than `_project_viewer` are our reading of the vendor's.
pub fn builtin_roles() -> &'static BTreeMap<Identifier, Role> {
    static ROLES: LazyLock<BTreeMap<Identifier, Role>> =
        LazyLock::new(|| make().into_iter().map(|role| (role.identifier.clone(), role)).collect());
    &ROLES
}

fn make() -> Vec<Role> {
    use Permission::{
        ConnectorAccess, ConnectorView, EnvironmentAccess, EnvironmentView, OrganizationView, PipelineExecute,
        PipelineView, ProjectView, ResourceGroupView, RoleView, SecretAccess, SecretView, ServiceAccess, ServiceView,
        TemplateAccess, TemplateView, UserGroupView, UserView,
    };
    use ScopeLevel::{Account, Organization, Project};
    let mut roles = Vec::new();
    for (level, basic) in [
        (Account, &[UserView, UserGroupView, RoleView, ResourceGroupView][..]),
        (Organization, &[OrganizationView, UserView, UserGroupView, RoleView, ResourceGroupView]),
        (Project, &[ProjectView, UserView, UserGroupView, RoleView, ResourceGroupView]),
    ] {
        let here: BTreeSet<_> =
            Permission::ALL.iter().copied().filter(|one| one.levels().iter().any(|at| *at >= level)).collect();
        let views = here.iter().copied().filter(|one| one.is_view()).collect();
        let name = level.name();
        roles.extend([
            role(&format!("_{name}_admin"), "does everything", here, &[level]),
            role(&format!("_{name}_viewer"), "sees everything", views, &[level]),
            role(&format!("_{name}_basic"), "sees who and what is around", basic.iter().copied().collect(), &[level]),
        ]);
    }
    roles.push(role(
        "_pipeline_executor",
        "runs pipelines and what they use",
        BTreeSet::from([
            ResourceGroupView,
            ProjectView,
            UserView,
            UserGroupView,
            RoleView,
            SecretView,
            SecretAccess,
            ConnectorView,
            ConnectorAccess,
            EnvironmentView,
            EnvironmentAccess,
            ServiceView,
            ServiceAccess,
            TemplateView,
            TemplateAccess,
            PipelineView,
            PipelineExecute,
        ]),
        &ScopeLevel::ALL,
    ));
    let gitops = Permission::ALL.iter().copied().filter(|one| one.name().starts_with("gitops_")).collect();
    roles.push(role("_gitops_admin", "does everything with GitOps", gitops, &ScopeLevel::ALL));
    roles.into_iter().flatten().collect()
}

fn role(identifier: &str, description: &str, permissions: BTreeSet<Permission>, levels: &[ScopeLevel]) -> Option<Role> {
    let words: Vec<String> = identifier.split('_').filter(|word| !word.is_empty()).map(capital).collect();
    Some(Role {
        identifier: Identifier::parse(identifier).ok()?,
        name: words.join(" "),
        description: description.to_owned(),
        permissions,
        allowed_scope_levels: levels.iter().copied().collect(),
    })
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A built-in resource group: all resources, relative to the scope of the assignment that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinGroup {
    pub identifier: &'static str,
    /// The scopes in which it may be used.
    pub levels: &'static [ScopeLevel],
    pub filter: Filter,
}

/// All of them.
pub const BUILTIN_GROUPS: &[BuiltinGroup] = &[
    BuiltinGroup {
        identifier: "_all_account_level_resources",
        levels: &[ScopeLevel::Account],
        filter: Filter::ExcludingChildScopes,
    },
    BuiltinGroup {
        identifier: "_all_resources_including_child_scopes",
        levels: &[ScopeLevel::Account, ScopeLevel::Organization],
        filter: Filter::IncludingChildScopes,
    },
    BuiltinGroup {
        identifier: "_all_organization_level_resources",
        levels: &[ScopeLevel::Organization],
        filter: Filter::ExcludingChildScopes,
    },
    BuiltinGroup {
        identifier: "_all_project_level_resources",
        levels: &[ScopeLevel::Project],
        filter: Filter::ExcludingChildScopes,
    },
];

impl BuiltinGroup {
    pub fn find(identifier: &str) -> Option<&'static Self> {
        BUILTIN_GROUPS.iter().find(|group| group.identifier == identifier)
    }

    /// Whether the resource belongs to it, for an assignment saved in `scope`.
    pub fn covers(&self, scope: &Scope, resource: &Resource) -> bool {
        self.levels.contains(&ScopeLevel::of(scope))
            && match self.filter {
                Filter::ExcludingChildScopes => *scope == resource.scope,
                Filter::IncludingChildScopes => scope.contains(&resource.scope),
            }
    }
}
