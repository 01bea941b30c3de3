use super::support::{at, compiled};
use serde_json::json;
use windlass_model::{FailureType, Scope, ScopedRef};
use windlass_policy::{
    Action, ActivePolicy, ActiveSet, Governance, Limits, NamedSet, PolicySet, PolicyType, PolicyUse, Question,
    Severity, Status, govern, select, step_outcome, step_sets,
};

fn project() -> Scope {
    Scope::Project { org: "default".parse().unwrap(), project: "platform".parse().unwrap() }
}

fn set(id: &str, kind: PolicyType, action: Action) -> PolicySet {
    PolicySet { identifier: id.parse().unwrap(), name: String::new(), kind, action, enabled: true, policies: vec![] }
}

fn used(id: &str, severity: Severity) -> PolicyUse {
    PolicyUse { identifier: ScopedRef::parse(id).unwrap(), severity }
}

/// One set of the project with policies given by severity and text; `None` is a policy that does not exist.
fn answer(policies: &[(Severity, Option<&str>)]) -> Governance {
    let compiled: Vec<_> =
        policies.iter().map(|(_, rego)| rego.map(|rego| compiled(&format!("package p\n{rego}")))).collect();
    let uses: Vec<_> =
        policies.iter().enumerate().map(|(i, (severity, _))| used(&format!("account.p{i}"), *severity)).collect();
    let active = uses
        .iter()
        .zip(&compiled)
        .map(|(used, policy)| ActivePolicy { used, name: "", compiled: policy.as_ref().ok_or("it does not exist") })
        .collect();
    let (set, scope) = (set("rules", PolicyType::Pipeline, Action::OnRun), project());
    govern(
        &[ActiveSet { set: &set, scope: &scope, policies: active }],
        &Question {
            id: "eval_1",
            now: at("2026-03-02T14:00:00Z"),
            account: "acme",
            scope: &scope,
            entity: "payment_service",
            kind: PolicyType::Pipeline,
            action: Action::OnRun,
            input: &json!({"a": 1}),
            limits: Limits::default(),
        },
    )
}

const YES: &str = "deny contains \"because\" if input.a == 1";
const NO: &str = "deny if input.a == 2";

#[test]
fn the_worst_answer_wins() {
    use Severity::{Error, Warning};
    let broken = "deny if { x := {1: 2, 1: input.a}[_]; x } \na := 1\na := 2\ndeny if a == 1";
    for (policies, status, deny) in [
        (vec![], Status::Pass, false),
        (vec![(Error, Some(NO))], Status::Pass, false),
        (vec![(Warning, Some(YES))], Status::Warning, false),
        (vec![(Error, Some(YES))], Status::Error, true),
        (vec![(Warning, Some(YES)), (Error, Some(NO))], Status::Warning, false),
        (vec![(Warning, Some(YES)), (Error, Some(YES))], Status::Error, true),
        (vec![(Error, None)], Status::Error, true),
        (vec![(Warning, None)], Status::Warning, false),
        (vec![(Error, Some(broken))], Status::Error, true),
        (vec![(Warning, Some(broken))], Status::Warning, false),
    ] {
        let answer = answer(&policies);
        assert_eq!((answer.status, answer.deny), (status, deny), "{policies:?}: {}", answer.message);
    }
}

#[test]
fn the_metadata_has_the_known_form() {
    let answer = answer(&[(Severity::Error, Some(YES)), (Severity::Warning, None), (Severity::Error, Some(NO))]);
    insta::assert_snapshot!(serde_json::to_string_pretty(&answer).unwrap(), @r#"
    {
      "id": "eval_1",
      "status": "error",
      "deny": true,
      "message": "p0: because",
      "timestamp": 1772460000000,
      "created": 1772460000000,
      "accountId": "acme",
      "orgId": "default",
      "projectId": "platform",
      "entity": "payment_service",
      "type": "pipeline",
      "action": "onrun",
      "details": [
        {
          "policySetId": "rules",
          "policySetName": "rules",
          "identifier": "rules",
          "status": "error",
          "deny": true,
          "policyMetadata": [
            {
              "policyId": "p0",
              "policyName": "p0",
              "identifier": "account.p0",
              "severity": "error",
              "status": "error",
              "denyMessages": [
                "because"
              ]
            },
            {
              "policyId": "p1",
              "policyName": "p1",
              "identifier": "account.p1",
              "severity": "warning",
              "status": "warning",
              "denyMessages": [
                "the policy cannot be evaluated: it does not exist"
              ]
            },
            {
              "policyId": "p2",
              "policyName": "p2",
              "identifier": "account.p2",
              "severity": "error",
              "status": "pass",
              "denyMessages": []
            }
          ]
        }
      ]
    }
    "#);
}

#[test]
fn sets_of_all_wider_scopes_are_asked_in_order() {
    let org = Scope::Org { org: "default".parse().unwrap() };
    let other = Scope::Project { org: "default".parse().unwrap(), project: "other".parse().unwrap() };
    let kind = PolicyType::Pipeline;
    let off = PolicySet { enabled: false, ..set("off", kind, Action::OnSave) };
    let all = [
        (project(), set("b", kind, Action::OnSave)),
        (project(), set("a", kind, Action::OnSave)),
        (org, set("c", kind, Action::OnSave)),
        (Scope::Account, set("d", kind, Action::OnSave)),
        (Scope::Account, off),
        (Scope::Account, set("e", kind, Action::OnRun)),
        (Scope::Account, set("f", PolicyType::Connector, Action::OnSave)),
        (other, set("g", kind, Action::OnSave)),
    ];
    let chosen = select(all.iter().map(|(scope, set)| (scope, set)), kind, Action::OnSave, &project());
    let names: Vec<_> = chosen.iter().map(|(_, set)| set.identifier.as_str()).collect();
    assert_eq!(names, ["d", "c", "a", "b"]);
}

#[test]
fn a_set_is_checked_when_it_is_saved() {
    let read = |yaml: serde_json::Value| serde_json::from_value::<PolicySet>(yaml).map_err(|error| error.to_string());
    let check = |yaml: serde_json::Value, scope: &Scope| read(yaml).unwrap().check(scope).to_string();
    let good = json!({"identifier": "s", "type": "pipeline", "action": "onRun", "policies": [{"identifier": "account.p", "severity": "warning"}]});
    assert_eq!(check(good, &project()), "");
    let wrong =
        json!({"identifier": "s", "type": "connector", "action": "onrun", "policies": [{"identifier": "org.p"}]});
    insta::assert_snapshot!(check(wrong, &Scope::Account), @r"
    error POL0011: sets of type `connector` are not asked at `onrun` at action (write onsave)
    error POL0013: `org.p` names the organization, and account lies outside of any: use `account.p` at policies[0].identifier
    ");
    let absent = json!({"identifier": "s", "type": "terraformPlan", "action": "onrun"});
    insta::assert_snapshot!(check(absent, &Scope::Account), @r"
    error POL0010: policy sets of type `terraformPlan` are not asked by this version at type
    warning POL0012: the set has no policies and passes everything at policies
    ");
    let misspelt = json!({"identifier": "s", "type": "pipelin", "action": "onrun"});
    assert_eq!(read(misspelt).unwrap_err(), "`pipelin` is not known here: did you mean `pipeline`?");
}

#[test]
fn a_step_asks_custom_sets_only_and_fails_closed() {
    let (good, scope) = (set("rules", PolicyType::Custom, Action::OnStep), project());
    let off = PolicySet { enabled: false, ..good.clone() };
    let wrong = set("rules", PolicyType::Pipeline, Action::OnRun);
    let reference = ScopedRef::parse("rules").unwrap();
    let ask = |found: Option<&PolicySet>| {
        let named = [NamedSet { reference: &reference, found: found.map(|set| (&scope, set)) }];
        step_sets(&named, &["rulez", "prod_change_window"])
            .map(|(sets, warnings)| (sets.len(), warnings))
            .map_err(|e| e.to_string())
    };
    assert_eq!(ask(Some(&good)), Ok((1, vec![])));
    assert_eq!(ask(Some(&off)), Ok((0, vec!["policy set `rules` is disabled and was not asked".to_owned()])));
    assert_eq!(ask(None), Err("policy set `rules` does not exist; did you mean `rulez`?".to_owned()));
    assert!(ask(Some(&wrong)).unwrap_err().contains("type `pipeline`"));
    assert_eq!(step_sets(&[], &[]).unwrap_err().to_string(), "the step names no policy set");
}

#[test]
fn a_step_fails_passes_or_shows_a_banner() {
    let denied = step_outcome(&answer(&[(Severity::Error, Some(YES))]));
    let failure = denied.failure.unwrap();
    assert_eq!(
        (failure.message.as_str(), failure.types.contains(&FailureType::PolicyEvaluationFailure)),
        ("p0: because", true)
    );
    assert_eq!(
        denied.output,
        json!({
            "status": "error", "evaluationId": "eval_1", "policySetDetails": {"rules": {"status": "error", "identifier": "rules"}}
        })
    );
    let warned = step_outcome(&answer(&[(Severity::Warning, Some(YES))]));
    assert_eq!((warned.failure, warned.banner.as_deref()), (None, Some("p0: because")));
    let passed = step_outcome(&answer(&[(Severity::Error, Some(NO))]));
    assert_eq!((passed.failure, passed.banner), (None, None));
}
