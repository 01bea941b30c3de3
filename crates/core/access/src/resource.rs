//! What is accessed.

use crate::permission::Permission;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use windlass_model::{Identifier, Scope};

macro_rules! resource_types {
    ($($variant:ident = $name:literal $(view $view:ident)?,)*) => {
        /// The kinds of things that permissions speak of.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum ResourceType {
            $(#[serde(rename = $name)] $variant,)*
        }

        impl ResourceType {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The permission without which things of this type do not exist for somebody; `None` when all may know of them.
            pub const fn view(self) -> Option<Permission> {
                match self { $(Self::$variant => resource_types!(@view $($view)?),)* }
            }
        }
    };
    (@view) => { None };
    (@view $view:ident) => { Some(Permission::$view) };
}

resource_types! {
    Account = "ACCOUNT",
    Organization = "ORGANIZATION" view OrganizationView,
    Project = "PROJECT" view ProjectView,
    User = "USER" view UserView,
    UserGroup = "USERGROUP" view UserGroupView,
    Role = "ROLE" view RoleView,
    ResourceGroup = "RESOURCEGROUP" view ResourceGroupView,
    ServiceAccount = "SERVICEACCOUNT" view ServiceAccountView,
    Setting = "SETTING" view SettingView,
    AuthSetting = "AUTHSETTING" view AuthSettingView,
    Pipeline = "PIPELINE" view PipelineView,
    InputSet = "INPUT_SET" view InputSetView,
    Service = "SERVICE" view ServiceView,
    Environment = "ENVIRONMENT" view EnvironmentView,
    EnvironmentGroup = "ENVIRONMENT_GROUP" view EnvironmentGroupView,
    DeploymentFreeze = "DEPLOYMENTFREEZE",
    Template = "TEMPLATE" view TemplateView,
    File = "FILE" view FileView,
    Variable = "VARIABLE" view VariableView,
    Connector = "CONNECTOR" view ConnectorView,
    Delegate = "DELEGATE" view DelegateView,
    DelegateConfiguration = "DELEGATECONFIGURATION" view DelegateConfigurationView,
    Secret = "SECRET" view SecretView,
    GovernancePolicy = "GOVERNANCEPOLICY" view GovernancePolicyView,
    GovernancePolicySet = "GOVERNANCEPOLICYSETS" view GovernancePolicySetView,
    Audit = "AUDIT" view AuditView,
    NotificationChannel = "NOTIFICATION_CHANNEL" view NotificationChannelView,
    NotificationRule = "NOTIFICATION_RULE" view NotificationRuleView,
    StreamingDestination = "STREAMING_DESTINATION" view StreamingDestinationView,
    GitopsAgent = "GITOPS_AGENT" view GitopsAgentView,
    GitopsApplication = "GITOPS_APP" view GitopsApplicationView,
    GitopsRepository = "GITOPS_REPOSITORY" view GitopsRepositoryView,
    GitopsCluster = "GITOPS_CLUSTER" view GitopsClusterView,
    GitopsGpgKey = "GITOPS_GPGKEY" view GitopsGpgKeyView,
    GitopsCert = "GITOPS_CERT" view GitopsCertView,
    DbSchema = "DB_SCHEMA",
    DbInstance = "DB_INSTANCE",
}

impl fmt::Display for ResourceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One thing, or all things of a type in a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    pub kind: ResourceType,
    /// `None`: the type itself, to create or to list; grants for single identifiers do not cover that.
    pub id: Option<Identifier>,
    pub scope: Scope,
    /// What attribute filters look at: `type` of environments, `category` of connectors, `tags` of pipelines.
    pub attributes: BTreeMap<String, BTreeSet<String>>,
}

impl Resource {
    pub fn new(kind: ResourceType, id: Identifier, scope: Scope) -> Self {
        Self { kind, id: Some(id), scope, attributes: BTreeMap::new() }
    }

    pub fn any(kind: ResourceType, scope: Scope) -> Self {
        Self { kind, id: None, scope, attributes: BTreeMap::new() }
    }

    #[must_use]
    pub fn with(mut self, attribute: &str, values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.attributes.entry(attribute.to_owned()).or_default().extend(values.into_iter().map(Into::into));
        self
    }
}

impl fmt::Display for Resource {
    /// `PIPELINE payment_service in project:default/platform`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.id {
            Some(id) => write!(f, "{} {id} in {}", self.kind, self.scope),
            None => write!(f, "{} in {}", self.kind, self.scope),
        }
    }
}
