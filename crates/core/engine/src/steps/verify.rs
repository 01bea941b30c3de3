//! The Verify step (kubernetes-deploy §3, pipelines SEED-53, SEED-54).

use super::{kubernetes, selection, task};
use crate::deployment::InfrastructureFacts;
use crate::deployment::connector::Connector;
use crate::draft::Draft;
use crate::effect::{EntityKind, EntityRef};
use crate::event::BaselineMeasured;
use crate::flow::End;
use crate::nodes::NodeIx;
use crate::resolve::{Sealer, Trouble};
use std::sync::Arc;
use windlass_analysis::{OnInconclusive as Inconclusive, Sensitivity as Level, VerificationType, VerifySpec};
use windlass_diagnostic::Diagnostic;
use windlass_model::task::cluster::EnvironmentType;
use windlass_model::task::verify::{HealthSource, MetricQuery, OnInconclusive, Sensitivity, VerifyKind, VerifyWork};
use windlass_model::task::{Outcome, Work};
use windlass_model::{Failure, FailureType, Json, Millis, Scope, Status, Timestamp};

fn wrong(why: impl std::fmt::Display) -> Failure {
    Failure::new(FailureType::ConfigurationFailure, why.to_string())
}

pub(super) fn proceed(draft: &mut Draft, ix: NodeIx) -> Result<(), Trouble> {
    let facts = kubernetes::place(draft, ix, "Verify")?;
    if !draft.hold_infrastructure(ix, &facts) {
        return Ok(());
    }
    let spec = draft.resolve_spec(ix)?;
    let wanted = VerifySpec::from_json(&spec.json).map_err(wrong)?;
    let (monitored, baseline) = references(draft, &facts, &spec.json);
    let node = &draft[ix];
    node.need(&[monitored.clone(), baseline.clone()])?;
    let found = node.optional(&monitored)?;
    if let (Err(why), true) = (&found, names_a_service(&spec.json)) {
        return Err(crate::lookup::not_found(&monitored, why).into());
    }
    let sources = match &found {
        Ok(found) => sources(draft, ix, found.scope, found.body, &wanted)?,
        Err(_) => Vec::new(),
    };
    let on_inconclusive = match written(&spec.json, "onInconclusive") {
        Some(_) => wanted.on_inconclusive,
        // Ask a person only where it matters (kubernetes-deploy §3.4 D).
        None if facts.target.environment_type == EnvironmentType::Production => Inconclusive::Pause,
        None => Inconclusive::Pass,
    };
    let work = VerifyWork {
        kind: kind(wanted.kind),
        target: facts.target.clone(),
        duration: wanted.duration,
        sensitivity: match wanted.sensitivity {
            Level::Low => Sensitivity::Low,
            Level::Medium => Sensitivity::Medium,
            Level::High => Sensitivity::High,
        },
        deployment_tag: wanted.deployment_tag.clone(),
        health_sources: sources,
        fail_on_no_analysis: match written(&spec.json, "failOnNoAnalysis") {
            Some(_) => wanted.fail_on_no_analysis,
            None => draft.run.settings().fail_on_no_analysis,
        },
        deployed_at: deployed_at(draft, ix),
        baseline: node.optional(&baseline)?.ok().map(|found| found.body.clone()),
        on_inconclusive: match on_inconclusive {
            Inconclusive::Pause => OnInconclusive::Pause,
            Inconclusive::Pass => OnInconclusive::Pass,
            Inconclusive::Fail => OnInconclusive::Fail,
        },
    };
    let selection = selection::of(draft, ix, Some(&facts))?;
    draft.record_spec(ix, &spec);
    let duration = work.duration;
    if draft.grant(ix, Millis(duration.0.saturating_add(COLLECTION.0))) {
        let what = format!("the timeout leaves no time beyond the duration of {duration}: {COLLECTION} are added");
        draft.warn(ix, Diagnostic::warning("SEED-54", what));
    }
    task::request(draft, ix, Work::Verify(Box::new(work)), selection);
    Ok(())
}

/// What a verification needs besides its duration, to collect and to judge (SEED-54).
const COLLECTION: Millis = Millis::from_mins(10);

fn kind(kind: VerificationType) -> VerifyKind {
    match kind {
        VerificationType::Auto => VerifyKind::Auto,
        VerificationType::Canary => VerifyKind::Canary,
        VerificationType::Bluegreen => VerifyKind::Bluegreen,
        VerificationType::Rolling => VerifyKind::Rolling,
        VerificationType::LoadTest => VerifyKind::LoadTest,
        VerificationType::SimpleVerification => VerifyKind::SimpleVerification,
    }
}

/// A field of the nested spec, or beside it (SEED-53).
fn written<'s>(spec: &'s Json, key: &str) -> Option<&'s Json> {
    spec.get("spec").and_then(|nested| nested.get(key)).or_else(|| spec.get(key)).filter(|value| !value.is_null())
}

fn named(spec: &Json) -> Option<&str> {
    let pointer = ["/monitoredService/spec/monitoredServiceRef", "/monitoredService/spec/ref"];
    pointer.into_iter().find_map(|pointer| spec.pointer(pointer)).and_then(Json::as_str)
}

fn names_a_service(spec: &Json) -> bool {
    named(spec).is_some()
}

/// The monitored service and the samples to compare with.
fn references(draft: &Draft, facts: &InfrastructureFacts, spec: &Json) -> (EntityRef, EntityRef) {
    let target = &facts.target;
    let default = format!("{}_{}", target.service, target.environment);
    let name = named(spec).map_or(default, str::to_owned);
    let (environment, service, infrastructure) =
        (target.environment.clone(), target.service.clone(), target.infrastructure.clone());
    let baseline = EntityKind::Baseline { environment, service, infrastructure };
    (draft.reference(EntityKind::MonitoredService, name), draft.reference(baseline, target.infrastructure.clone()))
}

/// The health sources of a monitored service; with `healthSources` in the step only these.
fn sources(
    draft: &Draft,
    ix: NodeIx,
    scope: &Scope,
    body: &Json,
    wanted: &VerifySpec,
) -> Result<Vec<HealthSource>, Trouble> {
    let listed = body.pointer("/sources/healthSources").and_then(Json::as_array).into_iter().flatten();
    let text = |json: &Json, key: &str| json.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
    let chosen = |source: &&Json| {
        let identifier = text(source, "identifier");
        wanted.health_sources.is_empty() || wanted.health_sources.iter().any(|one| one.identifier == identifier)
    };
    let mut sources = Vec::new();
    for source in listed.filter(chosen) {
        let identifier = text(source, "identifier");
        let kind = text(source, "type");
        if kind != "Prometheus" {
            return Err(wrong(format!("health source `{identifier}`: type `{kind}` is not supported")).into());
        }
        let spec = source.get("spec").cloned().unwrap_or_default();
        let reference = text(&spec, "connectorRef");
        let connector = EntityRef { kind: EntityKind::Connector, reference: reference.clone(), from: scope.clone() };
        let found = draft[ix].entity(&connector)?;
        let connector = Connector { reference: &reference, scope: found.scope, body: found.body };
        let prometheus = connector.prometheus(&Sealer::of(&draft.run))?;
        let metrics = spec.get("metricDefinitions").or_else(|| spec.get("metrics")).and_then(Json::as_array);
        let metrics =
            metrics.into_iter().flatten().map(|metric| metric_of(draft, ix, metric)).collect::<Result<_, _>>()?;
        sources.push(HealthSource::Prometheus {
            identifier,
            url: prometheus.url,
            headers: prometheus.headers,
            basic_auth: prometheus.basic_auth,
            metrics,
        });
    }
    Ok(sources)
}

fn metric_of(draft: &Draft, ix: NodeIx, metric: &Json) -> Result<MetricQuery, Trouble> {
    let text = |keys: &[&str]| {
        keys.iter().find_map(|key| metric.pointer(key).and_then(Json::as_str)).unwrap_or_default().to_owned()
    };
    let name = text(&["/metricName", "/name", "/identifier"]);
    let identifier = text(&["/identifier", "/metricName", "/name"]);
    let query = text(&["/query"]);
    let label = text(&["/analysis/deploymentVerification/serviceInstanceFieldName", "/instanceLabel"]);
    let parsed = |key: &str| metric.get(key).cloned().unwrap_or_default();
    Ok(MetricQuery {
        query: draft.text_of(ix, &query, &format!("metric `{identifier}`"))?,
        group: match text(&["/group", "/groupName"]) {
            group if group.is_empty() => "errors".into(),
            group => group.to_ascii_lowercase(),
        },
        unit: text(&["/unit"]),
        instance_label: if label.is_empty() { "pod".into() } else { label },
        direction: serde_json::from_value(parsed("direction")).unwrap_or_default(),
        critical: metric.get("critical") == Some(&Json::Bool(true)),
        abs_min: metric.get("absMin").and_then(Json::as_f64),
        thresholds: serde_json::from_value(parsed("thresholds")).unwrap_or_default(),
        name,
        identifier,
    })
}

/// When the last step that changed the cluster was done; the start of this one when there was none.
fn deployed_at(draft: &Draft, ix: NodeIx) -> Timestamp {
    const CHANGES: [&str; 6] =
        ["K8sRollingDeploy", "K8sCanaryDeploy", "K8sBlueGreenDeploy", "K8sBGSwapServices", "K8sApply", "K8sScale"];
    let last = draft.home_stage(ix).map(|stage| draft.did(stage, &CHANGES)).unwrap_or_default();
    let ended = last.iter().filter_map(|step| draft[*step].ended_at).max();
    ended.or(draft[ix].started_at).unwrap_or(draft.now)
}

/// A verdict that needs a person becomes a manual decision; everything else is an ordinary end.
pub(super) fn conclude(draft: &mut Draft, ix: NodeIx, outcome: &Outcome) {
    let inconclusive = |output: &Json| {
        let verdict = output.get("verdict").or_else(|| output.pointer("/report/verdict")).and_then(Json::as_str);
        verdict.is_some_and(|verdict| verdict.eq_ignore_ascii_case("inconclusive"))
    };
    match outcome {
        Outcome::Failed { failure, output } if inconclusive(output) && asks(draft, ix) => {
            draft.ask_about(ix, Arc::new(failure.clone()));
        }
        Outcome::Succeeded { .. } => super::succeed(draft, ix, End::with(Status::Success)),
        other => task::conclude(draft, ix, other),
    }
}

/// Takes the samples out of an answer: they are kept for later verifications, not with the run.
pub(super) fn split(outcome: Outcome) -> (Outcome, Option<Json>) {
    let take = |output: &mut Json| match output {
        Json::Object(fields) => fields.remove("samples"),
        _ => None,
    };
    match outcome {
        Outcome::Succeeded { mut output } => {
            let samples = take(&mut output);
            (Outcome::Succeeded { output }, samples)
        }
        Outcome::Failed { failure, mut output } => {
            take(&mut output);
            (Outcome::Failed { failure, output }, None)
        }
        other => (other, None),
    }
}

/// A verification passed: its samples are the control side of later ones.
pub(super) fn measured(draft: &mut Draft, ix: NodeIx, samples: Json) {
    let Some(facts) = draft.deployment_of(ix).infrastructure else { return };
    let target = &facts.target;
    let event = BaselineMeasured {
        node: draft[ix].id.clone(),
        service: target.service.clone(),
        environment: target.environment.clone(),
        infrastructure: target.infrastructure.clone(),
        samples: Arc::new(samples),
    };
    draft.emit(event);
}

/// Whether the step said, or production implies, that a person decides.
fn asks(draft: &Draft, ix: NodeIx) -> bool {
    let written = draft[ix].spec.as_deref().and_then(|spec| written(spec, "onInconclusive")).and_then(Json::as_str);
    let production = draft
        .deployment_of(ix)
        .infrastructure
        .is_some_and(|facts| facts.target.environment_type == EnvironmentType::Production);
    written.map_or(production, |word| word.eq_ignore_ascii_case("pause"))
}
