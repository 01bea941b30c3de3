//! Barriers that could never open (pipelines §4.8).

use crate::common::code;
use std::collections::BTreeMap;
use windlass_diagnostic::Diagnostic;
use windlass_model::pipeline::{Pipeline, Step, StepNode};
use windlass_yaml::Reader;

pub(super) fn check(reader: &Reader<'_>, pipeline: &Pipeline) {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for stage in pipeline.stages() {
        let Some(execution) = stage.execution() else { continue };
        for step in Step::all(&execution.steps).into_iter().filter(|s| s.kind == "Barrier") {
            let Some(barrier) = step.spec["barrierRef"].as_str() else { continue };
            *uses.entry(barrier).or_default() += 1;
            if !pipeline.barriers.contains_key(barrier) {
                let known = pipeline.barriers.keys().map(String::as_str);
                let problem = format!("the barrier `{barrier}` is not declared under `flowControl.barriers`");
                reader.report(Diagnostic::error(code::FLOW, problem).nearest_of(barrier, known));
            }
        }
        in_sequence(reader, &execution.steps);
    }
    for (barrier, count) in uses {
        if count == 1 {
            let problem = format!("only one step waits at the barrier `{barrier}`: it opens at once");
            reader.report(Diagnostic::warning(code::LINT, problem));
        }
    }
}

/// Two steps of one branch at one barrier wait for each other for ever.
fn in_sequence(reader: &Reader<'_>, nodes: &[StepNode]) {
    let mut before: Vec<&str> = Vec::new();
    for node in nodes {
        let here: Vec<&str> = match node {
            StepNode::Parallel(branches) => {
                for branch in branches {
                    in_sequence(reader, std::slice::from_ref(branch));
                }
                Step::all(std::slice::from_ref(node)).into_iter().filter_map(barrier_of).collect()
            }
            StepNode::Group(group) => {
                in_sequence(reader, &group.steps);
                Step::all(&group.steps).into_iter().filter_map(barrier_of).collect()
            }
            StepNode::Step(step) => barrier_of(step).into_iter().collect(),
        };
        if let Some(twice) = here.iter().find(|b| before.contains(b)) {
            let problem = format!("two steps of one branch wait at the barrier `{twice}`: neither can ever go on");
            reader.report(Diagnostic::error(code::FLOW, problem));
        }
        before.extend(here);
    }
}

fn barrier_of(step: &Step) -> Option<&str> {
    if step.kind == "Barrier" { step.spec["barrierRef"].as_str() } else { None }
}
