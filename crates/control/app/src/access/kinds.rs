//! What each kind of document is to the table of permissions (pipelines §9.1, §9.2).

use windlass_access::{Permission, Resource, ResourceType};
use windlass_document::Kind;
use windlass_model::{Identifier, Json, Scope};
use windlass_store::documents::DocumentKey;

/// What is done to a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    View,
    Create,
    Edit,
    Delete,
}

/// The permission that a verb needs. Infrastructures are parts of their environment, triggers of their pipeline.
pub const fn permission_of(kind: Kind, verb: Verb) -> Permission {
    use Permission as P;
    let [view, create, edit, delete] = match kind {
        Kind::Org => [P::OrganizationView, P::OrganizationCreate, P::OrganizationEdit, P::OrganizationDelete],
        Kind::Project => [P::ProjectView, P::ProjectCreate, P::ProjectEdit, P::ProjectDelete],
        Kind::Pipeline => [P::PipelineView, P::PipelineEdit, P::PipelineEdit, P::PipelineDelete],
        Kind::Trigger => [P::PipelineView, P::PipelineEdit, P::PipelineEdit, P::PipelineEdit],
        Kind::Service | Kind::MonitoredService => [P::ServiceView, P::ServiceEdit, P::ServiceEdit, P::ServiceDelete],
        Kind::Environment => [P::EnvironmentView, P::EnvironmentEdit, P::EnvironmentEdit, P::EnvironmentDelete],
        Kind::Infrastructure => [P::EnvironmentView, P::EnvironmentEdit, P::EnvironmentEdit, P::EnvironmentEdit],
        Kind::Connector => [P::ConnectorView, P::ConnectorEdit, P::ConnectorEdit, P::ConnectorDelete],
        Kind::Secret => [P::SecretView, P::SecretEdit, P::SecretEdit, P::SecretDelete],
        Kind::Variable => [P::VariableView, P::VariableEdit, P::VariableEdit, P::VariableDelete],
        Kind::User => [P::UserView, P::UserInvite, P::UserManage, P::UserManage],
        Kind::UserGroup => [P::UserGroupView, P::UserGroupManage, P::UserGroupManage, P::UserGroupManage],
        Kind::ServiceAccount => {
            [P::ServiceAccountView, P::ServiceAccountEdit, P::ServiceAccountEdit, P::ServiceAccountDelete]
        }
        // Who may give roles away is a matter of the role's permissions too: see `bind`.
        Kind::Role => [P::RoleView, P::RoleEdit, P::RoleEdit, P::RoleDelete],
        Kind::RoleAssignment => [P::UserView, P::UserManage, P::UserManage, P::UserManage],
        Kind::ResourceGroup => {
            [P::ResourceGroupView, P::ResourceGroupEdit, P::ResourceGroupEdit, P::ResourceGroupDelete]
        }
        Kind::Policy => {
            [P::GovernancePolicyView, P::GovernancePolicyCreate, P::GovernancePolicyEdit, P::GovernancePolicyDelete]
        }
        Kind::PolicySet => [
            P::GovernancePolicySetView,
            P::GovernancePolicySetCreate,
            P::GovernancePolicySetEdit,
            P::GovernancePolicySetDelete,
        ],
    };
    match verb {
        Verb::View => view,
        Verb::Create => create,
        Verb::Edit => edit,
        Verb::Delete => delete,
    }
}

/// The type as which documents of a kind are protected.
pub(crate) fn type_of(kind: Kind) -> ResourceType {
    permission_of(kind, Verb::View).resource()
}

/// All documents of a kind in a scope: to list, to create.
pub(crate) fn any_of(kind: Kind, scope: &Scope) -> Resource {
    Resource::any(type_of(kind), scope.clone())
}

/// One document. `tags` and `body` take part when a resource group goes by attributes.
pub(crate) fn one_of<'a>(
    kind: Kind,
    verb: Verb,
    key: &DocumentKey,
    tags: impl IntoIterator<Item = (&'a String, &'a String)>,
    body: Option<&Json>,
) -> Resource {
    let id = || key.identifier.clone();
    let part = |scope: Scope, id: Option<Identifier>| Resource { id, ..Resource::any(type_of(kind), scope) };
    let resource = match (kind, verb) {
        // Its own scope holds an organization or a project, except that it is made in the scope around.
        (Kind::Org, Verb::View | Verb::Edit | Verb::Delete) => part(Scope::Org { org: id() }, Some(id())),
        (Kind::Project, Verb::View | Verb::Edit | Verb::Delete) => match key.scope.org() {
            Some(org) => part(Scope::Project { org: org.clone(), project: id() }, Some(id())),
            None => part(key.scope.clone(), Some(id())),
        },
        (Kind::Infrastructure | Kind::Trigger, _) => part(key.scope.clone(), key.parent.clone()),
        (Kind::MonitoredService | Kind::RoleAssignment, _) | (_, Verb::Create) => part(key.scope.clone(), None),
        _ => part(key.scope.clone(), Some(id())),
    };
    let tags =
        tags.into_iter().map(|(tag, value)| if value.is_empty() { tag.clone() } else { format!("{tag}:{value}") });
    let resource = resource.with("tags", tags);
    let word = body.and_then(|body| body.get("type")).and_then(Json::as_str);
    match (kind, word) {
        (Kind::Environment, Some(word)) => resource.with("type", [word]),
        (Kind::Connector, Some(word)) => resource.with("category", [category(word)]),
        _ => resource,
    }
}

/// The vendor's categories of connectors.
fn category(connector: &str) -> &'static str {
    match connector {
        "K8sCluster" | "Gcp" | "Aws" | "Azure" | "Spot" | "Tas" | "Rancher" | "Pdc" => "CLOUD_PROVIDER",
        "Git" | "Github" | "Gitlab" | "Bitbucket" | "AzureRepo" | "Codecommit" => "CODE_REPO",
        "DockerRegistry" | "HttpHelmRepo" | "OciHelmRepo" | "Artifactory" | "Nexus" | "Jenkins" => "ARTIFACTORY",
        "Vault"
        | "AwsKms"
        | "AwsSecretManager"
        | "GcpKms"
        | "GcpSecretManager"
        | "AzureKeyVault"
        | "CustomSecretManager"
        | "Local" => "SECRET_MANAGER",
        "Jira" | "ServiceNow" => "TICKETING",
        "JDBC" => "DATABASE",
        _ => "MONITORING",
    }
}

#[cfg(test)]
mod tests {
    use super::{Verb, permission_of, type_of};
    use windlass_document::Kind;

    #[test]
    fn every_verb_of_a_kind_speaks_of_one_type() {
        for kind in Kind::all() {
            for verb in [Verb::View, Verb::Create, Verb::Edit, Verb::Delete] {
                assert_eq!(permission_of(kind, verb).resource(), type_of(kind), "{kind} {verb:?}");
            }
            assert!(permission_of(kind, Verb::View).is_view(), "{kind}");
        }
    }
}
