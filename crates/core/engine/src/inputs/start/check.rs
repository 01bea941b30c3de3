//! What cannot run is refused before the first step, all of it at once.

use crate::code::{LIMIT, OPEN_INPUT, REQUEST, UNSUPPORTED};
use crate::start::Start;
use windlass_diagnostic::Diagnostic;
use windlass_expression::{InputUse, input_use};
use windlass_model::pipeline::{Stage, StageItem, Step, StepGroup, StepNode, Variable};
use windlass_model::{InputSpec, Json};

/// Groups inside groups (pipelines §4.7).
const DEEPEST: usize = 5;
/// Letters and digits of a nonce.
const NONCE: std::ops::RangeInclusive<usize> = 16..=64;

pub(super) fn problems(start: &Start) -> Vec<Diagnostic> {
    let mut check = Check { start, problems: Vec::new() };
    check.request();
    check.variables("pipeline", &start.pipeline.variables);
    for item in &start.pipeline.stages {
        let stages = match item {
            StageItem::One(stage) => std::slice::from_ref(stage),
            StageItem::Parallel(stages) => stages.as_slice(),
        };
        check.width("pipeline.stages", stages.len());
        for stage in stages {
            if check.runs(stage) {
                check.stage(stage);
            }
        }
    }
    check.problems
}

struct Check<'s> {
    start: &'s Start,
    problems: Vec<Diagnostic>,
}

impl Check<'_> {
    fn error(&mut self, code: &'static str, path: &str, why: impl Into<String>) {
        self.problems.push(Diagnostic::error(code, why).path(path));
    }

    fn runs(&self, stage: &Stage) -> bool {
        self.start.selected_stages.is_empty() || self.start.selected_stages.contains(&stage.identifier)
    }

    fn request(&mut self) {
        let pipeline = &self.start.pipeline;
        if pipeline.stages().next().is_none() {
            self.error(REQUEST, "pipeline.stages", "there is no stage to run");
        }
        if !NONCE.contains(&self.start.nonce.len()) || !self.start.nonce.bytes().all(|b| b.is_ascii_alphanumeric()) {
            self.error(REQUEST, "nonce", "a nonce has 16 to 64 letters and digits");
        }
        let selected = &self.start.selected_stages;
        if !selected.is_empty() && !pipeline.allow_stage_executions {
            self.error(REQUEST, "pipeline.allowStageExecutions", "this pipeline does not allow to run single stages");
        }
        for wanted in selected {
            if !pipeline.stages().any(|stage| stage.identifier == *wanted) {
                let known = pipeline.stages().map(|stage| stage.identifier.as_str());
                let problem = Diagnostic::error(REQUEST, format!("there is no stage `{wanted}`"));
                self.problems.push(problem.path("pipeline.stages").nearest_of(wanted, known));
            }
        }
    }

    fn width(&mut self, path: &str, width: usize) {
        let widest = self.start.settings.widest;
        if width > widest {
            self.error(LIMIT, path, format!("{width} branches run in parallel here; at most {widest} may"));
        }
    }

    fn no_loop(&mut self, path: &str, looped: bool) {
        if looped {
            self.error(UNSUPPORTED, path, "`strategy` (matrix, repeat, parallelism) cannot be run yet");
        }
    }

    fn stage(&mut self, stage: &Stage) {
        let path = format!("pipeline.stages.{}", stage.identifier);
        self.no_loop(&path, stage.strategy.is_some());
        self.variables(&path, &stage.variables);
        let Some(execution) = stage.execution() else { return };
        self.list(&format!("{path}.spec.execution.steps"), &execution.steps, 0);
        self.list(&format!("{path}.spec.execution.rollbackSteps"), &execution.rollback_steps, 0);
    }

    fn list(&mut self, path: &str, nodes: &[StepNode], depth: usize) {
        nodes.iter().for_each(|node| self.node(path, node, depth));
    }

    fn node(&mut self, path: &str, node: &StepNode, depth: usize) {
        match node {
            StepNode::Step(step) => self.step(path, step),
            StepNode::Group(group) if depth == DEEPEST => {
                let why = format!("step group `{}` is nested more than {DEEPEST} deep", group.identifier);
                self.error(LIMIT, path, why);
            }
            StepNode::Group(group) => self.group(path, group, depth),
            StepNode::Parallel(nodes) if nodes.iter().any(|node| matches!(node, StepNode::Parallel(_))) => {
                self.error(REQUEST, path, "`parallel` directly inside `parallel` is not allowed");
            }
            StepNode::Parallel(nodes) => {
                self.width(path, nodes.len());
                self.list(path, nodes, depth);
            }
        }
    }

    fn group(&mut self, path: &str, group: &StepGroup, depth: usize) {
        let path = format!("{path}.{}", group.identifier);
        self.no_loop(&path, group.strategy.is_some());
        self.variables(&path, &group.variables);
        self.list(&format!("{path}.steps"), &group.steps, depth + 1);
        self.list(&format!("{path}.rollbackSteps"), &group.rollback_steps, depth + 1);
    }

    fn step(&mut self, path: &str, step: &Step) {
        let path = format!("{path}.{}", step.identifier);
        self.no_loop(&path, step.strategy.is_some());
        let mut open = vec![&step.spec];
        while let Some(json) = open.pop() {
            match json {
                Json::Object(entries) => open.extend(entries.values()),
                Json::Array(items) => open.extend(items),
                Json::String(text) => self.no_input(&format!("{path}.spec"), text),
                _ => {}
            }
        }
    }

    fn variables(&mut self, path: &str, variables: &[Variable]) {
        for variable in variables {
            if let Json::String(text) = &variable.value {
                self.no_input(&format!("{path}.variables.{}", variable.name), text);
            }
        }
    }

    /// Runtime inputs must have their values by now, those that are asked for later aside.
    fn no_input(&mut self, path: &str, text: &str) {
        let later = |text: &str| matches!(InputSpec::parse(text), Some(Ok(spec)) if spec.execution_input);
        match input_use(text) {
            InputUse::None => {}
            InputUse::Whole if later(text) => {}
            InputUse::Whole => self.error(OPEN_INPUT, path, "this runtime input has no value"),
            InputUse::Embedded => {
                self.error(
                    OPEN_INPUT,
                    path,
                    "`<+input>` cannot be part of a longer text: put it on a variable and use that",
                );
            }
        }
    }
}
