use super::support::{anns, assignment, scope};
use serde_json::json;
use windlass_access::{Grants, Permission, ResourceGroup, Role};

#[test]
fn roles() {
    let role: Role =
        serde_json::from_value(json!({"identifier": "_mine", "permissions": [], "allowedScopeLevels": ["account"]}))
            .unwrap();
    insta::assert_snapshot!(role.check(&scope("acme")), @r"
    error ACL0001: `_mine` starts with `_`, which is kept for built-in roles at identifier
    warning ACL0002: the role has no permissions at permissions
    error ACL0003: a role saved in org:acme can be assigned there only at allowedScopeLevels (write `allowedScopeLevels: [organization]`, or leave it out)
    ");
    let misspelt = serde_json::from_value::<Role>(json!({"identifier": "r", "permissions": ["core_pipeline_exectue"]}));
    insta::assert_snapshot!(misspelt.unwrap_err(), @"there is no permission `core_pipeline_exectue`; did you mean `core_pipeline_execute`?");
    assert_eq!("core_deploymentfreeze_manager".parse(), Ok(Permission::DeploymentFreezeManage));
}

#[test]
fn resource_groups() {
    let group: ResourceGroup = serde_json::from_value(json!({
        "identifier": "g",
        "includedScopes": [{"orgIdentifier": "other"}, {"projectIdentifier": "pay"}, {"orgIdentifier": "acme", "filter": "INCLUDING_CHILD_SCOPES"}],
        "resourceFilter": {"resources": [
            {"resourceType": "PIPELINE", "identifiers": ["pay"]},
            {"resourceType": "ENVIRONMENT", "attributeFilter": {"attributeName": "category", "attributeValues": ["x"]}},
            {"resourceType": "SECRET", "attributeFilter": {"attributeName": "tags", "attributeValues": ["x"]}},
        ]},
    }))
    .unwrap();
    insta::assert_snapshot!(group.check(&scope("acme")), @r"
    error ACL0005: org:other lies outside of org:acme, where the group is saved at includedScopes[0]
    error ACL0004: a project is named without its organization at includedScopes[1] (add `orgIdentifier`)
    error ACL0007: single identifiers can be named in a group of its own scope only, without the scopes inside at resourceFilter.resources[0].identifiers (save the group in that scope with EXCLUDING_CHILD_SCOPES, or leave `identifiers` out)
    error ACL0008: `category` is no attribute of ENVIRONMENT; write type or tags or labels at resourceFilter.resources[1].attributeFilter
    error ACL0008: resources of type SECRET have no attributes to filter by at resourceFilter.resources[2].attributeFilter
    ");
    let empty: ResourceGroup = serde_json::from_value(json!({"identifier": "g"})).unwrap();
    insta::assert_snapshot!(empty.check(&scope("acme")), @"warning ACL0006: the group holds no resources at resourceFilter (write `includeAllResources: true`, or list `resources`)");
    let good: ResourceGroup = serde_json::from_value(json!({
        "identifier": "g", "includedScopes": [{"orgIdentifier": "acme"}], "resourceFilter": {"resources": [{"resourceType": "PIPELINE", "identifiers": ["pay"]}]},
    }))
    .unwrap();
    assert!(good.check(&scope("acme")).is_empty());
}

#[test]
fn assignments() {
    let grants = Grants::new();
    let wrong =
        assignment("_account_admin", "mine", json!({"type": "API_KEY", "identifier": "k", "scopeLevel": "project"}));
    insta::assert_snapshot!(wrong.check(&scope("acme"), &grants), @r"
    error ACL0010: role `_account_admin` cannot be assigned at organization level at roleIdentifier
    error ACL0011: resource group `mine` is neither built in for organization level nor saved in org:acme at resourceGroupIdentifier
    error ACL0012: an API key acts as its owner and holds no roles itself at principal.type (assign the role to the user or service account)
    error ACL0013: the principal lies in a narrower scope than the assignment at principal.scopeLevel
    ");
    assert!(
        anns("_organization_viewer", "_all_organization_level_resources").check(&scope("acme"), &grants).is_empty()
    );
}
