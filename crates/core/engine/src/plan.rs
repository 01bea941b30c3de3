//! The static shape of a run: what may start, in which order, under which rules.
//!
//! Built once from the pipeline that the run started with. A *node* of the run is one execution of an entry of this
//! plan; loops execute an entry several times, which is why the two are apart.

mod build;

use crate::id::NodeId;
use crate::resolve::Compiled;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use windlass_model::pipeline::{
    EnvironmentUse, FailureStrategy, Field, Looping, Pipeline, Selectors, ServiceUse, Variable, When,
};
use windlass_model::{Json, Millis};

/// Where an entry lies in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PlanIx(pub usize);

/// One of the two lists of a node: what it does, and what undoes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Section {
    #[default]
    Forward,
    Rollback,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    entries: Vec<PlanNode>,
    /// Entries by the path of their node, turns of loops left out.
    by_path: HashMap<NodeId, PlanIx>,
}

#[derive(Clone, Debug)]
pub(crate) struct PlanNode {
    /// The path of its node when nothing above is looped.
    pub path: NodeId,
    pub parent: Option<PlanIx>,
    /// The list of the parent it stands in, and the entry of that list.
    pub section: Section,
    pub item: usize,
    pub identifier: Arc<str>,
    /// May hold expressions.
    pub name: Arc<str>,
    pub when: Option<When>,
    pub failure_strategies: Vec<FailureStrategy>,
    pub strategy: Option<Looping>,
    pub selectors: Option<Selectors>,
    pub timeout: Option<Field<Millis>>,
    pub kind: PlanKind,
    /// Lists of entries that run together, in order.
    pub forward: Vec<Vec<PlanIx>>,
    pub rollback: Vec<Vec<PlanIx>>,
}

#[derive(Clone, Debug)]
pub(crate) enum PlanKind {
    Pipeline,
    Stage(Box<StagePlan>),
    /// The rollback steps of this stage, run on their own: a pipeline rollback, or one after success.
    StageRollback(PlanIx),
    Group {
        variables: Vec<Variable>,
        /// Its steps would have to run in a pod.
        containerised: bool,
    },
    Step(Box<StepPlan>),
    /// The implicit steps of a Deployment stage.
    Service(ServiceUse),
    Environment(EnvironmentUse),
    Infrastructure,
}

#[derive(Clone, Debug)]
pub(crate) struct StagePlan {
    /// `Deployment`, `Custom`, …
    pub type_name: Arc<str>,
    /// Set for stages whose type is refused at run.
    pub unsupported: bool,
    /// `Kubernetes`, for Deployment stages.
    pub deployment_type: Option<String>,
    pub variables: Vec<Variable>,
    pub manual_start: Option<Field<Millis>>,
}

#[derive(Clone, Debug)]
pub(crate) struct StepPlan {
    /// `K8sRollingDeploy`
    pub type_name: Arc<str>,
    pub spec: Json,
    pub enforce: Vec<String>,
    /// Added by the engine; not in the document.
    pub implicit: bool,
    /// The spec with its expressions parsed, from its first use on.
    pub compiled: OnceLock<Arc<Compiled>>,
}

impl StepPlan {
    pub(crate) fn compiled(&self) -> Arc<Compiled> {
        Arc::clone(self.compiled.get_or_init(|| Arc::new(Compiled::of(&self.spec))))
    }
}

impl PlanNode {
    pub(crate) fn is_container(&self) -> bool {
        matches!(
            self.kind,
            PlanKind::Pipeline | PlanKind::Stage(_) | PlanKind::StageRollback(_) | PlanKind::Group { .. }
        )
    }

    pub(crate) fn items(&self, section: Section) -> &[Vec<PlanIx>] {
        match section {
            Section::Forward => &self.forward,
            Section::Rollback => &self.rollback,
        }
    }

    pub(crate) fn step(&self) -> Option<&StepPlan> {
        match &self.kind {
            PlanKind::Step(step) => Some(step),
            _ => None,
        }
    }

    pub(crate) fn stage(&self) -> Option<&StagePlan> {
        match &self.kind {
            PlanKind::Stage(stage) => Some(stage),
            _ => None,
        }
    }

    /// For messages.
    pub(crate) fn noun(&self) -> &str {
        match &self.kind {
            PlanKind::Pipeline => "pipeline",
            PlanKind::Stage(_) | PlanKind::StageRollback(_) => "stage",
            PlanKind::Group { .. } => "step group",
            PlanKind::Step(_) | PlanKind::Service(_) | PlanKind::Environment(_) | PlanKind::Infrastructure => "step",
        }
    }

    /// The word of the API.
    pub(crate) fn type_name(&self) -> &str {
        match &self.kind {
            PlanKind::Pipeline => "Pipeline",
            PlanKind::Stage(stage) => &stage.type_name,
            PlanKind::StageRollback(_) => "StageRollback",
            PlanKind::Group { .. } => "StepGroup",
            PlanKind::Step(step) => &step.type_name,
            PlanKind::Service(_) => "Service",
            PlanKind::Environment(_) => "Environment",
            PlanKind::Infrastructure => "Infrastructure",
        }
    }
}

impl Plan {
    pub(crate) const ROOT: PlanIx = PlanIx(0);

    /// Total: whatever a pipeline holds has a place in its plan; what cannot run fails when its turn comes.
    pub(crate) fn of(pipeline: &Pipeline, selected: &[String]) -> Self {
        build::plan(pipeline, selected)
    }

    pub(crate) fn get(&self, ix: PlanIx) -> &PlanNode {
        &self.entries[ix.0]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (PlanIx, &PlanNode)> {
        self.entries.iter().enumerate().map(|(ix, entry)| (PlanIx(ix), entry))
    }

    pub(crate) fn by_path(&self, path: &NodeId) -> Option<PlanIx> {
        self.by_path.get(path).copied()
    }

    /// The entry and everything above it, innermost first.
    pub(crate) fn outwards(&self, ix: PlanIx) -> impl Iterator<Item = PlanIx> + '_ {
        std::iter::successors(Some(ix), |ix| self.get(*ix).parent)
    }

    /// Whether the entry undoes something: it stands below some rollback list.
    pub(crate) fn undoes(&self, ix: PlanIx) -> bool {
        self.outwards(ix).any(|above| self.get(above).section == Section::Rollback)
    }
}
