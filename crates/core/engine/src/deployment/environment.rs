//! The implicit environment step (pipelines §4.2).

use super::service::{not_selected, settled, tags};
use super::{EnvironmentFacts, merge, overrides};
use crate::draft::Draft;
use crate::effect::EntityKind;
use crate::event::EnvironmentFound;
use crate::flow::End;
use crate::nodes::NodeIx;
use crate::resolve::Trouble;
use std::sync::Arc;
use windlass_model::pipeline::EnvironmentUse;
use windlass_model::task::cluster::EnvironmentType;
use windlass_model::{Failure, FailureType, Json, Status};

pub(crate) fn proceed(draft: &mut Draft, ix: NodeIx, wanted: &EnvironmentUse) -> Result<(), Trouble> {
    let facts = match wanted {
        EnvironmentUse::FromStage { stage } if not_selected(draft, stage).is_some() => {
            match not_selected(draft, stage).map(|other| other.environment) {
                Some(EnvironmentUse::Reference { environment_ref, environment_inputs, .. }) => {
                    Arc::new(find(draft, ix, &environment_ref, environment_inputs.as_ref())?)
                }
                _ => return Err(nothing_to_use(stage).into()),
            }
        }
        EnvironmentUse::FromStage { stage } => {
            let other = draft.stage_named(stage).and_then(|other| draft[other].deployment.environment.clone());
            other.ok_or_else(|| nothing_to_use(stage))?
        }
        EnvironmentUse::Reference { environment_ref, environment_inputs, .. } => {
            Arc::new(find(draft, ix, environment_ref, environment_inputs.as_ref())?)
        }
    };
    let node = draft[ix].id.clone();
    let output = serde_json::to_value(&*facts).unwrap_or_default();
    draft.emit(EnvironmentFound { node, environment: facts });
    draft.finish_node(ix, End { output: Some(output.into()), ..End::with(Status::Success) });
    Ok(())
}

fn nothing_to_use(stage: &str) -> Failure {
    let why = format!("stage `{stage}` has no environment to use: it must have run before this one");
    Failure::new(FailureType::ConfigurationFailure, why)
}

fn find(draft: &Draft, ix: NodeIx, reference: &str, inputs: Option<&Json>) -> Result<EnvironmentFacts, Trouble> {
    let reference = draft.text_of(ix, reference, "environmentRef")?;
    let wanted = draft.reference(EntityKind::Environment, reference);
    let found = draft[ix].entity(&wanted)?;
    let body = merge::fill(found.body, inputs).json;
    let text = |key: &str| body.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
    Ok(EnvironmentFacts {
        identifier: found.identifier.to_owned(),
        name: if text("name").is_empty() { found.identifier.to_owned() } else { text("name") },
        description: text("description"),
        kind: if text("type") == "Production" { EnvironmentType::Production } else { EnvironmentType::PreProduction },
        tags: tags(&body),
        scope: found.scope.clone(),
        version: found.version,
        variables: overrides::variables(body.get("variables")).into_iter().map(settled).collect(),
    })
}
