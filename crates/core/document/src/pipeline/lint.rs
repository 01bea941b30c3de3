//! What a pipeline says that works and is probably not meant (pipelines §11.5), and what could never end (§4.8).

mod approval;
mod barrier;
mod kubernetes;
mod verify;

use windlass_model::pipeline::{Pipeline, StageKind, Step};
use windlass_yaml::{Node, Reader};

pub(super) fn check(reader: &Reader<'_>, pipeline: &Pipeline) {
    let steps = Steps::of(reader);
    for stage in pipeline.stages() {
        let Some(execution) = stage.execution() else { continue };
        let forward = Step::all(&execution.steps);
        for step in forward.iter().copied().chain(Step::all(&execution.rollback_steps)) {
            let at = Found { reader, node: steps.find(&stage.identifier, &step.identifier) };
            match step.kind.as_str() {
                "HarnessApproval" => approval::check(&at, step),
                "Verify" => verify::check(&at, step),
                "K8sApply" => kubernetes::apply(&at, step),
                _ => {}
            }
        }
        if let StageKind::Deployment(deployment) = &stage.kind {
            kubernetes::order(&forward, deployment, |id| Found { reader, node: steps.find(&stage.identifier, id) });
        }
    }
    barrier::check(reader, pipeline);
}

/// A problem's place: the node of a step, or the pipeline when it cannot be told.
struct Found<'a, 'r> {
    reader: &'r Reader<'a>,
    node: Option<&'a Node>,
}

impl Found<'_, '_> {
    fn report(&self, problem: windlass_diagnostic::Diagnostic) {
        let Some(node) = self.node else { return self.reader.report(problem) };
        let path = self.reader.node().path_of(node).map(|path| format!("{}.{path}", self.reader.path()));
        let problem = problem.at(node.place.clone());
        self.reader.report(match path {
            Some(path) => problem.path(path),
            None => problem,
        });
    }
}

/// The nodes of all steps, by stage and identifier.
struct Steps<'a>(Vec<(&'a str, &'a str, &'a Node)>);

impl<'a> Steps<'a> {
    fn of(reader: &Reader<'a>) -> Self {
        let mut found = Vec::new();
        let stages = reader.node().get("stages").and_then(Node::as_seq).unwrap_or_default();
        for item in stages {
            let parallel = item.get("parallel").and_then(Node::as_seq).unwrap_or_default();
            for stage in std::iter::once(item).chain(parallel).filter_map(|item| item.get("stage")) {
                let Some(id) = stage.get("identifier").and_then(Node::as_str) else { continue };
                let Some(execution) = stage.get("spec").and_then(|s| s.get("execution")) else { continue };
                for key in ["steps", "rollbackSteps"] {
                    collect(id, execution.get(key), &mut found);
                }
            }
        }
        Self(found)
    }

    fn find(&self, stage: &str, step: &str) -> Option<&'a Node> {
        self.0.iter().find(|(s, id, _)| *s == stage && *id == step).map(|(_, _, node)| *node)
    }
}

fn collect<'a>(stage: &'a str, list: Option<&'a Node>, found: &mut Vec<(&'a str, &'a str, &'a Node)>) {
    for item in list.and_then(Node::as_seq).unwrap_or_default() {
        if let Some(step) = item.get("step")
            && let Some(id) = step.get("identifier").and_then(Node::as_str)
        {
            found.push((stage, id, step));
        }
        if let Some(group) = item.get("stepGroup") {
            collect(stage, group.get("steps"), found);
            collect(stage, group.get("rollbackSteps"), found);
        }
        collect(stage, item.get("parallel"), found);
    }
}
