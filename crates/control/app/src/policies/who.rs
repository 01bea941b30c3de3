//! Who asks, and for what, as policies see it (pipelines §8.3).

use crate::access::principal_of;
use crate::documents::Lookup;
use crate::{Answer, App};
use windlass_access::{BuiltinGroup, GroupId, Principal as Who};
use windlass_document::Kind;
use windlass_model::{Json, Scope};
use windlass_policy::input::{Metadata, Project, RoleAssignment, User, UserGroup};
use windlass_policy::{Action, PolicyType};

impl App {
    /// The member `metadata` of an input. `by` is the one who saves, starts, or on whose behalf a run runs.
    pub(crate) async fn policy_metadata(
        &self,
        by: &str,
        scope: &Scope,
        kind: PolicyType,
        action: Action,
    ) -> Answer<Metadata> {
        let (sort, identifier) = by.split_once(':').unwrap_or(("user", by));
        let user = if sort == "user" { self.store().users().get(identifier).await? } else { None };
        let (user_groups, role_assignment_metadata) = match principal_of(by) {
            Some(who) => (self.policy_groups(&who).await?, self.policy_roles(&who, scope).await?),
            None => (Vec::new(), Vec::new()),
        };
        let now = self.clock().real().now();
        Ok(Metadata {
            kind,
            action,
            timestamp: self.clock().now().millis() / 1_000,
            principal_identifier: identifier.to_owned(),
            principal_type: if sort == "serviceAccount" { "SERVICE_ACCOUNT" } else { "USER" }.to_owned(),
            user: user.map(|user| User {
                uuid: user.id,
                name: user.name,
                email: user.email,
                disabled: user.state != "active",
                locked: user.locked_until.is_some_and(|until| until > now),
                ..User::default()
            }),
            user_groups,
            role_assignment_metadata,
            project_metadata: self.policy_project(scope).await?,
        })
    }

    /// The groups somebody is in, each with its people.
    async fn policy_groups(&self, who: &Who) -> Answer<Vec<UserGroup>> {
        let grants = self.grants().await?;
        let mut groups = Vec::new();
        for GroupId { scope, identifier } in grants.groups_of(who) {
            let id = identifier.as_str();
            let (name, mut users) = match self.find_document(Kind::UserGroup, id, scope, None).await? {
                Lookup::Found(document) => {
                    let body = self.body_of(Kind::UserGroup, &document)?;
                    let listed = body["users"].as_array().into_iter().flatten().filter_map(Json::as_str);
                    (document.name.clone(), listed.map(str::to_owned).collect::<Vec<_>>())
                }
                Lookup::Missing { .. } => (id.to_owned(), Vec::new()),
            };
            let members = self.store().groups().members(scope, identifier).await?;
            users.extend(members.into_iter().map(|member| member.trim_start_matches("user:").to_owned()));
            users.sort_unstable();
            users.dedup();
            groups.push(UserGroup { identifier: id.to_owned(), name, users });
        }
        Ok(groups)
    }

    /// What somebody was granted where it counts for `scope`: there, or in a scope around it.
    async fn policy_roles(&self, who: &Who, scope: &Scope) -> Answer<Vec<RoleAssignment>> {
        let grants = self.grants().await?;
        let held =
            grants.held_by(who).filter(|(at, held)| !held.disabled && scope.outwards().any(|around| around == **at));
        let roles = held.map(|(at, held)| {
            let role = grants.find_role(at, &held.role_identifier);
            let group = grants.find_group(at, &held.resource_group_identifier);
            let builtin = BuiltinGroup::find(held.resource_group_identifier.as_str());
            RoleAssignment {
                identifier: held.identifier.to_string(),
                role_identifier: held.role_identifier.to_string(),
                role_name: role.map(|role| role.name.clone()).unwrap_or_default(),
                resource_group_identifier: held.resource_group_identifier.to_string(),
                resource_group_name: match (group, builtin) {
                    (Some(group), _) => group.name.clone(),
                    (None, Some(builtin)) => builtin.identifier.trim_start_matches('_').replace('_', " "),
                    (None, None) => String::new(),
                },
                // Built-in roles are named with an underscore in front, and nobody else's are.
                managed_role: held.role_identifier.as_str().starts_with('_'),
                managed_role_assignment: held.managed,
            }
        });
        Ok(roles.collect())
    }

    async fn policy_project(&self, scope: &Scope) -> Answer<Option<Project>> {
        let (Some(org), Some(project)) = (scope.org(), scope.project()) else { return Ok(None) };
        let at = Scope::Org { org: org.clone() };
        let (identifier, org_identifier) = (project.to_string(), org.to_string());
        let found = self.find_document(Kind::Project, project.as_str(), &at, None).await?;
        Ok(Some(match found {
            Lookup::Found(document) => {
                let body = self.body_of(Kind::Project, &document)?;
                let text = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
                Project {
                    identifier,
                    name: document.name.clone(),
                    org_identifier,
                    tags: document.tags.iter().map(|(tag, value)| (tag.clone(), Json::from(value.as_str()))).collect(),
                    description: text("description"),
                    ..Project::default()
                }
            }
            Lookup::Missing { .. } => {
                Project { name: identifier.clone(), identifier, org_identifier, ..Project::default() }
            }
        }))
    }
}
