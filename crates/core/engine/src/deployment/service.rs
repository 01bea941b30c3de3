//! The implicit service step (pipelines §4.2, SEED-30, SEED-37).

use super::{ServiceFacts, artifact, merge, overrides};
use crate::draft::Draft;
use crate::effect::EntityKind;
use crate::event::ServiceFound;
use crate::flow::End;
use crate::lookup::{Entity, not_found};
use crate::nodes::NodeIx;
use crate::resolve::Trouble;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use windlass_diagnostic::Diagnostic;
use windlass_model::pipeline::{Deployment, ServiceUse, StageKind, Variable};
use windlass_model::{Failure, FailureType, InputSpec, Json, ScopedRef, Status};

pub(crate) fn proceed(draft: &mut Draft, ix: NodeIx, wanted: &ServiceUse) -> Result<(), Trouble> {
    let (facts, warnings) = match wanted {
        ServiceUse::FromStage { stage } => match not_selected(draft, stage).map(|other| other.service) {
            Some(ServiceUse::Reference { service_ref, inputs, inline }) => {
                find(draft, ix, &service_ref, inputs.as_ref(), inline.as_ref())?
            }
            _ => (from_stage(draft, stage)?, Vec::new()),
        },
        ServiceUse::Reference { service_ref, inputs, inline } => {
            find(draft, ix, service_ref, inputs.as_ref(), inline.as_ref())?
        }
    };
    for warning in warnings {
        draft.warn(ix, warning);
    }
    let node = draft[ix].id.clone();
    let output = serde_json::to_value(&*facts).unwrap_or_default();
    draft.emit(ServiceFound { node, service: facts });
    draft.finish_node(ix, End { output: Some(output.into()), ..End::with(Status::Success) });
    Ok(())
}

/// What a stage that is not part of this run would deploy: its definition counts instead (pipelines §5.8).
pub(super) fn not_selected(draft: &Draft, stage: &str) -> Option<Deployment> {
    let start = draft.run.start.as_ref().filter(|start| !start.selected_stages.is_empty())?;
    if start.selected_stages.iter().any(|selected| selected == stage) {
        return None;
    }
    match &start.pipeline.stages().find(|other| other.identifier == stage)?.kind {
        StageKind::Deployment(deployment) => Some((**deployment).clone()),
        _ => None,
    }
}

fn from_stage(draft: &Draft, stage: &str) -> Result<Arc<ServiceFacts>, Trouble> {
    let other = draft.stage_named(stage).and_then(|other| draft[other].deployment.service.clone());
    other.ok_or_else(|| {
        let why = format!("stage `{stage}` has no service to use: it must have run before this one");
        Failure::new(FailureType::ConfigurationFailure, why).into()
    })
}

type Facts = (Arc<ServiceFacts>, Vec<Diagnostic>);

fn find(
    draft: &Draft,
    ix: NodeIx,
    reference: &str,
    inputs: Option<&Json>,
    inline: Option<&Json>,
) -> Result<Facts, Trouble> {
    let reference = draft.text_of(ix, reference, "serviceRef")?;
    let wanted = draft.reference(EntityKind::Service, reference.clone());
    let own = inline.and_then(|inline| inline.get("spec"));
    let mut warnings = Vec::new();
    let (mut facts, stored) = match draft[ix].optional(&wanted)? {
        Ok(found) => {
            let filled = merge::fill(found.body, inputs);
            warnings.extend(filled.differing.iter().map(|path| {
                let what = format!("service `{reference}`: `{path}` is fixed there; the stage's value is ignored");
                Diagnostic::warning("SEED-31", what)
            }));
            let stored = filled.json.get("serviceDefinition").cloned().unwrap_or_default();
            (stored_facts(&found, &filled.json), stored)
        }
        Err(_) if inline.is_some() => {
            let what =
                format!("service `{reference}` is not stored: the definition written in the stage is used alone");
            warnings.push(Diagnostic::warning("SEED-30", what));
            (local_facts(draft, &reference), Json::Null)
        }
        Err(why) => return Err(not_found(&wanted, &why).into()),
    };
    let kind = inline.and_then(|i| i.get("type")).or_else(|| stored.get("type")).and_then(Json::as_str);
    facts.kind = kind.unwrap_or("Kubernetes").to_owned();
    let stored = stored.get("spec").cloned().unwrap_or_else(|| Json::Object(serde_json::Map::new()));
    facts.definition = own.map_or_else(|| stored.clone(), |own| merge::over(&stored, own));
    facts.own = own.map(names_in).unwrap_or_default();
    facts.variables = overrides::variables(facts.definition.get("variables")).into_iter().map(settled).collect();
    let unset: Vec<_> =
        facts.variables.iter().filter(|v| v.required && v.value == Json::Null).map(|v| v.name.as_str()).collect();
    if !unset.is_empty() {
        let why = format!("service variables without a value: {}", unset.join(", "));
        return Err(Failure::new(FailureType::ConfigurationFailure, why).into());
    }
    let from = if facts.version.is_some() && own.is_none_or(|own| own.get("artifacts").is_none()) {
        facts.scope.clone()
    } else {
        draft.run.scope()
    };
    facts.artifacts = artifact::resolve(draft, ix, &facts, &from)?;
    Ok((Arc::new(facts), warnings))
}

fn stored_facts(found: &Entity<'_>, body: &Json) -> ServiceFacts {
    let text = |key: &str| body.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
    ServiceFacts {
        identifier: found.identifier.to_owned(),
        name: if text("name").is_empty() { found.identifier.to_owned() } else { text("name") },
        description: text("description"),
        kind: String::new(),
        tags: tags(body),
        git_ops_enabled: body.get("gitOpsEnabled") == Some(&Json::Bool(true)),
        scope: found.scope.clone(),
        version: Some(found.version),
        definition: Json::Null,
        variables: Vec::new(),
        own: BTreeSet::new(),
        artifacts: BTreeMap::new(),
    }
}

/// A service that exists in this run only.
fn local_facts(draft: &Draft, reference: &str) -> ServiceFacts {
    let id = ScopedRef::parse(reference).map_or_else(|_| reference.to_owned(), |reference| reference.id.to_string());
    ServiceFacts {
        identifier: id.clone(),
        name: id,
        description: String::new(),
        kind: String::new(),
        tags: BTreeMap::new(),
        git_ops_enabled: false,
        scope: draft.run.scope(),
        version: None,
        definition: Json::Null,
        variables: Vec::new(),
        own: BTreeSet::new(),
        artifacts: BTreeMap::new(),
    }
}

pub(super) fn tags(body: &Json) -> BTreeMap<String, String> {
    let tags = body.get("tags").and_then(Json::as_object).into_iter().flatten();
    tags.map(|(key, value)| (key.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))).collect()
}

/// The variables and manifests that the stage itself writes: no override is stronger.
fn names_in(own: &Json) -> BTreeSet<String> {
    let lists = ["variables", "manifests"].into_iter().filter_map(|key| own.get(key).and_then(Json::as_array));
    lists.flatten().filter_map(merge::name_of).collect()
}

/// A variable with its runtime input settled: the default beside it, else empty; a required one stays without value.
pub(super) fn settled(mut variable: Variable) -> Variable {
    if variable.value.as_str().is_some_and(InputSpec::is_input) {
        variable.value = match variable.default.clone() {
            Some(default) => default,
            None if variable.required => Json::Null,
            None => Json::String(String::new()),
        };
    }
    variable
}
