use super::support::{ann, anns, assignment, id, may, resource, scope, why};
use serde_json::{Value as Json, json};
use windlass_access::{Grants, GroupId, Permission, Principal, Resource, ResourceGroup, ResourceType, Role, decide};

fn role(identifier: &str, permissions: &[&str]) -> Role {
    serde_json::from_value(json!({"identifier": identifier, "permissions": permissions})).unwrap()
}

fn group(identifier: &str, included: Json, filter: Json) -> ResourceGroup {
    serde_json::from_value(json!({"identifier": identifier, "includedScopes": included, "resourceFilter": filter}))
        .unwrap()
}

/// How far built-in groups reach from where they are assigned.
#[test]
fn reach_of_builtin_groups() {
    for (at, group, reached) in [
        ("account", "_all_account_level_resources", vec!["account"]),
        (
            "account",
            "_all_resources_including_child_scopes",
            vec!["account", "acme", "acme/pay", "acme/shop", "other", "other/x"],
        ),
        ("acme", "_all_organization_level_resources", vec!["acme"]),
        ("acme", "_all_resources_including_child_scopes", vec!["acme", "acme/pay", "acme/shop"]),
        ("acme/pay", "_all_project_level_resources", vec!["acme/pay"]),
        // Not for this level.
        ("acme/pay", "_all_resources_including_child_scopes", vec![]),
        ("acme", "_all_account_level_resources", vec![]),
        ("account", "_all_project_level_resources", vec![]),
    ] {
        let admin = match at {
            "account" => "_account_admin",
            "acme" => "_organization_admin",
            _ => "_project_admin",
        };
        let mut grants = Grants::new();
        grants.assign(scope(at), anns(admin, group));
        let found: Vec<_> = ["account", "acme", "acme/pay", "acme/shop", "other", "other/x"]
            .into_iter()
            .filter(|place| may(&grants, Permission::SecretView, &resource(ResourceType::Secret, "s", place)))
            .collect();
        assert_eq!(found, reached, "{group} at {at}");
    }
}

#[test]
fn custom_groups_select_by_type_identifier_and_attribute() {
    let all = |included: Json| group("g", included, json!({"includeAllResources": true}));
    let own = json!([]);
    let prod = json!({"resources": [{"resourceType": "ENVIRONMENT", "attributeFilter": {"attributeName": "type", "attributeValues": ["Production"]}}]});
    let named = json!({"resources": [{"resourceType": "PIPELINE", "identifiers": ["pay", "shop"]}]});
    let environment = |kind: &str| resource(ResourceType::Environment, "e", "acme/pay").with("type", [kind]);
    let pipeline = |name| resource(ResourceType::Pipeline, name, "acme/pay");
    let edit = Permission::PipelineEdit;
    for (at, group, permission, resource, allowed) in [
        ("acme/pay", all(own.clone()), edit, pipeline("x"), true),
        ("acme", all(own.clone()), edit, pipeline("x"), false),
        ("acme", all(json!([{"orgIdentifier": "acme", "projectIdentifier": "pay"}])), edit, pipeline("x"), true),
        ("acme", all(json!([{"orgIdentifier": "acme", "projectIdentifier": "shop"}])), edit, pipeline("x"), false),
        (
            "acme",
            all(json!([{"orgIdentifier": "acme", "filter": "INCLUDING_CHILD_SCOPES"}])),
            edit,
            pipeline("x"),
            true,
        ),
        ("account", all(json!([{"filter": "INCLUDING_CHILD_SCOPES"}])), edit, pipeline("x"), true),
        ("account", all(json!([{}])), edit, pipeline("x"), false),
        // A group of a project cannot reach its neighbour, whatever it says.
        ("acme/shop", all(json!([{"orgIdentifier": "acme", "projectIdentifier": "pay"}])), edit, pipeline("x"), false),
        ("acme/shop", all(json!([{"filter": "INCLUDING_CHILD_SCOPES"}])), edit, pipeline("x"), false),
        ("acme/pay", group("g", own.clone(), named.clone()), edit, pipeline("pay"), true),
        ("acme/pay", group("g", own.clone(), named.clone()), edit, pipeline("x"), false),
        // To create or list pipelines, a list of identifiers is not enough.
        (
            "acme/pay",
            group("g", own.clone(), named.clone()),
            edit,
            Resource::any(ResourceType::Pipeline, scope("acme/pay")),
            false,
        ),
        ("acme/pay", all(own.clone()), edit, Resource::any(ResourceType::Pipeline, scope("acme/pay")), true),
        (
            "acme",
            group("g", json!([{"orgIdentifier": "acme", "filter": "INCLUDING_CHILD_SCOPES"}]), named),
            edit,
            pipeline("pay"),
            false,
        ),
        (
            "acme/pay",
            group("g", own.clone(), prod.clone()),
            Permission::EnvironmentEdit,
            environment("Production"),
            true,
        ),
        (
            "acme/pay",
            group("g", own.clone(), prod.clone()),
            Permission::EnvironmentEdit,
            environment("PreProduction"),
            false,
        ),
        ("acme/pay", group("g", own.clone(), prod), edit, pipeline("pay"), false),
        ("acme/pay", group("g", own, json!({})), edit, pipeline("pay"), false),
    ] {
        let mut grants = Grants::new();
        grants.role(scope(at), role("r", &["core_pipeline_edit", "core_environment_edit"]));
        grants.resource_group(scope(at), group.clone());
        grants.assign(scope(at), anns("r", "g"));
        assert_eq!(may(&grants, permission, &resource), allowed, "{at} {group:?} {resource}");
    }
}

#[test]
fn decisions_say_why() {
    let pipeline = resource(ResourceType::Pipeline, "pay", "acme/pay");
    let ask = |grants: &Grants| why(grants, Permission::PipelineExecute, &pipeline);
    let mut grants = Grants::new();
    insta::assert_snapshot!(ask(&grants), @"no role is assigned");
    grants.assign(scope("acme/shop"), anns("_project_admin", "_all_project_level_resources"));
    insta::assert_snapshot!(ask(&grants), @"the resource groups of project_admin_over__all_project_level_resources do not cover this");
    grants.assign(scope("acme/pay"), anns("_project_viewer", "_all_project_level_resources"));
    insta::assert_snapshot!(ask(&grants), @"the permission is in none of the roles _project_viewer");
    let everybody = json!({"type": "USER_GROUP", "identifier": "payments", "scopeLevel": "organization"});
    grants.assign(scope("acme/pay"), assignment("_pipeline_executor", "_all_project_level_resources", everybody));
    insta::assert_snapshot!(ask(&grants), @"the permission is in none of the roles _project_viewer");
    grants.member(ann(), GroupId { scope: scope("acme"), identifier: id("payments") });
    insta::assert_snapshot!(ask(&grants), @"role _pipeline_executor over _all_project_level_resources by assignment pipeline_executor_over__all_project_level_resources of project:acme/pay through group payments of org:acme");
    let wrong = decide(&grants, &ann(), Permission::SecretView, &pipeline);
    insta::assert_snapshot!(wrong.because, @"the permission is about SECRET");
    assert!(!wrong.allowed);
}

#[test]
fn groups_and_accounts_are_known_by_their_scope() {
    let secret = resource(ResourceType::Secret, "s", "acme/pay");
    let mut grants = Grants::new();
    // The group of the same name in another scope is another group.
    grants.member(ann(), GroupId { scope: scope("acme"), identifier: id("ops") });
    let ops = |level: &str| json!({"type": "USER_GROUP", "identifier": "ops", "scopeLevel": level});
    grants.assign(scope("acme/pay"), assignment("_project_admin", "_all_project_level_resources", ops("project")));
    assert!(!may(&grants, Permission::SecretView, &secret));
    grants.assign(scope("acme/pay"), assignment("_project_admin", "_all_project_level_resources", ops("organization")));
    assert!(may(&grants, Permission::SecretView, &secret));

    let robot = |at: &str| Principal::service_account(scope(at), id("robot"));
    let mut grants = Grants::new();
    let account = json!({"type": "SERVICE_ACCOUNT", "identifier": "robot"});
    grants.assign(scope("acme/pay"), assignment("_project_admin", "_all_project_level_resources", account));
    assert!(decide(&grants, &robot("acme/pay"), Permission::SecretView, &secret).allowed);
    assert!(!decide(&grants, &robot("acme"), Permission::SecretView, &secret).allowed);
    assert!(!decide(&grants, &Principal::user("robot"), Permission::SecretView, &secret).allowed);
}

#[test]
fn everybody_is_every_user_and_no_service_account() {
    let mut grants = Grants::new();
    let all = json!({"type": "USER_GROUP", "identifier": "_account_all_users", "scopeLevel": "account"});
    grants.assign(scope("account"), assignment("_account_basic", "_all_account_level_resources", all));
    let users = Resource::any(ResourceType::User, scope("account"));
    assert!(may(&grants, Permission::UserView, &users));
    let robot = Principal::service_account(scope("account"), id("robot"));
    assert!(!decide(&grants, &robot, Permission::UserView, &users).allowed);
}

#[test]
fn disabled_and_misplaced_assignments_grant_nothing() {
    let secret = resource(ResourceType::Secret, "s", "acme/pay");
    let mut disabled = anns("_project_admin", "_all_project_level_resources");
    disabled.disabled = true;
    for assignment in [
        disabled,
        anns("_account_admin", "_all_project_level_resources"),
        anns("no_such_role", "_all_project_level_resources"),
        anns("_project_admin", "no_such_group"),
        assignment("_project_admin", "_all_project_level_resources", json!({"type": "API_KEY", "identifier": "ann"})),
    ] {
        let mut grants = Grants::new();
        grants.assign(scope("acme/pay"), assignment.clone());
        assert!(!may(&grants, Permission::SecretView, &secret), "{assignment:?}");
    }
    // A custom role is known in the scope it was saved in.
    let mut grants = Grants::new();
    grants
        .role(scope("acme"), role("r", &["core_secret_view"]))
        .assign(scope("acme/pay"), anns("r", "_all_project_level_resources"));
    assert!(!may(&grants, Permission::SecretView, &secret));
}
