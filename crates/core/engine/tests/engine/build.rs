//! Small words for building pipelines.

use serde_json::json;
use std::collections::BTreeMap;
use windlass_model::pipeline::{
    Action, Deployment, EnvironmentUse, ErrorMatch, Execution, FailureStrategy, Field, InfrastructureUse, Pipeline,
    RunWhen, ServiceUse, Stage, StageItem, StageKind, Step, StepGroup, StepNode, Variable, VariableType, When,
};
use windlass_model::{FailureType, Json, Millis};

pub(crate) fn pipeline(stages: impl IntoIterator<Item = StageItem>) -> Pipeline {
    Pipeline {
        identifier: "shop_cd".into(),
        name: "shop-cd".into(),
        org: "default".into(),
        project: "platform".into(),
        description: String::new(),
        tags: BTreeMap::new(),
        variables: Vec::new(),
        stages: stages.into_iter().collect(),
        barriers: BTreeMap::new(),
        notification_rules: Vec::new(),
        delegate_selectors: None,
        timeout: None,
        allow_stage_executions: false,
        fixed_inputs_on_rerun: false,
    }
}

pub(crate) fn variable(name: &str, value: impl Into<Json>) -> Variable {
    Variable {
        name: name.into(),
        kind: VariableType::String,
        value: value.into(),
        default: None,
        required: false,
        description: String::new(),
    }
}

pub(crate) fn stage(identifier: &str, steps: impl IntoIterator<Item = StepNode>) -> Stage {
    Stage {
        identifier: identifier.into(),
        name: identifier.into(),
        description: String::new(),
        tags: BTreeMap::new(),
        variables: Vec::new(),
        when: None,
        failure_strategies: Vec::new(),
        strategy: None,
        delegate_selectors: None,
        timeout: None,
        manual_start: None,
        kind: StageKind::Custom(Execution { steps: steps.into_iter().collect(), rollback_steps: Vec::new() }),
    }
}

/// Deploys the service `shop` to the infrastructure `prod_k8s` of the environment `prod`.
pub(crate) fn deployment(identifier: &str, steps: impl IntoIterator<Item = StepNode>) -> Stage {
    let infrastructures = vec![InfrastructureUse { identifier: "prod_k8s".into(), inputs: None }];
    let deployment = Deployment {
        deployment_type: "Kubernetes".into(),
        service: ServiceUse::Reference { service_ref: "shop".into(), inputs: None, inline: None },
        environment: EnvironmentUse::Reference {
            environment_ref: "prod".into(),
            deploy_to_all: Field::Fixed(false),
            environment_inputs: None,
            service_override_inputs: None,
            infrastructures,
        },
        execution: Execution { steps: steps.into_iter().collect(), rollback_steps: Vec::new() },
    };
    Stage { kind: StageKind::Deployment(Box::new(deployment)), ..stage(identifier, []) }
}

/// A step on a cluster.
pub(crate) fn k8s(kind: &str, identifier: &str) -> Step {
    let spec = match kind {
        "K8sCanaryDeploy" => json!({"instanceSelection": {"type": "Count", "spec": {"count": 1}}}),
        "K8sApply" => json!({"filePaths": ["a.yaml"]}),
        "Verify" => json!({"type": "Canary", "spec": {"duration": "5m"}}),
        _ => json!({}),
    };
    step(kind, identifier, spec)
}

/// What `shop` in `prod` is.
pub(crate) fn stored(noun: &str) -> Option<Json> {
    Some(match noun {
        "service" => json!({"identifier": "shop", "name": "shop",
            "serviceDefinition": {"type": "Kubernetes", "spec": {"variables": [{"name": "imageTag", "value": "v2"}]}}}),
        "environment" => json!({"identifier": "prod", "name": "prod", "type": "Production"}),
        "infrastructure" => json!({"identifier": "prod_k8s", "name": "prod", "type": "KubernetesDirect",
            "spec": {"connectorRef": "k8s", "namespace": "shop-prod", "releaseName": "shop"}}),
        "connector" => json!({"identifier": "k8s", "type": "K8sCluster",
            "spec": {"credential": {"type": "InheritFromDelegate"}, "delegateSelectors": ["prod"]}}),
        _ => return None,
    })
}

pub(crate) fn one(stage: Stage) -> StageItem {
    StageItem::One(stage)
}

pub(crate) fn step(kind: &str, identifier: &str, spec: Json) -> Step {
    Step {
        identifier: identifier.into(),
        name: identifier.into(),
        kind: kind.into(),
        spec,
        timeout: None,
        when: None,
        failure_strategies: Vec::new(),
        strategy: None,
        delegate_selectors: None,
        enforce: Vec::new(),
    }
}

/// A step whose work a delegate does.
pub(crate) fn shell(identifier: &str) -> Step {
    step("ShellScript", identifier, json!({"shell": "Bash", "source": {"type": "Inline", "spec": {"script": "true"}}}))
}

pub(crate) fn wait(identifier: &str, duration: &str) -> Step {
    step("Wait", identifier, json!({ "duration": duration }))
}

pub(crate) fn group(identifier: &str, steps: impl IntoIterator<Item = StepNode>) -> StepGroup {
    StepGroup {
        identifier: identifier.into(),
        name: identifier.into(),
        steps: steps.into_iter().collect(),
        rollback_steps: Vec::new(),
        variables: Vec::new(),
        when: None,
        failure_strategies: Vec::new(),
        strategy: None,
        delegate_selectors: None,
        timeout: None,
        infrastructure: None,
    }
}

pub(crate) fn parallel(nodes: impl IntoIterator<Item = StepNode>) -> StepNode {
    StepNode::Parallel(nodes.into_iter().collect())
}

pub(crate) fn on(types: &[FailureType], action: Action) -> FailureStrategy {
    let errors = ErrorMatch { all: types.is_empty(), types: types.iter().copied().collect() };
    FailureStrategy { errors, action }
}

pub(crate) fn retry(count: u32, intervals: &[u64], on_exhausted: Action) -> Action {
    Action::Retry {
        count: Field::Fixed(count),
        intervals: intervals.iter().map(|secs| Field::Fixed(Millis::from_secs(*secs))).collect(),
        condition: None,
        on_exhausted: Box::new(on_exhausted),
    }
}

/// What steps, groups and stages have in common.
pub(crate) trait Node: Sized {
    fn strategies(&mut self) -> &mut Vec<FailureStrategy>;
    fn set_timeout(&mut self, timeout: Millis);
    fn set_when(&mut self, when: When);

    /// What happens on these errors; on all when there are none.
    fn on(mut self, types: &[FailureType], action: Action) -> Self {
        self.strategies().push(on(types, action));
        self
    }

    fn within(mut self, timeout: &str) -> Self {
        self.set_timeout(Millis::parse(timeout).unwrap());
        self
    }

    fn when(mut self, status: RunWhen, condition: &str) -> Self {
        let condition = (!condition.is_empty()).then(|| condition.to_owned());
        self.set_when(When { status, condition });
        self
    }
}

macro_rules! node {
    ($($type:ident),*) => {$(
        impl Node for $type {
            fn strategies(&mut self) -> &mut Vec<FailureStrategy> {
                &mut self.failure_strategies
            }
            fn set_timeout(&mut self, timeout: Millis) {
                self.timeout = Some(Field::Fixed(timeout));
            }
            fn set_when(&mut self, when: When) {
                self.when = Some(when);
            }
        }
    )*};
}

node!(Step, StepGroup, Stage);

pub(crate) fn s(step: Step) -> StepNode {
    StepNode::Step(Box::new(step))
}

pub(crate) fn g(group: StepGroup) -> StepNode {
    StepNode::Group(Box::new(group))
}

/// Adds rollback steps to a stage.
pub(crate) fn undone_by(mut stage: Stage, steps: impl IntoIterator<Item = StepNode>) -> Stage {
    match &mut stage.kind {
        StageKind::Custom(execution) | StageKind::Approval(execution) => {
            execution.rollback_steps = steps.into_iter().collect();
        }
        StageKind::Deployment(deployment) => deployment.execution.rollback_steps = steps.into_iter().collect(),
        StageKind::Unsupported { .. } => {}
    }
    stage
}
