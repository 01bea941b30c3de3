use super::support::at;
use serde_json::{Value as Json, json};
use windlass_policy::input::{
    EntityRef, Metadata, Project, RefKind, Selectors, User, UserGroup, entity, expand, payload, pipeline, step,
};
use windlass_policy::{Action, PolicyType};

fn metadata() -> Metadata {
    Metadata {
        kind: PolicyType::Pipeline,
        action: Action::OnRun,
        timestamp: 1_772_460_000,
        principal_identifier: "ann@acme.test".into(),
        principal_type: "USER".into(),
        user: Some(User { uuid: "u1".into(), name: "Ann".into(), email: "ann@acme.test".into(), ..User::default() }),
        user_groups: vec![UserGroup {
            identifier: "payments".into(),
            name: "Payments".into(),
            users: vec!["u1".into()],
        }],
        role_assignment_metadata: vec![],
        project_metadata: Some(Project { identifier: "platform".into(), ..Project::default() }),
    }
}

fn find(reference: EntityRef<'_>) -> Option<Json> {
    match (reference.kind, reference.reference, reference.environment) {
        (RefKind::Environment, "prod", _) => Some(json!({"identifier": "prod", "type": "Production"})),
        (RefKind::Service, "pay", _) => Some(json!({"identifier": "pay"})),
        (RefKind::Connector, "account.git", _) => Some(json!({"identifier": "git", "type": "Github"})),
        (RefKind::Infrastructure, "euw1", Some("prod")) => {
            Some(json!({"identifier": "euw1", "type": "KubernetesDirect"}))
        }
        _ => None,
    }
}

#[test]
fn pipelines_show_what_they_refer_to() {
    let written = json!({"stages": [
        {"stage": {"type": "Deployment", "spec": {
            "service": {"serviceRef": "pay"},
            "environment": {"environmentRef": "prod", "infrastructureDefinitions": [{"identifier": "euw1"}, {"identifier": "<+input>"}]},
            "execution": {"steps": [{"step": {"type": "Http", "spec": {"connectorRef": "account.git"}}}]},
        }}},
        {"stage": {"type": "Deployment", "spec": {"environment": {"environmentRef": "<+pipeline.variables.env>"}, "service": {"serviceRef": "missing"}}}},
    ]});
    let document = pipeline(expand(&written, &find), &metadata(), at("2026-03-02T14:00:00Z"));
    let expected = json!({"stages": [
        {"stage": {"type": "Deployment", "spec": {
            "service": {"serviceRef": "pay", "service": {"identifier": "pay"}},
            "environment": {
                "environmentRef": "prod",
                "environment": {"identifier": "prod", "type": "Production"},
                "infrastructureDefinitions": [
                    {"identifier": "euw1", "infrastructure": {"identifier": "euw1", "type": "KubernetesDirect"}},
                    {"identifier": "<+input>"},
                ],
            },
            "infrastructure": {"environment": {"identifier": "prod", "type": "Production"}},
            "execution": {"steps": [{"step": {"type": "Http", "spec": {
                "connectorRef": "account.git",
                "connector": {"identifier": "git", "type": "Github"},
            }}}]},
        }}},
        {"stage": {"type": "Deployment", "spec": {
            "environment": {"environmentRef": "<+pipeline.variables.env>"}, "service": {"serviceRef": "missing"},
        }}},
    ]});
    assert_eq!(document["pipeline"], expected);
    assert_eq!((&document["action"], &document["date"]), (&Json::Null, &json!("2026-03-02T14:00:00.000Z")));
    let expected = json!({
        "type": "pipeline", "action": "onrun", "timestamp": 1_772_460_000,
        "principalIdentifier": "ann@acme.test", "principalType": "USER",
        "user": {
            "uuid": "u1", "name": "Ann", "email": "ann@acme.test",
            "disabled": false, "locked": false, "externallyManaged": false,
        },
        "userGroups": [{"identifier": "payments", "name": "Payments", "users": ["u1"]}],
        "roleAssignmentMetadata": [],
        "projectMetadata": {
            "identifier": "platform", "name": "", "orgIdentifier": "", "modules": [], "tags": {}, "description": "",
        },
    });
    assert_eq!(document["metadata"], expected);
}

#[test]
fn what_the_author_wrote_is_not_replaced() {
    let written = json!({"connectorRef": "account.git", "connector": "mine"});
    assert_eq!(expand(&written, &find), written);
}

#[test]
fn steps_stand_at_the_root() {
    let resolved = json!({"identifier": "s", "name": "S", "type": "Http", "timeout": "10s", "when": {}, "spec": {"url": "x", "delegateSelectors": ["a"]}});
    let selectors = [Selectors { delegate_selectors: vec!["a".into()], origin: "step".into() }];
    let mut document = step(&resolved, "uuid-1", &selectors, &metadata());
    assert!(document["metadata"].is_object());
    document.as_object_mut().unwrap().remove("metadata");
    assert_eq!(
        document,
        json!({
            "identifier": "s", "name": "S", "type": "Http", "timeout": "10s", "uuid": "uuid-1",
            "spec": {"url": "x", "delegateSelectors": [{"delegateSelectors": ["a"], "origin": "step"}]},
        })
    );
}

#[test]
fn payloads_are_the_root_themselves() {
    let read = |text: &str| payload(text, &metadata());
    let object = read(r#"{"version": "1.2"}"#).unwrap();
    assert_eq!((&object["version"], object["metadata"]["principalType"].as_str()), (&json!("1.2"), Some("USER")));
    assert_eq!(read(r#"{"metadata": 1}"#).unwrap(), json!({"metadata": 1}));
    assert_eq!(read("[1]").unwrap(), json!([1]));
    assert_eq!(read("3").unwrap(), json!(3));
    let error = read("{\n  \"a\": <+x>\n}").unwrap_err();
    assert_eq!((error.line, error.column), (2, 8));
}

#[test]
fn entities_have_two_names() {
    for (kind, alias) in
        [(PolicyType::Connector, "connector"), (PolicyType::Secret, "secret"), (PolicyType::Service, "serviceEntity")]
    {
        let document = entity(kind, json!({"type": "Github"}), &metadata());
        assert_eq!((&document["entity"], &document[alias]), (&json!({"type": "Github"}), &json!({"type": "Github"})));
    }
}
