//! What expressions see of a run (pipelines §3.7).
//!
//! Texts of the pipeline's author may hold further expressions. Whatever came from outside, be it a payload, an
//! approver's words or the output of a step, is data: it is handed out as such and never evaluated.

mod deployed;
mod document;
mod facts;
mod functors;
mod node;

pub(crate) use functors::FILE;

use crate::deployment::ServiceFacts;
use crate::nodes::NodeIx;
use crate::plan::{PlanIx, PlanKind};
use crate::run::Run;
use windlass_expression::{Lookup, Scope, Value};
use windlass_model::Json;

/// Where an expression stands: a node of the run, or one that is about to start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunScope<'r> {
    pub run: &'r Run,
    pub plan: PlanIx,
    /// None while it is decided whether the node runs at all.
    pub node: Option<NodeIx>,
    pub parent: Option<NodeIx>,
    /// What a step adds for its own expressions: `httpResponseCode`, ….
    pub extra: Option<&'r Json>,
    /// Whoever started the run is named even without e-mail address (SEED-44).
    pub name_for_email: bool,
    /// The service while its own step still works on it.
    pub service: Option<&'r ServiceFacts>,
}

/// An entry of the plan, and its node when it has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    plan: PlanIx,
    node: Option<NodeIx>,
}

impl<'r> RunScope<'r> {
    pub(crate) fn of(run: &'r Run, ix: NodeIx) -> Self {
        let node = &run.nodes[ix];
        Self {
            run,
            plan: node.plan,
            node: Some(ix),
            parent: node.parent,
            extra: None,
            name_for_email: false,
            service: None,
        }
    }

    pub(crate) fn before(run: &'r Run, plan: PlanIx, parent: NodeIx) -> Self {
        Self { run, plan, node: None, parent: Some(parent), extra: None, name_for_email: false, service: None }
    }

    fn here(&self) -> Place {
        Place { plan: self.plan, node: self.node }
    }

    /// This place and those around it, innermost first.
    fn outwards(&self) -> impl Iterator<Item = Place> + '_ {
        let above = self.parent.into_iter().flat_map(|parent| self.run.outwards(parent));
        let above = above.map(|ix| Place { plan: self.run.nodes[ix].plan, node: Some(ix) });
        std::iter::once(self.here()).chain(above)
    }

    /// The enclosing stage; for rollback steps that run on their own, the stage they undo.
    fn stage(&self) -> Option<Place> {
        self.outwards().find_map(|place| match self.run.plan.get(place.plan).kind {
            PlanKind::Stage(_) => Some(place),
            PlanKind::StageRollback(stage) => Some(Place { plan: stage, node: self.run.nodes.of_plan(stage) }),
            _ => None,
        })
    }

    fn group(&self) -> Option<Place> {
        self.outwards().find(|place| matches!(self.run.plan.get(place.plan).kind, PlanKind::Group { .. }))
    }
}

impl Scope for RunScope<'_> {
    fn lookup(&self, path: &[&str]) -> Lookup {
        let Some((root, rest)) = path.split_first() else { return Lookup::Missing };
        let found = match *root {
            "pipeline" => self.pipeline(rest),
            "stage" => self.stage().map_or(Lookup::Missing, |stage| self.property(stage, rest)),
            "stepGroup" => self.group().map_or(Lookup::Missing, |group| self.property(group, rest)),
            "step" => self.property(self.here(), rest),
            "execution" | "steps" | "rollbackSteps" => {
                let rest = if *root == "execution" { rest } else { path };
                self.stage().map_or(Lookup::Missing, |stage| self.below(stage, rest))
            }
            "approval" => self.approval(rest),
            "account" | "org" | "project" | "variable" | "trigger" | "eventPayload" | "inputSet" => {
                self.facts(root, rest)
            }
            "OnPipelineSuccess" | "OnPipelineFailure" | "OnStageSuccess" | "OnStageFailure" | "Always" => {
                self.outcome(root)
            }
            _ => match self.extra.and_then(|extra| document::walk(extra, path)) {
                Some(value) => Lookup::outside(Value::from(value)),
                None => self.deployed(root, rest),
            },
        };
        match found {
            Lookup::Missing => self.supplied(path),
            found => found,
        }
    }

    fn call(&self, name: &[&str], arguments: &[Value]) -> Option<Lookup> {
        self.functor(name, arguments)
    }

    fn names(&self, path: &[&str]) -> Vec<String> {
        const ROOTS: &[&str] = &[
            "account",
            "artifact",
            "artifacts",
            "env",
            "execution",
            "infra",
            "inputSet",
            "manifests",
            "matrix",
            "org",
            "pipeline",
            "project",
            "service",
            "serviceVariables",
            "stage",
            "step",
            "stepGroup",
            "steps",
            "strategy",
            "trigger",
            "variable",
        ];
        match path {
            [] => ROOTS.iter().map(|root| (*root).to_owned()).collect(),
            path => self.names_below(path),
        }
    }
}
