//! The table of permissions: what may be done to which kind of thing, and in which scopes such things are (pipelines §9.2).

use crate::level::ScopeLevel;
use crate::resource::ResourceType;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use windlass_diagnostic::nearest;

/// A word that names no permission.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no permission `{text}`{}", match .near { Some(near) => format!("; did you mean `{near}`?"), None => String::new() })]
pub struct UnknownPermission {
    pub text: String,
    pub near: Option<&'static str>,
}

macro_rules! permissions {
    ($($resource:ident in $levels:ident { $($variant:ident = $name:literal,)* })*) => {
        /// One thing that may be done.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Permission {
            $($($variant,)*)*
        }

        impl Permission {
            pub const ALL: &'static [Self] = &[$($(Self::$variant,)*)*];

            /// The identifier that roles and clients use.
            pub const fn name(self) -> &'static str {
                match self { $($(Self::$variant => $name,)*)* }
            }

            pub const fn resource(self) -> ResourceType {
                match self { $($(Self::$variant)|* => ResourceType::$resource,)* }
            }

            /// The scopes that hold such things.
            pub const fn levels(self) -> &'static [ScopeLevel] {
                match self { $($(Self::$variant)|* => $levels,)* }
            }
        }
    };
}

const ANYWHERE: &[ScopeLevel] = &[ScopeLevel::Account, ScopeLevel::Organization, ScopeLevel::Project];
const ACCOUNT: &[ScopeLevel] = &[ScopeLevel::Account];
const ABOVE_PROJECT: &[ScopeLevel] = &[ScopeLevel::Account, ScopeLevel::Organization];
const IN_PROJECT: &[ScopeLevel] = &[ScopeLevel::Project];

permissions! {
    Pipeline in IN_PROJECT {
        PipelineView = "core_pipeline_view",
        PipelineEdit = "core_pipeline_edit",
        PipelineDelete = "core_pipeline_delete",
        PipelineExecute = "core_pipeline_execute",
        PipelineAbort = "core_pipeline_abort",
    }
    InputSet in IN_PROJECT {
        InputSetView = "core_inputset_view",
        InputSetEdit = "core_inputset_edit",
        InputSetDelete = "core_inputset_delete",
    }
    Service in ANYWHERE {
        ServiceView = "core_service_view",
        ServiceEdit = "core_service_edit",
        ServiceDelete = "core_service_delete",
        ServiceAccess = "core_service_access",
    }
    Environment in ANYWHERE {
        EnvironmentView = "core_environment_view",
        EnvironmentEdit = "core_environment_edit",
        EnvironmentDelete = "core_environment_delete",
        EnvironmentAccess = "core_environment_access",
        EnvironmentRollback = "core_environment_rollback",
    }
    EnvironmentGroup in ANYWHERE {
        EnvironmentGroupView = "core_environmentgroup_view",
        EnvironmentGroupEdit = "core_environmentgroup_edit",
        EnvironmentGroupDelete = "core_environmentgroup_delete",
        EnvironmentGroupAccess = "core_environmentgroup_access",
    }
    Template in ANYWHERE {
        TemplateView = "core_template_view",
        TemplateEdit = "core_template_edit",
        TemplateDelete = "core_template_delete",
        TemplateAccess = "core_template_access",
        TemplateCopy = "core_template_copy",
    }
    Connector in ANYWHERE {
        ConnectorView = "core_connector_view",
        ConnectorEdit = "core_connector_edit",
        ConnectorDelete = "core_connector_delete",
        ConnectorAccess = "core_connector_access",
    }
    Secret in ANYWHERE {
        SecretView = "core_secret_view",
        SecretEdit = "core_secret_edit",
        SecretDelete = "core_secret_delete",
        SecretAccess = "core_secret_access",
    }
    File in ANYWHERE {
        FileView = "core_file_view",
        FileEdit = "core_file_edit",
        FileDelete = "core_file_delete",
        FileAccess = "core_file_access",
    }
    Variable in ANYWHERE {
        VariableView = "core_variable_view",
        VariableEdit = "core_variable_edit",
        VariableDelete = "core_variable_delete",
    }
    DeploymentFreeze in ANYWHERE {
        DeploymentFreezeManage = "core_deploymentfreeze_manage",
        DeploymentFreezeOverride = "core_deploymentfreeze_override",
        DeploymentFreezeGlobal = "core_deploymentfreeze_global",
    }
    Delegate in ANYWHERE {
        DelegateView = "core_delegate_view",
        DelegateEdit = "core_delegate_edit",
        DelegateDelete = "core_delegate_delete",
    }
    DelegateConfiguration in ANYWHERE {
        DelegateConfigurationView = "core_delegateconfiguration_view",
        DelegateConfigurationEdit = "core_delegateconfiguration_edit",
        DelegateConfigurationDelete = "core_delegateconfiguration_delete",
    }
    GovernancePolicy in ANYWHERE {
        GovernancePolicyView = "core_governancePolicy_view",
        GovernancePolicyEdit = "core_governancePolicy_edit",
        GovernancePolicyCreate = "core_governancePolicy_create",
        GovernancePolicyDelete = "core_governancePolicy_delete",
    }
    GovernancePolicySet in ANYWHERE {
        GovernancePolicySetView = "core_governancePolicySets_view",
        GovernancePolicySetEdit = "core_governancePolicySets_edit",
        GovernancePolicySetCreate = "core_governancePolicySets_create",
        GovernancePolicySetDelete = "core_governancePolicySets_delete",
        GovernancePolicySetEvaluate = "core_governancePolicySets_evaluate",
    }
    ResourceGroup in ANYWHERE {
        ResourceGroupView = "core_resourcegroup_view",
        ResourceGroupEdit = "core_resourcegroup_edit",
        ResourceGroupDelete = "core_resourcegroup_delete",
    }
    Role in ANYWHERE {
        RoleView = "core_role_view",
        RoleEdit = "core_role_edit",
        RoleDelete = "core_role_delete",
    }
    UserGroup in ANYWHERE {
        UserGroupView = "core_usergroup_view",
        UserGroupManage = "core_usergroup_manage",
    }
    User in ANYWHERE {
        UserView = "core_user_view",
        UserManage = "core_user_manage",
        UserInvite = "core_user_invite",
    }
    ServiceAccount in ANYWHERE {
        ServiceAccountView = "core_serviceaccount_view",
        ServiceAccountEdit = "core_serviceaccount_edit",
        ServiceAccountDelete = "core_serviceaccount_delete",
        ServiceAccountManageApiKey = "core_serviceaccount_manageapikey",
    }
    // Creating a project is asked in its organization: its own scope is not there yet.
    Project in ABOVE_PROJECT {
        ProjectCreate = "core_project_create",
    }
    Project in ANYWHERE {
        ProjectView = "core_project_view",
        ProjectEdit = "core_project_edit",
        ProjectDelete = "core_project_delete",
    }
    Organization in ABOVE_PROJECT {
        OrganizationView = "core_organization_view",
        OrganizationCreate = "core_organization_create",
        OrganizationEdit = "core_organization_edit",
        OrganizationDelete = "core_organization_delete",
    }
    Setting in ANYWHERE {
        SettingView = "core_setting_view",
        SettingEdit = "core_setting_edit",
    }
    AuthSetting in ACCOUNT {
        AuthSettingView = "core_authsetting_view",
        AuthSettingEdit = "core_authsetting_edit",
        AuthSettingDelete = "core_authsetting_delete",
    }
    Audit in ANYWHERE {
        AuditView = "core_audit_view",
    }
    StreamingDestination in ACCOUNT {
        StreamingDestinationView = "core_streamingDestination_view",
        StreamingDestinationEdit = "core_streamingDestination_edit",
        StreamingDestinationDelete = "core_streamingDestination_delete",
    }
    NotificationRule in ANYWHERE {
        NotificationRuleView = "core_notificationrule_view",
        NotificationRuleEdit = "core_notificationrule_edit",
        NotificationRuleDelete = "core_notificationrule_delete",
    }
    NotificationChannel in ANYWHERE {
        NotificationChannelView = "core_notificationchannel_view",
        NotificationChannelEdit = "core_notificationchannel_edit",
        NotificationChannelDelete = "core_notificationchannel_delete",
    }
    GitopsCluster in ANYWHERE {
        GitopsClusterView = "gitops_cluster_view",
        GitopsClusterEdit = "gitops_cluster_edit",
        GitopsClusterDelete = "gitops_cluster_delete",
    }
    GitopsAgent in ANYWHERE {
        GitopsAgentView = "gitops_agent_view",
        GitopsAgentEdit = "gitops_agent_edit",
        GitopsAgentDelete = "gitops_agent_delete",
    }
    GitopsGpgKey in ANYWHERE {
        GitopsGpgKeyView = "gitops_gpgkey_view",
        GitopsGpgKeyEdit = "gitops_gpgkey_edit",
        GitopsGpgKeyDelete = "gitops_gpgkey_delete",
    }
    GitopsRepository in ANYWHERE {
        GitopsRepositoryView = "gitops_repository_view",
        GitopsRepositoryEdit = "gitops_repository_edit",
        GitopsRepositoryDelete = "gitops_repository_delete",
    }
    GitopsCert in ANYWHERE {
        GitopsCertView = "gitops_cert_view",
        GitopsCertEdit = "gitops_cert_edit",
        GitopsCertDelete = "gitops_cert_delete",
    }
    GitopsApplication in IN_PROJECT {
        GitopsApplicationView = "gitops_application_view",
        GitopsApplicationEdit = "gitops_application_edit",
        GitopsApplicationDelete = "gitops_application_delete",
        GitopsApplicationSync = "gitops_application_sync",
    }
}

impl Permission {
    /// Whether it only looks.
    pub fn is_view(self) -> bool {
        self.resource().view() == Some(self)
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Permission {
    type Err = UnknownPermission;

    /// Reads an identifier. `core_deploymentfreeze_manager`, as the vendor's documentation writes it, is understood too.
    fn from_str(text: &str) -> Result<Self, UnknownPermission> {
        if text == "core_deploymentfreeze_manager" {
            return Ok(Self::DeploymentFreezeManage);
        }
        Self::ALL.iter().copied().find(|one| one.name() == text).ok_or_else(|| UnknownPermission {
            text: text.to_owned(),
            near: nearest(text, Self::ALL.iter().map(|one| one.name())),
        })
    }
}

impl JsonSchema for Permission {
    fn schema_name() -> Cow<'static, str> {
        "Permission".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": Self::ALL.iter().map(|one| one.name()).collect::<Vec<_>>() })
    }
}

impl Serialize for Permission {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Permission {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
