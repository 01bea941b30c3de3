//! Reading a pipeline (pipelines §1.4, §4), with the tolerance that §11 asks for.

mod deployment;
mod lint;
mod loops;
mod stage;
mod steps;
mod strategy;
mod unique;
mod when;

pub(crate) use strategy::ACTIONS;

use crate::common::{self, code};
use std::collections::BTreeMap;
use windlass_diagnostic::Diagnostic;
use windlass_model::pipeline::Pipeline;
use windlass_yaml::Reader;

/// Reads the value of the root key `pipeline`. Everything that is wrong is reported; nothing when too little is right.
pub(crate) fn read(reader: &Reader<'_>) -> Option<Pipeline> {
    let fields = reader.fields()?;
    // Checked as the document's header, which knows what a hyphen in it means (SEED-02).
    let identifier = fields.opt_string("identifier");
    let name = common::name(&fields);
    let org = fields.opt_string("orgIdentifier");
    let project = fields.opt_string("projectIdentifier");
    let description = fields.opt_string("description").unwrap_or_default();
    let tags = common::tags(&fields);
    let variables = common::variables(&fields);
    let stages = stages(&fields);
    let barriers = fields.opt("flowControl").map(|flow| barriers(&flow)).unwrap_or_default();
    let notification_rules = fields.list("notificationRules", |rule| Some(common::json(&rule)));
    let delegate_selectors = fields.opt("delegateSelectors").and_then(|s| common::selectors(&s));
    let timeout = fields.opt("timeout").and_then(|t| common::duration(&t));
    let allow_stage_executions = fields.opt_bool("allowStageExecutions").unwrap_or(false);
    let fixed_inputs_on_rerun = fields.opt_bool("fixedInputsOnRerun").unwrap_or(false);
    fields.known(&["properties", "template"]);
    if let Some(triggers) = fields.opt("triggers") {
        triggers.report(
            Diagnostic::warning("SEED-04", "triggers are documents of their own; the vendor ignores this block")
                .remedy("each is kept as a trigger of this pipeline, and updated whenever the pipeline is saved"),
        );
        for item in triggers.items().unwrap_or_default() {
            let Some(inner) = item.fields() else { continue };
            inner.required("trigger").and_then(|trigger| crate::entity::trigger::read(&trigger));
            inner.finish();
        }
    }
    if let Some(template) = fields.opt("template") {
        template.report(Diagnostic::error(code::UNSUPPORTED, "pipelines from a template cannot be used yet"));
    }
    fields.finish();
    let pipeline = Pipeline {
        name: name.or_else(|| identifier.clone())?,
        identifier: identifier?,
        org: org.unwrap_or_default(),
        project: project.unwrap_or_default(),
        description,
        tags,
        variables,
        stages: stages?,
        barriers,
        notification_rules,
        delegate_selectors,
        timeout,
        allow_stage_executions,
        fixed_inputs_on_rerun,
    };
    lint::check(reader, &pipeline);
    Some(pipeline)
}

fn stages(fields: &windlass_yaml::Fields<'_>) -> Option<Vec<windlass_model::pipeline::StageItem>> {
    if fields.has("template") && !fields.has("stages") {
        return None;
    }
    let list = fields.required("stages")?;
    let items = list.items()?;
    if items.is_empty() {
        list.report(Diagnostic::error(code::CHOICE, "a pipeline has at least one stage"));
    }
    let mut unique = unique::Unique::new("stage");
    Some(items.into_iter().filter_map(|item| stage::item(&item, &mut unique)).collect())
}

fn barriers(flow: &Reader<'_>) -> BTreeMap<String, String> {
    let Some(fields) = flow.fields() else { return BTreeMap::new() };
    let barriers = fields.list("barriers", |barrier| {
        let fields = barrier.fields()?;
        let identifier = common::identifier(&fields);
        let name = fields.opt_string("name");
        fields.known(&["stages"]);
        fields.finish();
        let identifier = identifier?;
        Some((identifier.clone(), name.unwrap_or(identifier)))
    });
    fields.finish();
    barriers.into_iter().collect()
}
