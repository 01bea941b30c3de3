//! `pipeline.…`, `stage.…`, `execution.steps.…`: nodes and what is known of them.

use super::{Place, RunScope, document};
use crate::flow::{aggregate, shown_status};
use crate::node::Node;
use crate::nodes::NodeIx;
use crate::plan::{PlanKind, Section};
use crate::resolve::SEALED_OUTPUTS;
use indexmap::IndexMap;
use windlass_expression::{Lookup, SecretRef, Value};
use windlass_model::pipeline::{Variable, VariableType};
use windlass_model::task::OUTPUT_REFERENCE;
use windlass_model::{Json, Status, Timestamp};

impl RunScope<'_> {
    pub(super) fn pipeline(&self, rest: &[&str]) -> Lookup {
        let Some(start) = &self.run.start else { return Lookup::Missing };
        let pipeline = &start.pipeline;
        let text = |text: &str| Lookup::author(text);
        match rest {
            ["variables", name @ ..] => variable(&pipeline.variables, name, |_| None),
            ["stages", stage, rest @ ..] => self.in_stage(stage, rest),
            ["executionId"] => text(&self.run.id().execution_id()),
            ["resumedExecutionId"] => match start.mode.first_run() {
                Some(run) => text(&run.execution_id()),
                None => Lookup::author(Value::Null),
            },
            ["sequenceId"] => Lookup::author(i64::try_from(start.sequence).unwrap_or(i64::MAX)),
            ["executionUrl"] => text(&start.facts.execution_url),
            ["startTs"] => moment(self.run.started_at),
            ["executionMode"] => text(self.run.execution_mode()),
            ["selectedStages"] => Lookup::author(pipeline_stages(start)),
            ["delegateSelectors"] => self.document(&["delegateSelectors"]),
            ["storeType"] => text(&start.facts.store_type),
            ["repo"] => Lookup::author(optional(start.facts.repo.as_deref())),
            ["branch"] => Lookup::author(optional(start.facts.branch.as_deref())),
            ["triggerType"] => text(start.trigger.kind.name()),
            ["triggeredBy", "name"] => Lookup::outside(start.started_by.name.as_str()),
            ["triggeredBy", "email"] => {
                let name = self.name_for_email.then_some(start.started_by.name.as_str());
                Lookup::outside(optional(start.started_by.email.as_deref().or(name)))
            }
            ["orgIdentifier"] => text(&pipeline.org),
            ["projectIdentifier"] => text(&pipeline.project),
            _ => match self.run.nodes.of_plan(crate::plan::Plan::ROOT) {
                Some(root) => self.property(Place { plan: crate::plan::Plan::ROOT, node: Some(root) }, rest),
                None => Lookup::Missing,
            },
        }
    }

    /// `pipeline.stages.S.…`
    fn in_stage(&self, stage: &str, rest: &[&str]) -> Lookup {
        match self.child(Place { plan: crate::plan::Plan::ROOT, node: None }, Section::Forward, stage) {
            Some(place) => self.property(place, rest),
            // Not part of this run: what its author wrote is known all the same.
            None => self.document(&[&["stages", stage], rest].concat()),
        }
    }

    /// A node below `place` by its identifier.
    fn child(&self, place: Place, section: Section, identifier: &str) -> Option<Place> {
        let items = self.run.plan.get(place.plan).items(section);
        let named = |plan: &&crate::plan::PlanIx| {
            let entry = self.run.plan.get(**plan);
            let implicit =
                matches!(entry.kind, PlanKind::Service(_) | PlanKind::Environment(_) | PlanKind::Infrastructure);
            !implicit && *entry.identifier == *identifier
        };
        let plan = *items.iter().flatten().find(named)?;
        Some(Place { plan, node: self.run.nodes.of_plan(plan) })
    }

    /// What a path means below a node: one of its steps, or a property.
    pub(super) fn below(&self, place: Place, rest: &[&str]) -> Lookup {
        let (section, rest) = match rest {
            ["spec", "execution", list @ ("steps" | "rollbackSteps"), rest @ ..]
            | ["execution", list @ ("steps" | "rollbackSteps"), rest @ ..]
            | [list @ ("steps" | "rollbackSteps"), rest @ ..] => {
                (if *list == "steps" { Section::Forward } else { Section::Rollback }, rest)
            }
            _ => return Lookup::Missing,
        };
        match rest {
            [identifier, rest @ ..] => match self.child(place, section, identifier) {
                Some(place) => self.property(place, rest),
                None => Lookup::Missing,
            },
            [] => Lookup::Missing,
        }
    }

    /// A property of a node, or something below it.
    pub(super) fn property(&self, place: Place, rest: &[&str]) -> Lookup {
        let entry = self.run.plan.get(place.plan);
        let node = place.node.map(|ix| &self.run.nodes[ix]).filter(|node| node.status != Status::NotStarted);
        let Some((key, more)) = rest.split_first() else { return Lookup::Missing };
        let plain = more.is_empty();
        match (*key, node) {
            ("identifier", _) if plain => Lookup::author(&*entry.identifier),
            ("type", _) if plain => Lookup::author(entry.type_name()),
            ("name", Some(node)) if plain => Lookup::outside(&*node.name),
            ("name", None) if plain => Lookup::author(&*entry.name),
            ("variables", _) => self.variables_of(place, more),
            ("description", _) if plain => self.document_of(place, rest),
            ("status", Some(_)) if plain => self.status(place, false),
            ("currentStatus" | "liveStatus", Some(_)) if plain => self.status(place, true),
            ("startTs", Some(node)) if plain => moment(node.started_at),
            ("endTs", Some(node)) if plain => moment(node.ended_at),
            ("executionUrl", _) if plain => Lookup::author(self.url(place)),
            ("retryCount", Some(node)) if plain => Lookup::author(i64::try_from(node.past.len()).unwrap_or(i64::MAX)),
            ("output", Some(node)) => match &node.output {
                Some(output) if node.status.is_terminal() => answered(node, output, more),
                _ => Lookup::Missing,
            },
            ("spec", Some(node)) if entry.step().is_some() => match &node.spec {
                Some(spec) => outside(spec, more),
                None => Lookup::Missing,
            },
            ("spec", None) if entry.step().is_some() => Lookup::Missing,
            ("delegateSelectors" | "tags", _) => self.document_of(place, rest),
            _ => match node.filter(|_| *key == "spec").and_then(|node| self.implicit(node, more)) {
                Some(found) => found,
                None => match self.below(place, rest) {
                    Lookup::Missing => self.document_of(place, rest),
                    found => found,
                },
            },
        }
    }

    /// `spec.infrastructure.output.…` and `spec.artifacts.primary.output.…` of a stage: what its implicit steps found.
    fn implicit(&self, stage: &Node, path: &[&str]) -> Option<Lookup> {
        match path {
            ["artifacts", "primary", "output", rest @ ..] => {
                let service = stage.deployment.service.as_ref()?;
                Some(outside(service.artifacts.get("primary")?, rest))
            }
            [part @ ("service" | "environment" | "infrastructure"), "output", rest @ ..] => {
                let of_part =
                    |child: &&NodeIx| self.run.plan_of(**child).path.as_str().ends_with(&format!(".spec.{part}"));
                let child = stage.children.iter().find(of_part)?;
                Some(outside(self.run.nodes[*child].output.as_ref()?, rest))
            }
            _ => None,
        }
    }

    fn status(&self, place: Place, of_children: bool) -> Lookup {
        let Some(ix) = place.node else { return Lookup::Missing };
        let node = &self.run.nodes[ix];
        let status = if of_children && node.is_active() && node.container.is_some() {
            let so_far = aggregate(node.children.iter().map(|child| self.run.nodes[*child].status));
            if so_far.is_good() { Status::Running } else { so_far }
        } else {
            shown_status(self.run, ix)
        };
        Lookup::author(status.engine_name())
    }

    fn variables_of(&self, place: Place, name: &[&str]) -> Lookup {
        let entry = self.run.plan.get(place.plan);
        let given = place.node.and_then(|ix| self.run.nodes[ix].inputs.clone());
        let given = |name: &str| given.as_ref().and_then(|given| given.get(&format!("variables.{name}")).cloned());
        match &entry.kind {
            PlanKind::Pipeline => match &self.run.start {
                Some(start) => variable(&start.pipeline.variables, name, given),
                None => Lookup::Missing,
            },
            PlanKind::Stage(stage) => variable(&stage.variables, name, given),
            PlanKind::Group { variables, .. } => variable(variables, name, given),
            _ => Lookup::Missing,
        }
    }

    fn url(&self, place: Place) -> String {
        let base = self.run.start.as_ref().map_or("", |start| start.facts.execution_url.as_str());
        if base.is_empty() {
            return String::new();
        }
        format!("{base}?node={}", self.run.plan.get(place.plan).path)
    }

    /// The document below the place of a node, as its author wrote it.
    fn document_of(&self, place: Place, rest: &[&str]) -> Lookup {
        let path = self.run.plan.get(place.plan).path.clone();
        let keys: Vec<&str> = path.as_str().split('.').skip(1).chain(rest.iter().copied()).collect();
        self.document(&keys)
    }

    fn document(&self, keys: &[&str]) -> Lookup {
        let Some(start) = &self.run.start else { return Lookup::Missing };
        let document = start.document.get("pipeline").unwrap_or(&start.document);
        match document::walk(document, keys) {
            Some(value) => Lookup::author(Value::from(value)),
            None => Lookup::Missing,
        }
    }

    /// `approval.approvalActivities[0].…`: of the approval that ended last in this stage.
    pub(super) fn approval(&self, rest: &[&str]) -> Lookup {
        let Some(stage) = self.stage().and_then(|stage| stage.node) else { return Lookup::Missing };
        let last = self.run.nodes.iter().rev().find(|(ix, node)| {
            let is_approval = self.run.plan_of(*ix).step().is_some_and(|step| &*step.type_name == "HarnessApproval");
            is_approval && node.output.is_some() && self.run.is_within(*ix, stage)
        });
        match last.and_then(|(_, node)| node.output.as_ref()) {
            Some(output) => outside(output, rest),
            None => Lookup::Missing,
        }
    }

    pub(super) fn names_below(&self, path: &[&str]) -> Vec<String> {
        let names = |variables: &[Variable]| variables.iter().map(|variable| variable.name.clone()).collect();
        let children = |place: Place, section| {
            let items = self.run.plan.get(place.plan).items(section).iter().flatten();
            items.map(|plan| self.run.plan.get(*plan).identifier.to_string()).collect()
        };
        let root = Place { plan: crate::plan::Plan::ROOT, node: None };
        match path {
            ["pipeline", "variables"] => {
                self.run.start.as_ref().map(|s| names(&s.pipeline.variables)).unwrap_or_default()
            }
            ["pipeline"] => {
                ["variables", "stages", "name", "identifier", "tags", "executionId", "sequenceId", "triggeredBy"]
                    .map(str::to_owned)
                    .to_vec()
            }
            ["pipeline", "stages"] => children(root, Section::Forward),
            ["stage", "variables"] => match self.stage().map(|stage| &self.run.plan.get(stage.plan).kind) {
                Some(PlanKind::Stage(stage)) => names(&stage.variables),
                _ => Vec::new(),
            },
            ["execution", "steps"] | ["steps"] => {
                self.stage().map(|stage| children(stage, Section::Forward)).unwrap_or_default()
            }
            _ => self.names_deployed(path),
        }
    }
}

/// A variable by name, dots in the name included; the whole map without one.
pub(super) fn variable(variables: &[Variable], name: &[&str], given: impl Fn(&str) -> Option<Json>) -> Lookup {
    if name.is_empty() {
        let map: IndexMap<_, _> = variables.iter().map(|v| (v.name.clone(), value_of(v, given(&v.name)))).collect();
        return Lookup::author(Value::map(map));
    }
    let wanted = name.join(".");
    match variables.iter().rfind(|variable| variable.name == wanted) {
        Some(variable) => Lookup::author(value_of(variable, given(&variable.name))),
        None => Lookup::Missing,
    }
}

/// The value of a variable by its declared type; expressions in it are left to the reader.
fn value_of(variable: &Variable, given: Option<Json>) -> Value {
    let json = given.as_ref().unwrap_or(&variable.value);
    let text = match json {
        Json::String(text) => text.clone(),
        Json::Null => return Value::Null,
        other if variable.kind == VariableType::String && !other.is_object() && !other.is_array() => other.to_string(),
        other => return Value::from(other),
    };
    match variable.kind {
        _ if text.contains("<+") => Value::from(text),
        VariableType::String => Value::from(text),
        VariableType::Number => match (text.trim().parse::<i64>(), text.trim().parse::<f64>()) {
            (Ok(int), _) => Value::Int(int),
            (_, Ok(float)) => Value::float(float).unwrap_or_else(|| Value::from(text)),
            _ => Value::from(text),
        },
        VariableType::Secret => match SecretRef::new(&text) {
            Ok(secret) => Value::secret(secret),
            Err(_) => Value::Null,
        },
    }
}

/// What a step answered. A secret that a script made is known by where it was made (pipelines §6.3): only workers see it.
pub(super) fn answered(node: &Node, output: &Json, path: &[&str]) -> Lookup {
    let ["outputVariables", name] = path else { return outside(output, path) };
    let is_sealed = output.get(SEALED_OUTPUTS).is_some_and(|sealed| sealed.get(name).is_some());
    match SecretRef::new(&format!("{OUTPUT_REFERENCE}{}.{name}", node.id.as_str())) {
        Ok(secret) if is_sealed => Lookup::author(Value::secret(secret)),
        _ => outside(output, path),
    }
}

pub(super) fn outside(json: &Json, path: &[&str]) -> Lookup {
    match document::walk(json, path) {
        Some(value) => Lookup::outside(Value::from(value)),
        None => Lookup::Missing,
    }
}

pub(super) fn optional(text: Option<&str>) -> Value {
    text.map_or(Value::Null, Value::from)
}

/// Epoch milliseconds.
fn moment(at: Option<Timestamp>) -> Lookup {
    match at {
        Some(at) => Lookup::author(at.millis()),
        None => Lookup::Missing,
    }
}

fn pipeline_stages(start: &crate::start::Start) -> Value {
    let all = start.pipeline.stages().map(|stage| stage.identifier.as_str());
    let selected = start.selected_stages.iter().map(String::as_str);
    if start.selected_stages.is_empty() { all.map(Value::from).collect() } else { selected.map(Value::from).collect() }
}
