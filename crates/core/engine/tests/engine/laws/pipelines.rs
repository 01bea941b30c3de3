//! Pipelines nobody would write.

use crate::build::{deployment, group, k8s, pipeline, shell, stage, step, undone_by, variable, wait};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::strategy::BoxedStrategy;
use serde_json::json;
use windlass_model::pipeline::{
    Action, ErrorMatch, FailureStrategy, Field, Pipeline, RunWhen, Stage, StageItem, StageKind, Step, StepNode, When,
};
use windlass_model::{FailureType, Millis};

pub(super) fn any_pipeline() -> impl Strategy<Value = Pipeline> {
    let item = prop_oneof![
        3 => any_stage().prop_map(StageItem::One),
        1 => vec(any_stage(), 2..4).prop_map(StageItem::Parallel),
    ];
    (vec(item, 1..4), option::weighted(0.2, 30_u64..4_000)).prop_map(|(stages, timeout)| {
        let mut pipeline = pipeline(stages);
        pipeline.variables = vec![variable("x", "1")];
        pipeline.timeout = timeout.map(secs);
        number(&mut pipeline);
        pipeline
    })
}

fn any_stage() -> impl Strategy<Value = Stage> {
    let parts = (vec(node(), 1..4), vec(node(), 0..3), any_when(), strategies(), option::weighted(0.2, 20_u64..2_000));
    (parts, option::weighted(0.1, 10_u64..500), any::<bool>()).prop_map(|(parts, manual, deploys)| {
        let (steps, rollback, when, strategies, timeout) = parts;
        let stage = if deploys { deployment("s", steps) } else { stage("s", steps) };
        let mut stage = undone_by(stage, rollback);
        stage.when = when;
        stage.failure_strategies = strategies;
        stage.timeout = timeout.map(secs);
        stage.manual_start = manual.map(secs);
        stage
    })
}

fn node() -> BoxedStrategy<StepNode> {
    any_step()
        .prop_map(|step| StepNode::Step(Box::new(step)))
        .prop_recursive(3, 12, 3, |inner| {
            let parallel = vec(inner.clone(), 2..4).prop_map(|nodes| {
                // `parallel` directly inside `parallel` is refused.
                let flat = nodes.into_iter().flat_map(|node| match node {
                    StepNode::Parallel(nodes) => nodes,
                    other => vec![other],
                });
                StepNode::Parallel(flat.collect())
            });
            let parts = (
                vec(inner.clone(), 1..3),
                vec(inner, 0..2),
                any_when(),
                strategies(),
                option::weighted(0.2, 20_u64..900),
            );
            let grouped = parts.prop_map(|(steps, rollback, when, strategies, timeout)| {
                let mut group = group("g", steps);
                group.rollback_steps = rollback;
                group.when = when;
                group.failure_strategies = strategies;
                group.timeout = timeout.map(secs);
                StepNode::Group(Box::new(group))
            });
            prop_oneof![parallel, grouped]
        })
        .boxed()
}

fn any_step() -> impl Strategy<Value = Step> {
    let kind = prop_oneof![
        8 => Just(shell("x")),
        2 => Just(wait("x", "45s")),
        1 => Just(wait("x", "never")),
        2 => Just(step("Barrier", "x", json!({"barrierRef": "meet"}))),
        2 => Just(step("Queue", "x", json!({"key": "db", "scope": "Stage"}))),
        1 => Just(step("Queue", "x", json!({"key": "db", "scope": "Pipeline"}))),
        2 => Just(step("Policy", "x", json!({"policySets": ["p"], "policySpec": {"payload": "{}"}}))),
        2 => Just(step("HarnessApproval", "x", json!({"approvers": {"userGroups": ["g"], "minimumCount": 2}}))),
        1 => Just(step("Nonsense", "x", json!({}))),
        6 => proptest::sample::select(CLUSTER).prop_map(|kind| k8s(kind, "x")),
        2 => Just(asking()),
    ];
    (kind, any_when(), strategies(), option::weighted(0.3, 10_u64..900)).prop_map(
        |(mut step, when, strategies, timeout)| {
            step.when = when;
            step.failure_strategies = strategies;
            step.timeout = timeout.map(secs);
            step
        },
    )
}

/// Steps on a cluster; outside of a Deployment stage they fail.
const CLUSTER: &[&str] = &[
    "K8sApply",
    "K8sRollingDeploy",
    "K8sRollingDeploy",
    "K8sRollingRollback",
    "K8sCanaryDeploy",
    "K8sCanaryDelete",
    "K8sBlueGreenDeploy",
    "Verify",
];

fn asking() -> Step {
    let mut step = shell("x");
    step.spec["environmentVariables"] = json!([{"name": "A", "value": "<+input>.default(1).executionInput()"}]);
    step
}

fn any_when() -> impl Strategy<Value = Option<When>> {
    let status = prop_oneof![3 => Just(RunWhen::Success), 1 => Just(RunWhen::Failure), 1 => Just(RunWhen::All)];
    let condition = prop_oneof![
        4 => Just(None),
        3 => Just(Some("<+pipeline.variables.x> == \"1\"")),
        2 => Just(Some("<+pipeline.variables.x> == \"2\"")),
        1 => Just(Some("<+pipeline.name> > 1")),
    ];
    let when = (status, condition).prop_map(|(status, text)| When { status, condition: text.map(str::to_owned) });
    option::weighted(0.4, when)
}

fn strategies() -> impl Strategy<Value = Vec<FailureStrategy>> {
    let types = [FailureType::Unknown, FailureType::Timeout, FailureType::Connectivity, FailureType::ApprovalRejection];
    let errors = (any::<bool>(), proptest::sample::subsequence(types.to_vec(), 0..3));
    let strategy = (errors, action()).prop_map(|((all, types), action)| FailureStrategy {
        errors: ErrorMatch { all, types: types.into_iter().collect() },
        action,
    });
    vec(strategy, 0..3)
}

fn simple() -> impl Strategy<Value = Action> {
    prop_oneof![
        Just(Action::Ignore),
        Just(Action::MarkAsSuccess),
        Just(Action::MarkAsFailure),
        Just(Action::Abort),
        Just(Action::StageRollback),
        Just(Action::StepGroupRollback),
        Just(Action::PipelineRollback),
        Just(Action::ProceedWithDefaultValues),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    let intervals = || vec((0_u64..60).prop_map(secs), 0..3);
    prop_oneof![
        4 => simple(),
        2 => (1_u32..4, intervals(), simple(), any::<bool>()).prop_map(|(count, intervals, action, conditional)| Action::Retry {
            count: Field::Fixed(count),
            intervals,
            condition: conditional.then(|| "<+step.retryCount> < 2".to_owned()),
            on_exhausted: Box::new(action),
        }),
        1 => (1_u32..3, intervals()).prop_map(|(count, intervals)| Action::RetryStepGroup {
            count: Field::Fixed(count),
            intervals,
        }),
        1 => (1_u64..600, simple()).prop_map(|(timeout, action)| Action::ManualIntervention {
            timeout: secs(timeout),
            on_timeout: Box::new(action),
        }),
    ]
}

fn secs(secs: u64) -> Field<Millis> {
    Field::Fixed(Millis::from_secs(secs))
}

/// Gives every stage, group and step its own identifier.
fn number(pipeline: &mut Pipeline) {
    let mut next = 0;
    for item in &mut pipeline.stages {
        let stages = match item {
            StageItem::One(stage) => std::slice::from_mut(stage),
            StageItem::Parallel(stages) => stages.as_mut_slice(),
        };
        for stage in stages {
            name(&mut stage.identifier, "stage", &mut next);
            let execution = match &mut stage.kind {
                StageKind::Custom(execution) | StageKind::Approval(execution) => execution,
                StageKind::Deployment(deployment) => &mut deployment.execution,
                StageKind::Unsupported { .. } => continue,
            };
            number_all(&mut execution.steps, &mut next);
            number_all(&mut execution.rollback_steps, &mut next);
        }
    }
}

fn number_all(nodes: &mut [StepNode], next: &mut usize) {
    for node in nodes {
        match node {
            StepNode::Step(step) => name(&mut step.identifier, "step", next),
            StepNode::Group(group) => {
                name(&mut group.identifier, "group", next);
                number_all(&mut group.steps, next);
                number_all(&mut group.rollback_steps, next);
            }
            StepNode::Parallel(nodes) => number_all(nodes, next),
        }
    }
}

fn name(identifier: &mut String, kind: &str, next: &mut usize) {
    *identifier = format!("{kind}_{next}");
    *next += 1;
}
