use crate::build::{Node, deployment, k8s, one, pipeline, s, shell, stage, step, undone_by};
use crate::deployment::world as stocked;
use crate::world::{World, start};
use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::json;
use windlass_engine::{ApprovalAnswer, Input, InterruptKind, Preview, Principal, Refusal};
use windlass_model::approval::ApprovalAction::{Approve, Reject};
use windlass_model::approval::Approver;
use windlass_model::pipeline::{Action, Pipeline, Step};
use windlass_model::task::Work;
use windlass_model::task::kubernetes::KubernetesStep;
use windlass_model::{FailureType, Json, Status};

fn ask(more: Json) -> Step {
    let mut spec = json!({
        "approvalMessage": "Deploy <+pipeline.name> for <+pipeline.triggeredBy.email>?",
        "approvers": {"userGroups": ["payments", "platform_team"], "minimumCount": 2, "disallowPipelineExecutor": true},
        "approverInputs": [
            {"name": "change_ticket", "label": "Change Ticket ID", "required": true, "regex": "CHG-[0-9]+"},
            {"name": "plan", "defaultValue": "roll back"},
        ],
    });
    for (key, value) in more.as_object().unwrap() {
        spec[key] = value.clone();
    }
    step("HarnessApproval", "ask", spec).within("7d").on(&[FailureType::Timeout], Action::Abort)
}

fn asking(more: Json) -> Pipeline {
    let stage = undone_by(stage("deploy", [s(ask(more)), s(shell("apply"))]), [s(shell("undo"))]);
    pipeline([one(stage.on(&[], Action::StageRollback))])
}

fn opened(more: Json) -> World {
    let mut world = World::new();
    world.begin(start(asking(more)));
    world
}

const TICKET: &[(&str, &str)] = &[("change_ticket", "CHG-12")];

#[test]
fn two_different_people_must_approve() {
    let mut world = opened(json!({}));
    assert_eq!(world.status(), Status::ApprovalWaiting);
    world.pass(60);
    world.answer("ask", ("Bob", "payments"), Approve, TICKET).unwrap();
    world.pass(60);
    world.answer("ask", ("Cyn", "platform_team"), Approve, &[("plan", "by tag")]).unwrap();
    world.settle();
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 deploy starts
    00:00 ask starts
    00:00 ask asks payments, platform_team
    01:00 ask: Bob says Approve
    02:00 ask: Cyn says Approve
    02:00 ask → Success
    02:00 apply starts
    02:10 apply → Success
    02:10 deploy → Success
    02:10 pipeline → Success
    02:10 run Success
    ");
    assert_json_snapshot!(world.node("ask").output, @r#"
    {
      "approvalActivities": [
        {
          "action": "APPROVE",
          "approvedAt": "2026-03-02T14:01:00.000Z",
          "comments": "",
          "user": {
            "email": "bob@example.com",
            "name": "Bob"
          }
        },
        {
          "action": "APPROVE",
          "approvedAt": "2026-03-02T14:02:00.000Z",
          "comments": "",
          "user": {
            "email": "cyn@example.com",
            "name": "Cyn"
          }
        }
      ],
      "approvedAt": "2026-03-02T14:02:00.000Z",
      "approverInputs": {
        "change_ticket": "CHG-12",
        "plan": "by tag"
      }
    }
    "#);
}

#[test]
fn who_may_not_answer_is_told_why() {
    let mut world = opened(json!({}));
    let mut refused = |who, inputs| world.answer("ask", who, Approve, inputs).unwrap_err().to_string();
    let told = [
        refused(("Ada", "payments"), TICKET),
        refused(("Eve", "strangers"), TICKET),
        refused(("Bob", "payments"), &[]),
        refused(("Bob", "payments"), &[("change_ticket", "12")]),
        refused(("Bob", "payments"), &[("change_ticket", "CHG-1"), ("change_tiket", "x")]),
    ];
    assert_snapshot!(told.join("\n"), @"
    Ada started this run, and its executor may not approve it
    Eve is not a member of any group that may approve: payments, platform_team
    error INPUT0001: `Change Ticket ID` is required at approverInputs.change_ticket
    error INPUT0002: `12` does not match `CHG-[0-9]+` at approverInputs.change_ticket
    error INPUT0003: the approval has no input `change_tiket` (did you mean `change_ticket`?)
    ");
    world.answer("ask", ("Bob", "payments"), Approve, TICKET).unwrap();
    let again = world.answer("ask", ("Bob", "platform_team"), Approve, TICKET).unwrap_err();
    assert!(matches!(again, Refusal::NotAllowed { .. }), "{again}");
    assert_eq!(world.status(), Status::ApprovalWaiting);
}

#[test]
fn one_rejection_rejects_and_nothing_was_touched() {
    let mut world = opened(json!({}));
    world.answer("ask", ("Bob", "payments"), Reject, &[]).unwrap();
    world.settle();
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 deploy starts
    00:00 ask starts
    00:00 ask asks payments, platform_team
    00:00 ask: Bob says Reject
    00:00 ask failed: rejected by Bob ⇒ StageRollback (AllErrors at pipeline.stages.deploy)
    00:00 ask → ApprovalRejected
    00:00 deploy rolls back (ask: rejected by Bob)
    00:00 undo undo starts
    00:10 undo undo → Success
    00:10 deploy → ApprovalRejected (ask: rejected by Bob)
    00:10 pipeline → ApprovalRejected (ask: rejected by Bob)
    00:10 run ApprovalRejected
    ");
    assert_eq!(world.status(), Status::ApprovalRejected);
}

#[test]
fn after_the_last_answer_there_is_nothing_to_answer() {
    let mut world = opened(json!({}));
    world.answer("ask", ("Bob", "payments"), Reject, &[]).unwrap();
    assert!(world.answer("ask", ("Cyn", "payments"), Approve, TICKET).unwrap_err().is_stale());
}

#[test]
fn nobody_answers_in_time() {
    let world = World::new().play(asking(json!({})));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 deploy starts
    00:00 ask starts
    00:00 ask asks payments, platform_team
    168:00:00 ask failed: step `ask` did not end within 7d ⇒ Abort (Timeout at pipeline.stages.deploy.spec.execution.steps.ask)
    168:00:00 ask → Aborted
    168:00:00 deploy → Aborted (ask: step `ask` did not end within 7d)
    168:00:00 pipeline → Aborted (ask: step `ask` did not end within 7d)
    168:00:00 run Aborted
    ");
}

#[test]
fn each_group_may_have_its_own_minimum() {
    let approvers = json!({"approvers": {
        "userGroups": ["payments", "platform_team"], "minimumCount": 2, "disallowPipelineExecutor": false,
        "minimumPerGroup": {"payments": 1, "platform_team": "1"},
    }});
    let mut world = opened(approvers);
    world.answer("ask", ("Bob", "payments"), Approve, TICKET).unwrap();
    world.answer("ask", ("Ben", "payments"), Approve, &[]).unwrap();
    assert_eq!(world.status(), Status::ApprovalWaiting, "two of one group are not enough");
    world.answer("ask", ("Cyn", "platform_team"), Approve, &[]).unwrap();
    assert_eq!(world.node("ask").status, Status::Success);
}

#[test]
fn an_approval_may_be_scheduled() {
    let auto = json!({"autoApproval": {"action": "APPROVE", "comments": "nightly",
        "scheduledDeadline": {"time": "2026-03-02 05:00 PM", "timeZone": "Europe/Vienna"}}});
    let world = World::new().play(asking(auto));
    assert_snapshot!(world.timeline(), @"
    00:00 pipeline starts
    00:00 deploy starts
    00:00 ask starts
    00:00 ask asks payments, platform_team
    2:00:00 ask → Success (approved automatically at the scheduled time)
    2:00:00 apply starts
    2:00:10 apply → Success
    2:00:10 deploy → Success
    2:00:10 pipeline → Success
    2:00:10 run Success
    ");
    let late = json!({"autoApproval": {"scheduledDeadline": {"time": "2026-03-02 02:10 PM", "timeZone": "UTC"}}});
    let world = World::new().play(asking(late));
    assert_eq!(world.status(), Status::Failed);
}

#[test]
fn a_service_account_is_known_by_its_scope() {
    let approvers = json!({"approvers": {
        "serviceAccounts": ["ci", "account.robot"], "minimumCount": 1, "disallowPipelineExecutor": true,
    }, "approverInputs": []});
    let answer = |principal: &str, starter: &str| {
        let mut start = start(asking(approvers.clone()));
        start.started_by = Principal { principal: starter.into(), ..Principal::default() };
        let mut world = World::new();
        world.begin(start);
        let approver =
            Approver { principal: principal.into(), name: principal.into(), email: None, groups: Default::default() };
        let (at, comments, inputs) = (world.node("ask").at(), String::new(), Default::default());
        let answer = ApprovalAnswer { at, approver, action: Approve, comments, inputs };
        world.tell(Input::ApprovalAnswered(answer)).is_ok()
    };
    assert!(answer("serviceAccount:default/platform/ci", "user:ada"));
    assert!(answer("serviceAccount:account/robot", "user:ada"));
    assert!(!answer("serviceAccount:default/other/ci", "user:ada"), "one of the same name elsewhere is another one");
    assert!(!answer("serviceAccount:account/ci", "user:ada"));
    assert!(!answer("serviceAccount:account/robot", "serviceAccount:account/robot"), "it started the run itself");
}

#[test]
fn a_later_run_supersedes_the_question() {
    let mut world = opened(json!({"isAutoRejectEnabled": true}));
    let at = world.node("ask").at();
    world.interrupt(InterruptKind::SupersedeApproval { at, why: "run 17 was approved".into() }).unwrap();
    world.settle();
    assert_eq!(world.status(), Status::ApprovalRejected);
}

#[test]
fn runs_of_triggers_name_the_trigger() {
    let mut start = start(asking(json!({})));
    start.started_by = Principal {
        principal: "trigger:default/platform/shop_cd/app_image".into(),
        name: "app_image".into(),
        email: None,
        person: false,
    };
    let mut world = World::new();
    world.begin(start);
    let spec = world.node("ask").spec.clone().unwrap();
    assert_eq!(spec["approvalMessage"], "Deploy shop-cd for app_image?");
    assert_eq!(world.node("ask").warnings[0].code, "SEED-44");
}

/// A production stage that asks before it deploys.
fn gated() -> Pipeline {
    let question = step(
        "HarnessApproval",
        "ask",
        json!({"approvalMessage": "Ship?", "approvers": {"userGroups": ["payments"], "minimumCount": 1}}),
    );
    pipeline([one(deployment("ship", [s(question.within("1d")), s(k8s("K8sRollingDeploy", "roll"))]))])
}

#[test]
fn a_deployment_shows_what_it_is_about_to_change_and_applies_just_that() {
    let mut world =
        stocked().answering("ask", json!({"changed": 1, "diff": "-a\n+b", "commits": {"manifests": "c0ffee"}}));
    world.begin(start(gated()));
    world.pass(5);
    assert_eq!(world.node("ask").preview.as_deref(), Some(&Preview::Asked));
    let Work::Kubernetes(look) = &world.task("ask").work else { panic!("no look at the cluster") };
    assert!(matches!(look.step, KubernetesStep::K8sDiff(_)));
    let (target, source) = (look.target.clone(), look.source.clone());
    world.pass(10);
    let Some(Preview::Made { output, .. }) = world.node("ask").preview.as_deref() else { panic!("nothing is shown") };
    assert_eq!(output["changed"], 1);
    // Nobody is waited for but the people who were asked, and no worker is noted for their step.
    assert_eq!((world.status(), world.node("ask").worker.clone()), (Status::ApprovalWaiting, None));
    world.answer("ask", ("Bob", "payments"), Approve, &[]).unwrap();
    world.settle();
    let Work::Kubernetes(roll) = &world.task("roll").work else { panic!("nothing is rolled out") };
    assert_eq!((&roll.target, &roll.source), (&target, &source));
    assert_eq!(roll.pinned["manifests"], "c0ffee");
    assert_eq!(world.status(), Status::Success);
}

#[test]
fn a_look_that_fails_or_comes_late_keeps_nobody_from_answering() {
    let mut world = stocked().failing("ask", FailureType::Connectivity, "the cluster does not answer");
    world.begin(start(gated()));
    world.pass(15);
    let Some(Preview::Failed { failure }) = world.node("ask").preview.as_deref() else { panic!("no reason is shown") };
    assert_eq!(failure.message, "the cluster does not answer");
    assert_eq!(world.status(), Status::ApprovalWaiting);
    world.answer("ask", ("Bob", "payments"), Approve, &[]).unwrap();
    world.settle();
    assert_eq!(world.status(), Status::Success);
    // Answered before the worker has looked.
    let mut world = stocked();
    world.begin(start(gated()));
    world.pass(1);
    world.answer("ask", ("Bob", "payments"), Approve, &[]).unwrap();
    world.settle();
    let Some(Preview::Failed { failure }) = world.node("ask").preview.as_deref() else { panic!("no reason is shown") };
    assert_eq!(failure.message, "the question was closed before it was compared");
    assert_eq!(world.status(), Status::Success);
}
