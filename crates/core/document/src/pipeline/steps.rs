//! Steps, groups and parallel blocks (pipelines §4.1, §4.5, §4.7).

use super::strategy::{self, Level};
use super::unique::Unique;
use super::{loops, when};
use crate::common::{self, code};
use crate::step;
use windlass_diagnostic::Diagnostic;
use windlass_model::Json;
use windlass_model::pipeline::{Execution, Step, StepGroup, StepNode};
use windlass_yaml::Reader;

/// Groups inside groups inside groups (pipelines §4.7: five).
const DEEPEST: usize = 5;

pub(super) fn execution(reader: &Reader<'_>) -> Option<Execution> {
    let fields = reader.fields()?;
    let mut unique = Unique::new("step or step group");
    let steps = fields.required("steps").map(|list| nodes(&list, &mut unique, Place::FORWARD)).unwrap_or_default();
    let rollback_steps =
        fields.opt("rollbackSteps").map(|list| nodes(&list, &mut unique, Place::ROLLBACK)).unwrap_or_default();
    fields.finish();
    if steps.is_empty() {
        reader.report(Diagnostic::error(code::CHOICE, "a stage has at least one step"));
    }
    Some(Execution { steps, rollback_steps })
}

/// Where in a stage a node stands.
#[derive(Clone, Copy, Debug)]
struct Place {
    rollback: bool,
    depth: usize,
    in_parallel: bool,
}

impl Place {
    const FORWARD: Self = Self { rollback: false, depth: 0, in_parallel: false };
    const ROLLBACK: Self = Self { rollback: true, depth: 0, in_parallel: false };
}

fn nodes(list: &Reader<'_>, unique: &mut Unique, place: Place) -> Vec<StepNode> {
    list.items().unwrap_or_default().into_iter().filter_map(|item| node(&item, unique, place)).collect()
}

fn node(reader: &Reader<'_>, unique: &mut Unique, place: Place) -> Option<StepNode> {
    let fields = reader.fields()?;
    let (one, group, parallel, insert) =
        (fields.opt("step"), fields.opt("stepGroup"), fields.opt("parallel"), fields.opt("insert"));
    fields.finish();
    match (one, group, parallel, insert) {
        (Some(one), None, None, None) => step_of(&one, unique, place).map(|s| StepNode::Step(Box::new(s))),
        (None, Some(group), None, None) => group_of(&group, unique, place).map(|g| StepNode::Group(Box::new(g))),
        (None, None, Some(parallel), None) => {
            if place.in_parallel {
                parallel.report(Diagnostic::error(code::FLOW, "`parallel` cannot stand directly inside `parallel`"));
                return None;
            }
            Some(StepNode::Parallel(nodes(&parallel, unique, Place { in_parallel: true, ..place })))
        }
        (None, None, None, Some(insert)) => {
            insert.report(Diagnostic::error(
                code::UNSUPPORTED,
                "`insert` belongs to templates, which cannot be used yet",
            ));
            None
        }
        _ => {
            let problem = "an entry of a step list is exactly one of `step`, `stepGroup`, `parallel`";
            reader.report(Diagnostic::error(code::CHOICE, problem));
            None
        }
    }
}

fn step_of(reader: &Reader<'_>, unique: &mut Unique, place: Place) -> Option<Step> {
    let fields = reader.fields()?;
    let identifier = common::identifier(&fields);
    if let Some(identifier) = &identifier {
        unique.claim(reader, identifier);
    }
    let name = common::name(&fields);
    let kind = fields.required("type").and_then(|t| kind(&t));
    let spec = fields.opt("spec");
    let timeout = fields.opt("timeout").and_then(|t| common::duration(&t));
    let when = when::read(&fields, "stageStatus", "pipelineStatus");
    let level = if place.rollback { Level::RollbackStep } else { Level::Step };
    let failure_strategies = strategy::read(&fields, level);
    let strategy = loops::read(&fields);
    let selectors_in_spec = reader.node().get("spec").and_then(|s| s.get("delegateSelectors")).is_some();
    let mut delegate_selectors = fields.opt("delegateSelectors").and_then(|s| common::selectors(&s));
    let enforce = fields.opt("enforce").map(|e| enforce(&e)).unwrap_or_default();
    fields.known(&["description"]);
    if let Some(template) = fields.opt("template") {
        template.report(Diagnostic::error(code::UNSUPPORTED, "steps from a template cannot be used yet"));
    }
    fields.finish();
    if let (Some(spec), true) = (&spec, selectors_in_spec)
        && let Some(inner) = spec.fields()
    {
        delegate_selectors = inner.opt("delegateSelectors").and_then(|s| common::selectors(&s)).or(delegate_selectors);
    }
    let kind = kind?;
    match (&spec, step::keys_of(&kind)) {
        (Some(spec), Some(keys)) => step::check(spec, keys),
        (None, Some(keys)) => without_spec(reader, &kind, keys),
        (_, None) => {}
    }
    Some(Step {
        name: name.or_else(|| identifier.clone())?,
        identifier: identifier?,
        kind,
        spec: spec.map_or_else(|| Json::Object(serde_json::Map::new()), |s| common::json(&s)),
        timeout,
        when,
        failure_strategies,
        strategy,
        delegate_selectors,
        enforce,
    })
}

fn without_spec(reader: &Reader<'_>, kind: &str, keys: &[step::Key]) {
    let required: Vec<_> = keys.iter().filter(|k| k.required).map(|k| format!("`{}`", k.name)).collect();
    if required.is_empty() {
        reader.report(Diagnostic::warning("SEED-08", "the vendor's schema demands `spec`; it counts as empty here"));
    } else {
        let problem = format!("`spec` is missing: {kind} needs {}", required.join(", "));
        reader.report(Diagnostic::error(windlass_yaml::code::MISSING_KEY, problem));
    }
}

fn kind(reader: &Reader<'_>) -> Option<String> {
    let word = reader.string()?;
    match step::step_type(&word) {
        Some(known) if known.runs => {}
        Some(known) => reader.report(
            Diagnostic::warning(code::UNSUPPORTED, format!("steps of type {word} ({}) cannot run here", known.summary))
                .remedy("the step is kept and fails when it is reached"),
        ),
        None => {
            let problem = format!("`{word}` is not a type of step");
            let known = step::step_types().map(|t| t.name);
            reader.report(Diagnostic::error(code::TYPE, problem).nearest_of(&word, known));
            return None;
        }
    }
    Some(word)
}

fn enforce(reader: &Reader<'_>) -> Vec<String> {
    let Some(fields) = reader.fields() else { return Vec::new() };
    let sets = fields.list("policySets", |set| set.string());
    fields.finish();
    sets
}

fn group_of(reader: &Reader<'_>, unique: &mut Unique, place: Place) -> Option<StepGroup> {
    let place = Place { depth: place.depth + 1, in_parallel: false, ..place };
    if place.depth > DEEPEST {
        reader.report(Diagnostic::error(code::FLOW, format!("step groups nest at most {DEEPEST} deep")));
        return None;
    }
    let fields = reader.fields()?;
    let identifier = common::identifier(&fields);
    if let Some(identifier) = &identifier {
        unique.claim(reader, identifier);
    }
    let name = common::name(&fields);
    let steps = if fields.has("template") { None } else { fields.required("steps") };
    let steps = steps.map(|list| nodes(&list, unique, place)).unwrap_or_default();
    let rollback = Place { rollback: true, ..place };
    let rollback_steps = fields.opt("rollbackSteps").map(|list| nodes(&list, unique, rollback)).unwrap_or_default();
    let variables = common::variables(&fields);
    let when = when::read(&fields, "stageStatus", "pipelineStatus");
    let failure_strategies = strategy::read(&fields, Level::Group);
    let strategy = loops::read(&fields);
    let delegate_selectors = fields.opt("delegateSelectors").and_then(|s| common::selectors(&s));
    let timeout = fields.opt("timeout").and_then(|t| common::duration(&t));
    let infrastructure = fields.opt("stepGroupInfra").map(|i| {
        i.report(
            Diagnostic::warning(code::UNSUPPORTED, "step groups in containers cannot run here yet")
                .remedy("the group is kept and fails when it is reached"),
        );
        common::json(&i)
    });
    fields.known(&["sharedPaths", "platform", "description"]);
    if let Some(template) = fields.opt("template") {
        template.report(Diagnostic::error(code::UNSUPPORTED, "step groups from a template cannot be used yet"));
    }
    fields.finish();
    if steps.is_empty() {
        reader.report(Diagnostic::error(code::CHOICE, "a step group has at least one step"));
    }
    Some(StepGroup {
        name: name.or_else(|| identifier.clone())?,
        identifier: identifier?,
        steps,
        rollback_steps,
        variables,
        when,
        failure_strategies,
        strategy,
        delegate_selectors,
        timeout,
        infrastructure,
    })
}
