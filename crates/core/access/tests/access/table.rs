//! The built-in roles against all permissions, for a person to read.

use windlass_access::{Permission, ResourceType, builtin_roles};

const ROLES: [&str; 11] = [
    "_account_admin",
    "_account_viewer",
    "_account_basic",
    "_organization_admin",
    "_organization_viewer",
    "_organization_basic",
    "_project_admin",
    "_project_viewer",
    "_project_basic",
    "_pipeline_executor",
    "_gitops_admin",
];

#[test]
fn builtin_roles_and_their_permissions() {
    assert_eq!(builtin_roles().len(), ROLES.len());
    let roles = ROLES.map(|name| builtin_roles().iter().find(|(id, _)| id.as_str() == name).unwrap().1);
    let mut lines = vec![format!("{:34} acct.      org.       project    exec gitops", "")];
    for permission in Permission::ALL {
        let marks: Vec<_> =
            roles.iter().map(|role| if role.permissions.contains(permission) { "x" } else { "." }).collect();
        let [a, b, c] = [&marks[0..3], &marks[3..6], &marks[6..9]].map(|three| three.join("  "));
        lines.push(format!("{:34} {a}    {b}    {c}    {}    {}", permission.name(), marks[9], marks[10]));
    }
    insta::assert_snapshot!(lines.join("\n"), @r"
                                       acct.      org.       project    exec gitops
    core_pipeline_view                 x  x  .    x  x  .    x  x  .    x    .
    core_pipeline_edit                 x  .  .    x  .  .    x  .  .    .    .
    core_pipeline_delete               x  .  .    x  .  .    x  .  .    .    .
    core_pipeline_execute              x  .  .    x  .  .    x  .  .    x    .
    core_pipeline_abort                x  .  .    x  .  .    x  .  .    .    .
    core_inputset_view                 x  x  .    x  x  .    x  x  .    .    .
    core_inputset_edit                 x  .  .    x  .  .    x  .  .    .    .
    core_inputset_delete               x  .  .    x  .  .    x  .  .    .    .
    core_service_view                  x  x  .    x  x  .    x  x  .    x    .
    core_service_edit                  x  .  .    x  .  .    x  .  .    .    .
    core_service_delete                x  .  .    x  .  .    x  .  .    .    .
    core_service_access                x  .  .    x  .  .    x  .  .    x    .
    core_environment_view              x  x  .    x  x  .    x  x  .    x    .
    core_environment_edit              x  .  .    x  .  .    x  .  .    .    .
    core_environment_delete            x  .  .    x  .  .    x  .  .    .    .
    core_environment_access            x  .  .    x  .  .    x  .  .    x    .
    core_environment_rollback          x  .  .    x  .  .    x  .  .    .    .
    core_environmentgroup_view         x  x  .    x  x  .    x  x  .    .    .
    core_environmentgroup_edit         x  .  .    x  .  .    x  .  .    .    .
    core_environmentgroup_delete       x  .  .    x  .  .    x  .  .    .    .
    core_environmentgroup_access       x  .  .    x  .  .    x  .  .    .    .
    core_template_view                 x  x  .    x  x  .    x  x  .    x    .
    core_template_edit                 x  .  .    x  .  .    x  .  .    .    .
    core_template_delete               x  .  .    x  .  .    x  .  .    .    .
    core_template_access               x  .  .    x  .  .    x  .  .    x    .
    core_template_copy                 x  .  .    x  .  .    x  .  .    .    .
    core_connector_view                x  x  .    x  x  .    x  x  .    x    .
    core_connector_edit                x  .  .    x  .  .    x  .  .    .    .
    core_connector_delete              x  .  .    x  .  .    x  .  .    .    .
    core_connector_access              x  .  .    x  .  .    x  .  .    x    .
    core_secret_view                   x  x  .    x  x  .    x  x  .    x    .
    core_secret_edit                   x  .  .    x  .  .    x  .  .    .    .
    core_secret_delete                 x  .  .    x  .  .    x  .  .    .    .
    core_secret_access                 x  .  .    x  .  .    x  .  .    x    .
    core_file_view                     x  x  .    x  x  .    x  x  .    .    .
    core_file_edit                     x  .  .    x  .  .    x  .  .    .    .
    core_file_delete                   x  .  .    x  .  .    x  .  .    .    .
    core_file_access                   x  .  .    x  .  .    x  .  .    .    .
    core_variable_view                 x  x  .    x  x  .    x  x  .    .    .
    core_variable_edit                 x  .  .    x  .  .    x  .  .    .    .
    core_variable_delete               x  .  .    x  .  .    x  .  .    .    .
    core_deploymentfreeze_manage       x  .  .    x  .  .    x  .  .    .    .
    core_deploymentfreeze_override     x  .  .    x  .  .    x  .  .    .    .
    core_deploymentfreeze_global       x  .  .    x  .  .    x  .  .    .    .
    core_delegate_view                 x  x  .    x  x  .    x  x  .    .    .
    core_delegate_edit                 x  .  .    x  .  .    x  .  .    .    .
    core_delegate_delete               x  .  .    x  .  .    x  .  .    .    .
    core_delegateconfiguration_view    x  x  .    x  x  .    x  x  .    .    .
    core_delegateconfiguration_edit    x  .  .    x  .  .    x  .  .    .    .
    core_delegateconfiguration_delete  x  .  .    x  .  .    x  .  .    .    .
    core_governancePolicy_view         x  x  .    x  x  .    x  x  .    .    .
    core_governancePolicy_edit         x  .  .    x  .  .    x  .  .    .    .
    core_governancePolicy_create       x  .  .    x  .  .    x  .  .    .    .
    core_governancePolicy_delete       x  .  .    x  .  .    x  .  .    .    .
    core_governancePolicySets_view     x  x  .    x  x  .    x  x  .    .    .
    core_governancePolicySets_edit     x  .  .    x  .  .    x  .  .    .    .
    core_governancePolicySets_create   x  .  .    x  .  .    x  .  .    .    .
    core_governancePolicySets_delete   x  .  .    x  .  .    x  .  .    .    .
    core_governancePolicySets_evaluate x  .  .    x  .  .    x  .  .    .    .
    core_resourcegroup_view            x  x  x    x  x  x    x  x  x    x    .
    core_resourcegroup_edit            x  .  .    x  .  .    x  .  .    .    .
    core_resourcegroup_delete          x  .  .    x  .  .    x  .  .    .    .
    core_role_view                     x  x  x    x  x  x    x  x  x    x    .
    core_role_edit                     x  .  .    x  .  .    x  .  .    .    .
    core_role_delete                   x  .  .    x  .  .    x  .  .    .    .
    core_usergroup_view                x  x  x    x  x  x    x  x  x    x    .
    core_usergroup_manage              x  .  .    x  .  .    x  .  .    .    .
    core_user_view                     x  x  x    x  x  x    x  x  x    x    .
    core_user_manage                   x  .  .    x  .  .    x  .  .    .    .
    core_user_invite                   x  .  .    x  .  .    x  .  .    .    .
    core_serviceaccount_view           x  x  .    x  x  .    x  x  .    .    .
    core_serviceaccount_edit           x  .  .    x  .  .    x  .  .    .    .
    core_serviceaccount_delete         x  .  .    x  .  .    x  .  .    .    .
    core_serviceaccount_manageapikey   x  .  .    x  .  .    x  .  .    .    .
    core_project_create                x  .  .    x  .  .    .  .  .    .    .
    core_project_view                  x  x  .    x  x  .    x  x  x    x    .
    core_project_edit                  x  .  .    x  .  .    x  .  .    .    .
    core_project_delete                x  .  .    x  .  .    x  .  .    .    .
    core_organization_view             x  x  .    x  x  x    .  .  .    .    .
    core_organization_create           x  .  .    x  .  .    .  .  .    .    .
    core_organization_edit             x  .  .    x  .  .    .  .  .    .    .
    core_organization_delete           x  .  .    x  .  .    .  .  .    .    .
    core_setting_view                  x  x  .    x  x  .    x  x  .    .    .
    core_setting_edit                  x  .  .    x  .  .    x  .  .    .    .
    core_authsetting_view              x  x  .    .  .  .    .  .  .    .    .
    core_authsetting_edit              x  .  .    .  .  .    .  .  .    .    .
    core_authsetting_delete            x  .  .    .  .  .    .  .  .    .    .
    core_audit_view                    x  x  .    x  x  .    x  x  .    .    .
    core_streamingDestination_view     x  x  .    .  .  .    .  .  .    .    .
    core_streamingDestination_edit     x  .  .    .  .  .    .  .  .    .    .
    core_streamingDestination_delete   x  .  .    .  .  .    .  .  .    .    .
    core_notificationrule_view         x  x  .    x  x  .    x  x  .    .    .
    core_notificationrule_edit         x  .  .    x  .  .    x  .  .    .    .
    core_notificationrule_delete       x  .  .    x  .  .    x  .  .    .    .
    core_notificationchannel_view      x  x  .    x  x  .    x  x  .    .    .
    core_notificationchannel_edit      x  .  .    x  .  .    x  .  .    .    .
    core_notificationchannel_delete    x  .  .    x  .  .    x  .  .    .    .
    gitops_cluster_view                x  x  .    x  x  .    x  x  .    .    x
    gitops_cluster_edit                x  .  .    x  .  .    x  .  .    .    x
    gitops_cluster_delete              x  .  .    x  .  .    x  .  .    .    x
    gitops_agent_view                  x  x  .    x  x  .    x  x  .    .    x
    gitops_agent_edit                  x  .  .    x  .  .    x  .  .    .    x
    gitops_agent_delete                x  .  .    x  .  .    x  .  .    .    x
    gitops_gpgkey_view                 x  x  .    x  x  .    x  x  .    .    x
    gitops_gpgkey_edit                 x  .  .    x  .  .    x  .  .    .    x
    gitops_gpgkey_delete               x  .  .    x  .  .    x  .  .    .    x
    gitops_repository_view             x  x  .    x  x  .    x  x  .    .    x
    gitops_repository_edit             x  .  .    x  .  .    x  .  .    .    x
    gitops_repository_delete           x  .  .    x  .  .    x  .  .    .    x
    gitops_cert_view                   x  x  .    x  x  .    x  x  .    .    x
    gitops_cert_edit                   x  .  .    x  .  .    x  .  .    .    x
    gitops_cert_delete                 x  .  .    x  .  .    x  .  .    .    x
    gitops_application_view            x  x  .    x  x  .    x  x  .    .    x
    gitops_application_edit            x  .  .    x  .  .    x  .  .    .    x
    gitops_application_delete          x  .  .    x  .  .    x  .  .    .    x
    gitops_application_sync            x  .  .    x  .  .    x  .  .    .    x
    ");
}

#[test]
fn identifiers_are_unique_and_read_back() {
    for (index, permission) in Permission::ALL.iter().enumerate() {
        assert_eq!(permission.name().parse(), Ok(*permission));
        assert!(Permission::ALL[index + 1..].iter().all(|other| other.name() != permission.name()));
        assert!(!permission.levels().is_empty());
    }
}

#[test]
fn every_type_but_these_can_be_hidden() {
    let open: Vec<_> = ResourceType::ALL.iter().filter(|kind| kind.view().is_none()).map(|kind| kind.name()).collect();
    assert_eq!(open, ["ACCOUNT", "DEPLOYMENTFREEZE", "DB_SCHEMA", "DB_INSTANCE"]);
    for kind in ResourceType::ALL {
        assert!(kind.view().is_none_or(|view| view.resource() == *kind), "{kind}");
    }
}
