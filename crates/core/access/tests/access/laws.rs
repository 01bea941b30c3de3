use super::support::{ann, anns, id, scope};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;
use windlass_access::{
    AttributeFilter, Filter, Grants, GroupId, IncludedScope, Permission, PrincipalRef, Resource, ResourceFilter,
    ResourceGroup, ResourceSelector, ResourceType, Role, RoleAssignment, ScopeLevel, decide,
};
use windlass_model::Scope;

const SCOPES: [&str; 6] = ["account", "acme", "acme/pay", "acme/shop", "other", "other/pay"];

fn place() -> impl Strategy<Value = Scope> {
    proptest::sample::select(&SCOPES[..]).prop_map(scope)
}

fn kind() -> impl Strategy<Value = ResourceType> {
    proptest::sample::select(vec![ResourceType::Pipeline, ResourceType::Environment, ResourceType::Secret])
}

fn permission() -> impl Strategy<Value = Permission> {
    let all: Vec<_> = Permission::ALL
        .iter()
        .copied()
        .filter(|p| matches!(p.resource(), ResourceType::Pipeline | ResourceType::Environment | ResourceType::Secret))
        .collect();
    proptest::sample::select(all)
}

fn resource(permission: Permission) -> impl Strategy<Value = Resource> {
    (place(), proptest::option::of(proptest::sample::select(vec!["pay", "shop"])), any::<bool>()).prop_map(
        move |(scope, name, tagged)| {
            let resource = Resource { id: name.map(id), ..Resource::any(permission.resource(), scope) };
            if tagged { resource.with("tags", ["team"]) } else { resource }
        },
    )
}

fn asked() -> impl Strategy<Value = (Permission, Resource)> {
    permission().prop_flat_map(|permission| resource(permission).prop_map(move |resource| (permission, resource)))
}

/// One thing that can be added to grants.
#[derive(Clone, Debug)]
enum Grant {
    Role(Scope, BTreeSet<Permission>),
    Group(Scope, ResourceGroup),
    Assignment(Scope, RoleAssignment),
    Member(Scope),
}

fn group() -> impl Strategy<Value = ResourceGroup> {
    let included = proptest::collection::vec((place(), any::<bool>()), 0..3);
    let selector = (kind(), any::<bool>(), any::<bool>()).prop_map(|(resource_type, by_id, by_tag)| ResourceSelector {
        resource_type,
        identifiers: by_id.then(|| BTreeSet::from([id("pay")])),
        attribute_filter: by_tag.then(|| AttributeFilter {
            attribute_name: "tags".into(),
            attribute_values: BTreeSet::from(["team".to_owned()]),
        }),
    });
    (included, any::<bool>(), proptest::collection::vec(selector, 0..3)).prop_map(|(included, all, resources)| {
        ResourceGroup {
            identifier: id("g"),
            name: String::new(),
            description: String::new(),
            allowed_scope_levels: BTreeSet::new(),
            included_scopes: included
                .into_iter()
                .map(|(scope, deep)| {
                    IncludedScope::new(
                        &scope,
                        if deep { Filter::IncludingChildScopes } else { Filter::ExcludingChildScopes },
                    )
                })
                .collect(),
            resource_filter: ResourceFilter { include_all_resources: all, resources },
        }
    })
}

fn grant() -> impl Strategy<Value = Grant> {
    let roles = vec!["r", "_account_admin", "_organization_admin", "_project_viewer", "_pipeline_executor"];
    let groups = vec![
        "g",
        "_all_resources_including_child_scopes",
        "_all_account_level_resources",
        "_all_project_level_resources",
    ];
    let assignment = (place(), proptest::sample::select(roles), proptest::sample::select(groups), 0..3).prop_map(
        |(scope, role, group, who)| {
            let mut assignment = anns(role, group);
            match who {
                0 => {}
                1 => assignment.principal = PrincipalRef::group("team", ScopeLevel::Account),
                _ => assignment.principal = PrincipalRef::user("bob"),
            }
            Grant::Assignment(scope, assignment)
        },
    );
    prop_oneof![
        1 => (place(), proptest::collection::btree_set(permission(), 0..4)).prop_map(|(scope, permissions)| Grant::Role(scope, permissions)),
        1 => (place(), group()).prop_map(|(scope, group)| Grant::Group(scope, group)),
        3 => assignment,
        1 => Just(Grant::Member(Scope::Account)),
    ]
}

fn add(grants: &mut Grants, grant: &Grant) {
    match grant.clone() {
        Grant::Role(scope, permissions) => {
            let role: Role = serde_json::from_value(json!({"identifier": "r"})).unwrap();
            grants.role(scope, Role { permissions, ..role });
        }
        Grant::Group(scope, group) => {
            grants.resource_group(scope, group);
        }
        Grant::Assignment(scope, assignment) => {
            grants.assign(scope, assignment);
        }
        Grant::Member(scope) => {
            grants.member(ann(), GroupId { scope, identifier: id("team") });
        }
    }
}

fn all(list: &[Grant]) -> Grants {
    let mut grants = Grants::new();
    list.iter().for_each(|grant| add(&mut grants, grant));
    grants
}

/// Saved definitions stay; an addition is an assignment or a membership.
fn addition() -> impl Strategy<Value = Grant> {
    grant().prop_filter("an addition", |grant| matches!(grant, Grant::Assignment(..) | Grant::Member(_)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn adding_a_grant_never_takes_access_away(list in proptest::collection::vec(grant(), 0..12), more in addition(), (permission, resource) in asked()) {
        let mut grants = all(&list);
        let before = decide(&grants, &ann(), permission, &resource).allowed;
        add(&mut grants, &more);
        prop_assert!(!before || decide(&grants, &ann(), permission, &resource).allowed);
    }

    #[test]
    fn nothing_reaches_out_of_the_scope_it_was_assigned_in(list in proptest::collection::vec(grant(), 0..12), (permission, resource) in asked()) {
        let inside = list.iter().any(|grant| matches!(grant, Grant::Assignment(scope, _) if scope.contains(&resource.scope)));
        let allowed = decide(&all(&list), &ann(), permission, &resource).allowed;
        prop_assert!(inside || !allowed);
    }

    #[test]
    fn assignments_elsewhere_make_no_difference(list in proptest::collection::vec(grant(), 0..12), (permission, resource) in asked()) {
        let near: Vec<_> = list
            .iter()
            .filter(|grant| !matches!(grant, Grant::Assignment(scope, _) if !scope.contains(&resource.scope)))
            .cloned()
            .collect();
        let with = decide(&all(&list), &ann(), permission, &resource).allowed;
        prop_assert_eq!(with, decide(&all(&near), &ann(), permission, &resource).allowed);
    }

    #[test]
    fn what_is_granted_names_an_assignment_that_alone_suffices(list in proptest::collection::vec(grant(), 0..12), (permission, resource) in asked()) {
        if let windlass_access::Because::Granted(granted) = decide(&all(&list), &ann(), permission, &resource).because {
            let alone: Vec<_> = list
                .iter()
                .filter(|grant| !matches!(grant, Grant::Assignment(scope, one) if *scope != granted.scope || one.identifier != granted.assignment))
                .cloned()
                .collect();
            prop_assert!(decide(&all(&alone), &ann(), permission, &resource).allowed);
        }
    }
}
