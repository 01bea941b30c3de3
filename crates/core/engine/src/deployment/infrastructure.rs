//! The implicit infrastructure step: where to, and with which manifests (pipelines §4.2, SEED-31, SEED-32).

use super::connector::Connector;
use super::service::not_selected;
use super::{EnvironmentFacts, InfrastructureFacts, ServiceFacts, manifest, merge, overrides, target};
use crate::draft::Draft;
use crate::effect::{EntityKind, EntityRef};
use crate::event::InfrastructureFound;
use crate::flow::End;
use crate::lookup::not_found;
use crate::nodes::NodeIx;
use crate::plan::{PlanKind, Section};
use crate::resolve::{Eyes, Sealer, Trouble};
use serde_json::json;
use std::sync::Arc;
use windlass_diagnostic::Diagnostic;
use windlass_model::pipeline::{EnvironmentUse, Field, InfrastructureUse, Variable};
use windlass_model::{Failure, FailureType, Identifier, Json, Scope, Status};

fn wrong(why: impl Into<String>) -> Failure {
    Failure::new(FailureType::ConfigurationFailure, why)
}

pub(crate) fn proceed(draft: &mut Draft, ix: NodeIx) -> Result<(), Trouble> {
    let (facts, warnings) = match wanted(draft, ix)? {
        Wanted::FromStage(stage) => {
            let other = draft.stage_named(&stage).and_then(|other| draft[other].deployment.infrastructure.clone());
            let why =
                || wrong(format!("stage `{stage}` has no infrastructure to use: it must have run before this one"));
            (other.ok_or_else(why)?, Vec::new())
        }
        Wanted::Own(own) => find(draft, ix, &own)?,
    };
    for warning in warnings {
        draft.warn(ix, warning);
    }
    if !draft.run.settings().lazy_constraint && !draft.hold_infrastructure(ix, &facts) {
        return Ok(());
    }
    let node = draft[ix].id.clone();
    let output = json!({
        "identifier": facts.identifier, "name": facts.name, "namespace": facts.target.namespace,
        "releaseName": facts.target.release, "connectorRef": facts.connector.reference, "infrastructureKey": facts.key,
    });
    draft.emit(InfrastructureFound { node, infrastructure: facts });
    draft.finish_node(ix, End { output: Some(output.into()), ..End::with(Status::Success) });
    Ok(())
}

enum Wanted {
    FromStage(String),
    Own(InfrastructureUse),
}

/// What the stage says about its environment says it about its infrastructure too.
fn wanted(draft: &Draft, ix: NodeIx) -> Result<Wanted, Failure> {
    let stage = draft.stage_of(ix).ok_or_else(|| wrong("an infrastructure belongs to a stage"))?;
    let entry = draft.plan(stage);
    if let Some(kind) = entry.stage().and_then(|stage| stage.deployment_type.as_deref())
        && kind != "Kubernetes"
    {
        return Err(wrong(format!("deployment type `{kind}` is not supported")).hint("supported is Kubernetes"));
    }
    let environment =
        entry.items(Section::Forward).iter().flatten().find_map(|plan| match &draft.run.plan.get(*plan).kind {
            PlanKind::Environment(environment) => Some(environment),
            _ => None,
        });
    let elsewhere = match environment {
        Some(EnvironmentUse::FromStage { stage }) => not_selected(draft, stage).map(|other| other.environment),
        _ => None,
    };
    match elsewhere.as_ref().or(environment) {
        Some(EnvironmentUse::FromStage { stage }) => Ok(Wanted::FromStage(stage.clone())),
        Some(EnvironmentUse::Reference { deploy_to_all: Field::Fixed(true), .. }) => {
            Err(wrong("`deployToAll` is not supported").hint("write a stage for each infrastructure"))
        }
        Some(EnvironmentUse::Reference { infrastructures, .. }) => match infrastructures.as_slice() {
            [one] => Ok(Wanted::Own(one.clone())),
            [] => Err(wrong("the stage names no infrastructure")),
            _ => Err(wrong("more than one infrastructure in a stage is not supported").hint("write a stage for each")),
        },
        None => Err(wrong("the stage names no environment")),
    }
}

type Facts = (Arc<InfrastructureFacts>, Vec<Diagnostic>);

fn find(draft: &Draft, ix: NodeIx, own: &InfrastructureUse) -> Result<Facts, Trouble> {
    let deployment = draft.deployment_of(ix);
    let (Some(service), Some(environment)) = (deployment.service.clone(), deployment.environment.clone()) else {
        return Err(wrong("service and environment must be known first").into());
    };
    let reference = draft.text_of(ix, &own.identifier, "infrastructureDefinitions.identifier")?;
    let kind = EntityKind::Infrastructure { environment: environment.identifier.clone() };
    let wanted = EntityRef { kind, reference: reference.clone(), from: environment.scope.clone() };
    let mut warnings = Vec::new();
    let (identifier, version, body, from) = match (draft[ix].optional(&wanted)?, &own.inputs) {
        (Ok(found), inputs) => {
            let filled = merge::fill(found.body, inputs.as_ref());
            let given = inputs.as_ref().unwrap_or(&Json::Null);
            warnings.extend(differing(draft, ix, &reference, &filled, given));
            if !filled.open.is_empty() {
                let open = filled.open.join(", ");
                return Err(
                    wrong(format!("infrastructure `{reference}`: runtime inputs without a value: {open}")).into()
                );
            }
            let body = adopt_selectors(filled.json, inputs.as_ref());
            (found.identifier.to_owned(), Some(found.version), body, found.scope.clone())
        }
        (Err(_), Some(inputs)) if inputs.pointer("/spec/connectorRef").is_some() => {
            let what = format!("infrastructure `{reference}` is not stored: the values written in the stage define it");
            warnings.push(Diagnostic::warning("SEED-31", what));
            (reference.clone(), None, inputs.clone(), draft.run.scope())
        }
        (Err(why), _) => return Err(not_found(&wanted, &why).into()),
    };
    let read = Reading { draft, ix, service: &service, environment: &environment, body: &body, from };
    let facts = read.facts(identifier, version)?;
    Ok((Arc::new(facts), warnings))
}

/// Fixed values that the stage wanted to be different. Spellings that mean the same are no difference (SEED-03).
fn differing(draft: &Draft, ix: NodeIx, reference: &str, filled: &merge::Filled, given: &Json) -> Vec<Diagnostic> {
    let meant = |json: &Json, path: &str| {
        let text = json.pointer(&format!("/{}", path.replace('.', "/")))?.as_str()?;
        let text = draft.text_of(ix, text, path).ok()?;
        Some(Identifier::folded(&text))
    };
    // Selectors are ours: they count from either place (SEED-32).
    let paths = filled.differing.iter().filter(|path| !path.starts_with("spec.delegateSelectors"));
    paths
        .filter(|path| {
            let (stored, wanted) = (meant(&filled.json, path), meant(given, path));
            stored.is_none() || stored != wanted
        })
        .map(|path| {
            let code = if path.ends_with("namespace") { "SEED-35" } else { "SEED-31" };
            let what = format!("infrastructure `{reference}`: `{path}` is fixed there; the stage's value is ignored");
            Diagnostic::warning(code, what)
        })
        .collect()
}

/// Selectors written in the stage's inputs count when the stored definition has none (SEED-32).
fn adopt_selectors(mut body: Json, inputs: Option<&Json>) -> Json {
    const SELECTORS: &str = "/spec/delegateSelectors";
    if body.pointer(SELECTORS).is_none()
        && let Some(own) = inputs.and_then(|inputs| inputs.pointer(SELECTORS))
        && let Some(Json::Object(spec)) = body.get_mut("spec")
    {
        spec.insert("delegateSelectors".to_owned(), own.clone());
    }
    body
}

struct Reading<'d> {
    draft: &'d Draft,
    ix: NodeIx,
    service: &'d ServiceFacts,
    environment: &'d EnvironmentFacts,
    body: &'d Json,
    from: Scope,
}

impl Reading<'_> {
    fn text(&self, eyes: &Eyes<'_>, key: &str) -> Result<String, Trouble> {
        match self.body.pointer(&format!("/spec/{key}")) {
            Some(Json::String(text)) if !text.is_empty() => eyes.text(text, &format!("infrastructure {key}")),
            _ => Err(wrong(format!("infrastructure: `spec.{key}` is missing")).into()),
        }
    }

    fn facts(&self, identifier: String, version: Option<u64>) -> Result<InfrastructureFacts, Trouble> {
        let kind = self.body.get("type").and_then(Json::as_str).unwrap_or("KubernetesDirect");
        if kind != "KubernetesDirect" {
            return Err(wrong(format!("infrastructure type `{kind}` is not supported"))
                .hint("use KubernetesDirect")
                .into());
        }
        let eyes = self.draft.eyes(self.ix);
        let connector_ref = self.text(&eyes, "connectorRef")?;
        let namespace = self.text(&eyes, "namespace")?;
        // The release is usually named after the key, which the rest of the definition makes (kubernetes-deploy §1.1).
        let key = target::key(&self.service.identifier, &self.environment.identifier, &connector_ref, &namespace);
        let known = json!({
            "INFRA_KEY": key, "INFRA_KEY_SHORT_ID": key.get(..6),
            "infra": {"namespace": namespace, "connectorRef": connector_ref, "infraIdentifier": identifier},
        });
        let release = self.text(&self.draft.eyes(self.ix).with(&known), "releaseName")?;
        target::check_names(&namespace, &release)?;
        // Everything that the rest needs is looked up at once.
        let three = || (self.environment.identifier.clone(), self.service.identifier.clone(), identifier.clone());
        let reference = |kind| EntityRef { kind, reference: identifier.clone(), from: self.draft.run.scope() };
        let (environment, service, infrastructure) = three();
        let overrides_ref = reference(EntityKind::Overrides { environment, service, infrastructure });
        let (environment, service, infrastructure) = three();
        let last_ref = reference(EntityKind::LastDeployment { environment, service, infrastructure });
        let cluster_ref =
            EntityRef { kind: EntityKind::Connector, reference: connector_ref.clone(), from: self.from.clone() };
        let node = &self.draft[self.ix];
        node.need(&[overrides_ref.clone(), last_ref.clone(), cluster_ref.clone()])?;
        let none = Json::Null;
        let found = node.optional(&overrides_ref)?;
        let layers = overrides::layers(found.as_ref().map_or(&none, |found| found.body));
        let variables = overrides::apply(&self.service.variables, &self.service.own, &layers);
        let last = node.optional(&last_ref)?.map_or(Json::Null, |found| found.body.clone());
        let found = node.entity(&cluster_ref)?;
        let connector = Connector { reference: &connector_ref, scope: found.scope, body: found.body };
        let sealer = Sealer::of(&self.draft.run);
        let target = windlass_model::task::ClusterTarget {
            connector: connector_ref.clone(),
            access: connector.cluster(&sealer)?,
            namespace,
            release,
            service: self.service.identifier.clone(),
            environment: self.environment.identifier.clone(),
            environment_type: self.environment.kind,
            infrastructure: identifier.clone(),
        };
        let name = self.body.get("name").and_then(Json::as_str).unwrap_or(&identifier).to_owned();
        let known = with_release(known, &name, &target.release);
        let source = self.source(&self.draft.eyes(self.ix).with(&known), &variables, &layers)?;
        Ok(InfrastructureFacts {
            name,
            tags: super::service::tags(self.body),
            version,
            key,
            allow_simultaneous: truth(self.body.get("allowSimultaneousDeployments")),
            selectors: self.selectors()?,
            connector: connector.facts(),
            target,
            source,
            service_variables: variables,
            last,
            identifier,
        })
    }

    fn selectors(&self) -> Result<Vec<String>, Trouble> {
        let list = self.body.pointer("/spec/delegateSelectors").and_then(Json::as_array);
        let texts = list.into_iter().flatten().filter_map(Json::as_str);
        texts.map(|text| self.draft.text_of(self.ix, text, "infrastructure delegateSelectors")).collect()
    }

    /// Manifests, variables and artifacts for the worker.
    fn source(
        &self,
        eyes: &Eyes<'_>,
        variables: &[Variable],
        layers: &[overrides::Override<'_>],
    ) -> Result<windlass_model::task::source::ServiceSource, Trouble> {
        let list = |json: &Json| json.get("manifests").and_then(Json::as_array).cloned().unwrap_or_default();
        let mut written: Vec<(Json, Scope, u8)> = Vec::new();
        let primary = self.service.definition.pointer("/manifestConfigurations/primaryManifestRef");
        let primary = primary.and_then(Json::as_str).map(|text| eyes.text(text, "primaryManifestRef")).transpose()?;
        for manifest in list(&self.service.definition) {
            // Of several charts one is deployed (kubernetes-deploy §1.1).
            let body = manifest.get("manifest").unwrap_or(&manifest);
            let is_other = primary.is_some() && merge::name_of(&manifest) != primary;
            if is_other && body.get("type").and_then(Json::as_str) == Some("HelmChart") {
                continue;
            }
            let own = merge::name_of(&manifest).is_some_and(|name| self.service.own.contains(&name));
            let from = if own { self.draft.run.scope() } else { self.service.scope.clone() };
            written.push((manifest, from, 0));
        }
        for layer in layers {
            written.extend(list(layer.body).into_iter().map(|manifest| (manifest, layer.scope.clone(), layer.layer)));
        }
        let manifests = written.iter().map(|(json, from, layer)| {
            let written = manifest::Written { manifest: json, from: from.clone(), layer: *layer };
            manifest::resolve(self.draft, self.ix, eyes, &written)
        });
        let manifests = manifests.collect::<Result<_, _>>()?;
        target::source(&self.draft.run, eyes, self.service, variables, manifests)
    }
}

/// What the service's own expressions may know of the infrastructure.
fn with_release(mut known: Json, name: &str, release: &str) -> Json {
    known["infra"]["name"] = name.into();
    known["infra"]["releaseName"] = release.into();
    known
}

fn truth(json: Option<&Json>) -> bool {
    match json {
        Some(Json::Bool(value)) => *value,
        Some(Json::String(text)) => text.eq_ignore_ascii_case("true"),
        _ => false,
    }
}
