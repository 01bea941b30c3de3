//! Steps on a cluster: what the worker is given (kubernetes-deploy §2.1, pipelines §11.5).

mod compat;
mod undo;

pub(crate) use undo::leaves_a_canary;

use super::{selection, task};
use crate::deployment::{InfrastructureFacts, manifest};
use crate::draft::Draft;
use crate::flow::End;
use crate::node::Preview;
use crate::nodes::NodeIx;
use crate::resolve::{Spec, Trouble};
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_model::task::Work;
use windlass_model::task::kubernetes::{KubernetesStep, KubernetesWork};
use windlass_model::task::source::ManifestSource;
use windlass_model::{Failure, FailureType, Json, Scope, Status};

fn wrong(why: impl Into<String>) -> Failure {
    Failure::new(FailureType::ConfigurationFailure, why)
}

pub(super) fn proceed(draft: &mut Draft, ix: NodeIx, kind: &str) -> Result<(), Trouble> {
    if let Some(reason) = undo::nothing_to_undo(draft, ix, kind) {
        draft.finish_node(ix, End::with(Status::Skipped).because(reason));
        return Ok(());
    }
    let facts = place(draft, ix, kind)?;
    if !draft.hold_infrastructure(ix, &facts) {
        return Ok(());
    }
    let spec = draft.resolve_spec(ix)?;
    let step = read(draft, ix, kind, &spec)?;
    let work = work(draft, ix, step, &facts);
    let selection = selection::of(draft, ix, Some(&facts))?;
    draft.record_spec(ix, &spec);
    compat::warnings(draft, ix, kind);
    task::request(draft, ix, Work::Kubernetes(Box::new(work)), selection);
    Ok(())
}

/// A step with everything the worker needs for it.
pub(super) fn work(draft: &Draft, ix: NodeIx, step: KubernetesStep, facts: &InfrastructureFacts) -> KubernetesWork {
    KubernetesWork {
        step,
        target: facts.target.clone(),
        source: facts.source.clone(),
        pinned: pinned(draft, ix),
        settings: draft.run.settings().deploy.clone(),
    }
}

/// Where a step of a Deployment stage works.
pub(super) fn place(draft: &Draft, ix: NodeIx, kind: &str) -> Result<Arc<InfrastructureFacts>, Failure> {
    draft.deployment_of(ix).infrastructure.ok_or_else(|| {
        wrong(format!("`{kind}` needs a cluster: it belongs in a Deployment stage")).hint("move it there")
    })
}

/// The typed step.
fn read(draft: &Draft, ix: NodeIx, kind: &str, spec: &Spec) -> Result<KubernetesStep, Trouble> {
    if kind == "K8sBlueGreenDeploy" && compat::is_health_check(draft, ix) {
        return Ok(KubernetesStep::SteadyStateCheck(Default::default()));
    }
    let mut json = (*spec.json).clone();
    // Stores are resolved here, as the service's are; the worker knows no connectors.
    let (source, overrides) = stores(draft, ix, &mut json)?;
    let step = KubernetesStep::read(kind, &json)
        .map_err(|error| wrong(format!("the spec of `{kind}` does not read: {error}")))?;
    Ok(match step {
        KubernetesStep::K8sApply(mut apply) => {
            apply.manifest_source = source;
            apply.overrides = overrides;
            if apply.file_paths.is_empty() && apply.manifest_source.is_none() {
                return Err(wrong("`K8sApply` needs `filePaths` or `manifestSource`").into());
            }
            KubernetesStep::K8sApply(apply)
        }
        KubernetesStep::K8sCanaryDeploy(canary) if canary.is_progressive() => {
            if !canary.target_percentage.is_some_and(|percentage| (1..=100).contains(&percentage)) {
                let why = "`canaryType: Progressive` needs `targetPercentage`, from 1 to 100";
                return Err(wrong(why).into());
            }
            KubernetesStep::K8sCanaryDeploy(canary)
        }
        KubernetesStep::K8sCanaryDeploy(canary) if canary.instance_selection.is_none() => {
            let why = "`K8sCanaryDeploy` needs `instanceSelection`";
            return Err(wrong(why).hint("or `canaryType: Progressive` with `targetPercentage`").into());
        }
        KubernetesStep::K8sRollingRollback(mut rollback) => {
            // On its own a rollback undoes the stage execution of that time.
            rollback.of_stage_execution = draft.rollback_place(ix).map(|_| draft.stage_execution(ix));
            KubernetesStep::K8sRollingRollback(rollback)
        }
        other => other,
    })
}

type Stores = (Option<ManifestSource>, Vec<ManifestSource>);

fn stores(draft: &Draft, ix: NodeIx, spec: &mut Json) -> Result<Stores, Trouble> {
    let Json::Object(fields) = spec else { return Ok((None, Vec::new())) };
    let source = fields.remove("manifestSource").filter(|source| !source.is_null());
    let overrides = match fields.remove("overrides") {
        Some(Json::Array(overrides)) => overrides,
        _ => Vec::new(),
    };
    let from: Scope = draft.run.scope();
    let read = |json: &Json, layer: u8| {
        let written = manifest::Written { manifest: json, from: from.clone(), layer };
        manifest::resolve(draft, ix, &draft.eyes(ix), &written)
    };
    let source = source.as_ref().map(|json| read(json, 0)).transpose()?;
    // The overrides of a step are the strongest values (kubernetes-deploy §1.4).
    let overrides = overrides.iter().map(|json| read(json, 5)).collect::<Result<_, _>>()?;
    Ok((source, overrides))
}

/// Commits that earlier steps of the stage pinned, by manifest: what was fetched once is used until the end
/// (kubernetes-deploy §1.3 rule 1).
fn pinned(draft: &Draft, ix: NodeIx) -> BTreeMap<String, String> {
    let Some(stage) = draft.home_stage(ix) else { return BTreeMap::new() };
    let mut pinned = BTreeMap::new();
    for (other, node) in draft.run.nodes.iter() {
        let shown = match node.preview.as_deref() {
            Some(Preview::Made { output, .. }) => Some(output),
            _ => None,
        };
        let outputs = node.past.iter().filter_map(|past| past.output.as_deref()).chain(node.output.as_deref());
        for output in outputs.chain(shown).filter(|_| draft.run.is_within(other, stage)) {
            for (manifest, commit) in output.get("commits").and_then(Json::as_object).into_iter().flatten() {
                if let Some(commit) = commit.as_str() {
                    pinned.entry(manifest.clone()).or_insert_with(|| commit.to_owned());
                }
            }
        }
    }
    pinned
}
