//! Two people of the right groups decide (pipelines §6.1, §11.9 item 3).

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used)]

use windlass_tests::{Ran, World, send, until};

const DOCUMENTS: &str = "\
pipeline:
  identifier: release
  name: release
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: prod
        type: Custom
        spec:
          execution:
            steps:
              - step:
                  identifier: approval
                  type: HarnessApproval
                  timeout: 7d
                  spec:
                    approvalMessage: Release <+pipeline.name>?
                    includePipelineExecutionHistory: true
                    approvers:
                      userGroups: [team, account.platform]
                      minimumCount: 2
                      disallowPipelineExecutor: true
                    approverInputs:
                      - {name: change_ticket, label: Change Ticket, regex: 'CHG-[0-9]+', required: true}
                      - {name: rollback_plan, defaultValue: previous tag}
              - step: {identifier: after, type: Wait, spec: {duration: 1s}}
---
userGroup: {identifier: team, name: team, orgIdentifier: default, projectIdentifier: platform, users: [ada, admin]}
";

struct Office {
    world: World,
    ada: String,
    bob: String,
    eve: String,
}

impl Office {
    fn new() -> Self {
        let world = World::new();
        world.apply(DOCUMENTS);
        let group = "userGroup: {identifier: platform, name: platform, users: [Bob@example.com]}\n";
        world.file("group.yaml", group);
        world.run(&["--org", "", "--project", "", "apply", "-f", "group.yaml"]).ok();
        let key = |id: &str| {
            world.run(&["user", "create", id, "--email", &format!("{id}@example.com")]).ok();
            world.run(&["api-key", "create", "test", "--user", id]).ok().trim().to_owned()
        };
        let (ada, bob, eve) = (key("ada"), key("bob"), key("eve"));
        Self { world, ada, bob, eve }
    }

    /// Starts the release and waits for its question.
    fn release(&self) -> String {
        let run = self.world.start_run("release", &[]);
        until("the question", || (self.world.shown(&run)["run"]["status"] == "ApprovalWaiting").then_some(()));
        run
    }

    fn by(&self, key: &str, arguments: &[&str]) -> Ran {
        let all: Vec<&str> = arguments.iter().copied().chain(["--token", key]).collect();
        self.world.run(&all)
    }
}

#[test]
fn two_people_of_the_groups_approve_and_nobody_else_can() {
    let office = Office::new();
    let run = office.release();
    let executor = office.world.run(&["approve", &run, "-i", "change_ticket=CHG-1"]).fails(3);
    assert!(executor.contains("its executor may not approve"), "{executor}");
    let stranger = office.by(&office.eve, &["approve", &run, "-i", "change_ticket=CHG-1"]).fails(3);
    assert!(stranger.contains("not a member of any group"), "{stranger}");
    let missing = office.by(&office.ada, &["approve", &run]).fails(1);
    assert!(missing.contains("`Change Ticket` is required"), "{missing}");
    let wrong = office.by(&office.ada, &["approve", &run, "-i", "change_ticket=none"]).fails(1);
    assert!(wrong.contains("does not match"), "{wrong}");
    office.by(&office.ada, &["approve", &run, "-i", "change_ticket=CHG-1", "-m", "looks good"]).ok();
    let twice = office.by(&office.ada, &["approve", &run, "-i", "change_ticket=CHG-1"]).fails(3);
    assert!(twice.contains("each person counts once"), "{twice}");
    assert_eq!(office.world.shown(&run)["run"]["status"], "ApprovalWaiting");
    // Ada's values stand until somebody gives others.
    office.by(&office.bob, &["approve", &run, "-m", "ship it"]).ok();
    let ended = office.world.ended(&run);
    assert_eq!(ended["run"]["status"], "Success");
    let step = ended["nodes"].as_array().unwrap().iter().find(|n| n["identifier"] == "approval").unwrap().clone();
    assert_eq!(step["output"]["approverInputs"]["change_ticket"], "CHG-1");
    let names: Vec<&str> =
        step["activities"].as_array().unwrap().iter().filter_map(|a| a["user"]["name"].as_str()).collect();
    assert_eq!(names, ["ada", "bob"]);
    let late = office.by(&office.bob, &["reject", &run]).fails(1);
    assert!(late.contains("does not wait for an approval"), "{late}");
}

#[test]
fn people_see_what_waits_for_them() {
    let office = Office::new();
    let run = office.release();
    let list = |key: &str| office.by(key, &["approval", "list", "-o", "json"]).json().as_array().unwrap().clone();
    let mine = list(&office.ada);
    assert_eq!(mine.len(), 1);
    assert_eq!(mine[0]["run"], run.as_str());
    assert_eq!(mine[0]["message"], "Release release?");
    assert_eq!(list(&office.bob).len(), 1);
    assert_eq!(list(&office.eve).len(), 0);
    office.by(&office.ada, &["approve", &run, "-i", "change_ticket=CHG-7", "-m", "fine"]).ok();
    let shown = office.by(&office.bob, &["approval", "show", &run]).ok();
    for part in ["change_ticket (required)  Change Ticket", "asks 2 of team,account.platform", "APPROVE by ada: fine"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let hidden = office.by(&office.eve, &["approval", "show", &run]).fails(3);
    assert!(hidden.contains("eve is in no group that is asked"), "{hidden}");
}

#[test]
fn one_rejection_ends_it() {
    let office = Office::new();
    let run = office.release();
    office.by(&office.bob, &["reject", &run, "-m", "not today"]).ok();
    let ended = office.world.ended(&run);
    assert_eq!(ended["run"]["status"], "ApprovalRejected");
    let after = ended["nodes"].as_array().unwrap().iter().find(|n| n["identifier"] == "after").unwrap().clone();
    assert!(["NotStarted", "Skipped"].contains(&after["status"].as_str().unwrap()), "{after}");
}

#[test]
fn membership_counts_at_the_time_of_the_answer() {
    let office = Office::new();
    let run = office.release();
    office.world.apply(
        "userGroup: {identifier: team, name: team, orgIdentifier: default, projectIdentifier: platform, users: [eve]}\n",
    );
    let former = office.by(&office.ada, &["approve", &run, "-i", "change_ticket=CHG-1"]).fails(3);
    assert!(former.contains("not a member"), "{former}");
    office.by(&office.eve, &["approve", &run, "-i", "change_ticket=CHG-1"]).ok();
}

#[test]
fn the_vendors_path_answers_too() {
    let office = Office::new();
    let run = office.release();
    let approval =
        office.by(&office.ada, &["approval", "list", "-o", "json"]).json()[0]["id"].as_str().unwrap().to_owned();
    let url = format!("{}/pipeline/api/approvals/{approval}/harness/activity", office.world.url());
    let post =
        |key: &str, body: &str| send("POST", &url, &[("x-api-key", key), ("content-type", "application/json")], body);
    let missing = post(&office.ada, r#"{"action":"APPROVE","comments":"","approverInputs":[]}"#);
    assert_eq!(missing.status, 400, "{}", missing.body);
    assert_eq!(missing.json()["status"], "FAILURE");
    let body = r#"{"action":"APPROVE","comments":"x","approverInputs":[{"name":"change_ticket","value":"CHG-9"}]}"#;
    assert_eq!(post(&office.ada, body).json()["status"], "SUCCESS");
    assert_eq!(post(&office.bob, body).json()["status"], "SUCCESS");
    assert_eq!(office.world.ended(&run)["run"]["status"], "Success");
}

#[test]
fn a_question_waits_through_a_restart() {
    let mut office = Office::new();
    let run = office.release();
    office.world.server().kill();
    office.world.start_server();
    office.by(&office.ada, &["approve", &run, "-i", "change_ticket=CHG-1"]).ok();
    office.by(&office.bob, &["approve", &run]).ok();
    assert_eq!(office.world.ended(&run)["run"]["status"], "Success");
}

const DEPLOYMENT: &str = "\
connector: {identifier: cluster, name: cluster, orgIdentifier: default, projectIdentifier: platform, type: K8sCluster, spec: {credential: {type: InheritFromDelegate}, delegateSelectors: [prod]}}
---
service:
  identifier: shop
  name: shop
  orgIdentifier: default
  projectIdentifier: platform
  serviceDefinition:
    type: Kubernetes
    spec:
      manifests:
        - manifest:
            identifier: all
            type: K8sManifest
            spec: {store: {type: Inline, spec: {content: 'apiVersion: v1'}}, valuesPaths: []}
---
environment: {identifier: prod, name: prod, type: Production, orgIdentifier: default, projectIdentifier: platform}
---
infrastructureDefinition:
  identifier: prod_euw1
  name: prod euw1
  orgIdentifier: default
  projectIdentifier: platform
  environmentRef: prod
  deploymentType: Kubernetes
  type: KubernetesDirect
  spec: {connectorRef: cluster, namespace: shop, releaseName: shop}
---
pipeline:
  identifier: ship
  name: ship
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: prod
        name: prod
        type: Deployment
        spec:
          deploymentType: Kubernetes
          service: {serviceRef: shop}
          environment:
            environmentRef: prod
            infrastructureDefinitions: [{identifier: prod_euw1}]
          execution:
            steps:
              - step:
                  identifier: approval
                  name: approval
                  type: HarnessApproval
                  timeout: 1d
                  spec:
                    approvalMessage: Ship it?
                    includePipelineExecutionHistory: true
                    approvers: {userGroups: [team], minimumCount: 1, disallowPipelineExecutor: false}
              - step: {identifier: after, name: after, type: Wait, spec: {duration: 1s}}
        failureStrategies:
          - onFailure: {errors: [AllErrors], action: {type: StageRollback}}
";

#[test]
fn a_deployment_tells_what_it_would_change_or_why_nobody_knows_and_waits_for_neither() {
    let office = Office::new();
    office.world.apply(DEPLOYMENT);
    let run = office.world.start_run("ship", &[]);
    // No delegate is there to compare: the question says so, and stands.
    let shown = until("the reason", || {
        let shown = office.by(&office.ada, &["approval", "show", &run]);
        (shown.code == 0 && shown.out.contains("what would change is not known")).then_some(shown.out)
    });
    assert!(shown.contains("no delegate is registered"), "{shown}");
    assert_eq!(office.world.shown(&run)["run"]["status"], "ApprovalWaiting");
    office.by(&office.ada, &["approve", &run]).ok();
    let ended = office.world.ended(&run);
    assert_eq!(ended["run"]["status"], "Success", "{ended}");
    // What was shown stays with the run.
    let step = ended["nodes"].as_array().unwrap().iter().find(|n| n["identifier"] == "approval").unwrap().clone();
    assert_eq!(step["preview"]["state"], "failed", "{step}");
}
