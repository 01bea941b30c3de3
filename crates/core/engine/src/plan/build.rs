//! From a pipeline to its plan.

use super::{Plan, PlanIx, PlanKind, PlanNode, Section, StagePlan, StepPlan};
use crate::id::NodeId;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use windlass_model::Json;
use windlass_model::pipeline::{
    Action, ErrorMatch, Execution, FailureStrategy, Pipeline, Stage, StageItem, StageKind, Step, StepGroup, StepNode,
};

/// The identifier of the step that deletes a canary the stage left behind (SEED-56).
pub(crate) const LEFTOVER_CANARY: &str = "windlass_delete_leftover_canary";

pub(super) fn plan(pipeline: &Pipeline, selected: &[String]) -> Plan {
    let mut build = Build { plan: Plan::default() };
    let root = build.push(PlanNode {
        path: NodeId::pipeline(),
        parent: None,
        section: Section::Forward,
        item: 0,
        identifier: pipeline.identifier.as_str().into(),
        name: pipeline.name.as_str().into(),
        when: None,
        failure_strategies: Vec::new(),
        strategy: None,
        selectors: pipeline.delegate_selectors.clone(),
        timeout: pipeline.timeout.clone(),
        kind: PlanKind::Pipeline,
        forward: Vec::new(),
        rollback: Vec::new(),
    });
    let chosen = |stage: &&Stage| selected.is_empty() || selected.contains(&stage.identifier);
    for entry in &pipeline.stages {
        let stages = match entry {
            StageItem::One(stage) => std::slice::from_ref(stage),
            StageItem::Parallel(stages) => stages.as_slice(),
        };
        let item = build.plan.entries[root.0].forward.len();
        let together: Vec<_> =
            stages.iter().filter(chosen).map(|stage| (build.stage(root, item, stage), stage)).collect();
        if together.is_empty() {
            continue;
        }
        build.plan.entries[root.0].forward.push(together.iter().map(|(ix, _)| *ix).collect());
        for (ix, stage) in together {
            if let StageKind::Deployment(deployment) = &stage.kind {
                build.stage_rollback(root, ix, stage, &deployment.execution);
            }
        }
    }
    // The last stage is undone first.
    let root = &mut build.plan.entries[root.0];
    root.rollback.reverse();
    let order: Vec<_> = root.rollback.clone();
    for (item, entries) in order.iter().enumerate() {
        for ix in entries {
            build.plan.entries[ix.0].item = item;
        }
    }
    build.plan
}

struct Build {
    plan: Plan,
}

/// Where a new entry goes.
#[derive(Clone, Copy)]
struct Slot<'a> {
    parent: PlanIx,
    section: Section,
    item: usize,
    /// What stands before the identifier in the path: `spec.execution.steps`.
    list: &'a str,
}

impl Build {
    fn push(&mut self, entry: PlanNode) -> PlanIx {
        let ix = PlanIx(self.plan.entries.len());
        self.plan.by_path.insert(entry.path.clone(), ix);
        self.plan.entries.push(entry);
        ix
    }

    fn entry(&self, slot: Slot<'_>, identifier: &str, name: &str, kind: PlanKind) -> PlanNode {
        let segment = if slot.list.is_empty() { identifier.to_owned() } else { format!("{}.{identifier}", slot.list) };
        PlanNode {
            path: self.plan.entries[slot.parent.0].path.child(&segment),
            parent: Some(slot.parent),
            section: slot.section,
            item: slot.item,
            identifier: identifier.into(),
            name: name.into(),
            when: None,
            failure_strategies: Vec::new(),
            strategy: None,
            selectors: None,
            timeout: None,
            kind,
            forward: Vec::new(),
            rollback: Vec::new(),
        }
    }

    fn stage(&mut self, root: PlanIx, item: usize, stage: &Stage) -> PlanIx {
        let deployment = match &stage.kind {
            StageKind::Deployment(deployment) => Some(deployment.as_ref()),
            _ => None,
        };
        let slot = Slot { parent: root, section: Section::Forward, item, list: "stages" };
        let kind = PlanKind::Stage(Box::new(StagePlan {
            type_name: stage.type_name().into(),
            unsupported: matches!(stage.kind, StageKind::Unsupported { .. }),
            deployment_type: deployment.map(|d| d.deployment_type.clone()),
            variables: stage.variables.clone(),
            manual_start: stage.manual_start.clone(),
        }));
        let mut entry = self.entry(slot, &stage.identifier, &stage.name, kind);
        entry.when = stage.when.clone();
        entry.failure_strategies = stage.failure_strategies.clone();
        if deployment.is_some() && entry.failure_strategies.is_empty() {
            entry.failure_strategies.push(roll_back_on_all_errors());
        }
        entry.strategy = stage.strategy.clone();
        entry.selectors = stage.delegate_selectors.clone();
        entry.timeout = stage.timeout.clone();
        let ix = self.push(entry);
        let mut forward = Vec::new();
        if let Some(deployment) = deployment {
            for (name, kind) in [
                ("service", PlanKind::Service(deployment.service.clone())),
                ("environment", PlanKind::Environment(deployment.environment.clone())),
                ("infrastructure", PlanKind::Infrastructure),
            ] {
                let slot = Slot { parent: ix, section: Section::Forward, item: forward.len(), list: "spec" };
                let entry = self.entry(slot, name, name, kind);
                forward.push(vec![self.push(entry)]);
            }
        }
        self.plan.entries[ix.0].forward = forward;
        if let Some(execution) = stage.execution() {
            self.list(ix, Section::Forward, "spec.execution.steps", &execution.steps);
            self.rollback_steps(ix, Section::Rollback, execution, deployment.is_some());
        }
        ix
    }

    fn rollback_steps(&mut self, parent: PlanIx, section: Section, execution: &Execution, deployment: bool) {
        const LIST: &str = "spec.execution.rollbackSteps";
        let canary = Step::all(&execution.steps).iter().any(|step| step.kind == "K8sCanaryDeploy");
        if deployment && canary {
            let slot = Slot { parent, section, item: 0, list: LIST };
            let step = StepPlan {
                type_name: "K8sCanaryDelete".into(),
                spec: Json::Object(serde_json::Map::new()),
                enforce: Vec::new(),
                implicit: true,
                compiled: OnceLock::new(),
            };
            let mut entry = self.entry(slot, LEFTOVER_CANARY, "Delete leftover canary", PlanKind::Step(Box::new(step)));
            // A canary that cannot be deleted must not keep production from being rolled back.
            entry.failure_strategies.push(FailureStrategy {
                errors: ErrorMatch { all: true, types: BTreeSet::new() },
                action: Action::Ignore,
            });
            let ix = self.push(entry);
            self.items(parent, section).push(vec![ix]);
        }
        self.list(parent, section, LIST, &execution.rollback_steps);
    }

    /// The same rollback steps as a node of the pipeline, for rollbacks after the stage has ended.
    fn stage_rollback(&mut self, root: PlanIx, stage: PlanIx, document: &Stage, execution: &Execution) {
        let item = self.plan.entries[root.0].rollback.len();
        let slot = Slot { parent: root, section: Section::Rollback, item, list: "rollbackStages" };
        let mut entry = self.entry(slot, &document.identifier, &document.name, PlanKind::StageRollback(stage));
        entry.selectors = document.delegate_selectors.clone();
        entry.timeout = document.timeout.clone();
        let ix = self.push(entry);
        self.rollback_steps(ix, Section::Forward, execution, true);
        self.plan.entries[root.0].rollback.push(vec![ix]);
    }

    fn items(&mut self, parent: PlanIx, section: Section) -> &mut Vec<Vec<PlanIx>> {
        let parent = &mut self.plan.entries[parent.0];
        match section {
            Section::Forward => &mut parent.forward,
            Section::Rollback => &mut parent.rollback,
        }
    }

    /// Appends the nodes of a list of the document to a list of an entry.
    fn list(&mut self, parent: PlanIx, section: Section, list: &str, nodes: &[StepNode]) {
        for node in nodes {
            let item = self.items(parent, section).len();
            let slot = Slot { parent, section, item, list };
            let mut together = Vec::new();
            self.node(slot, node, &mut together);
            if !together.is_empty() {
                self.items(parent, section).push(together);
            }
        }
    }

    fn node(&mut self, slot: Slot<'_>, node: &StepNode, together: &mut Vec<PlanIx>) {
        match node {
            StepNode::Step(step) => together.push(self.step(slot, step)),
            StepNode::Group(group) => together.push(self.group(slot, group)),
            StepNode::Parallel(nodes) => nodes.iter().for_each(|node| self.node(slot, node, together)),
        }
    }

    fn step(&mut self, slot: Slot<'_>, step: &Step) -> PlanIx {
        let kind = PlanKind::Step(Box::new(StepPlan {
            type_name: step.kind.as_str().into(),
            spec: step.spec.clone(),
            enforce: step.enforce.clone(),
            implicit: false,
            compiled: OnceLock::new(),
        }));
        let mut entry = self.entry(slot, &step.identifier, &step.name, kind);
        entry.when = step.when.clone();
        entry.failure_strategies = step.failure_strategies.clone();
        entry.strategy = step.strategy.clone();
        entry.selectors = step.delegate_selectors.clone();
        entry.timeout = step.timeout.clone();
        self.push(entry)
    }

    fn group(&mut self, slot: Slot<'_>, group: &StepGroup) -> PlanIx {
        let kind =
            PlanKind::Group { variables: group.variables.clone(), containerised: group.infrastructure.is_some() };
        let mut entry = self.entry(slot, &group.identifier, &group.name, kind);
        entry.when = group.when.clone();
        entry.failure_strategies = group.failure_strategies.clone();
        entry.strategy = group.strategy.clone();
        entry.selectors = group.delegate_selectors.clone();
        entry.timeout = group.timeout.clone();
        let ix = self.push(entry);
        self.list(ix, Section::Forward, "steps", &group.steps);
        self.list(ix, Section::Rollback, "rollbackSteps", &group.rollback_steps);
        ix
    }
}

/// What a Deployment stage does that says nothing (SEED-61).
fn roll_back_on_all_errors() -> FailureStrategy {
    FailureStrategy { errors: ErrorMatch { all: true, types: BTreeSet::new() }, action: Action::StageRollback }
}
