//! `spec` of a Deployment stage (pipelines §4.2, §11.4).

use super::steps;
use crate::common::{self, code};
use windlass_diagnostic::Diagnostic;
use windlass_model::pipeline::{Deployment, EnvironmentUse, Field, InfrastructureUse, ServiceUse};
use windlass_yaml::{Fields, Reader};

pub(super) fn read(spec: &Reader<'_>) -> Option<Deployment> {
    let fields = spec.fields()?;
    let deployment_type = fields.opt("deploymentType").and_then(|t| deployment_type(&t));
    let service = one_of(&fields, "service", &["services", "serviceConfig"]).and_then(|s| service(&s));
    let environment = one_of(&fields, "environment", &["environments", "environmentGroup", "infrastructure"])
        .and_then(|e| environment(&e));
    let execution = fields.required("execution").and_then(|e| steps::execution(&e));
    fields.known(&["customDeploymentRef", "multiDeploymentConfig", "gitOpsEnabled"]);
    if fields.opt_bool("gitOpsEnabled") == Some(true) {
        spec.report(Diagnostic::error(code::UNSUPPORTED, "GitOps deployments cannot be run by a Deployment stage yet"));
    }
    fields.finish();
    Some(Deployment {
        deployment_type: deployment_type.unwrap_or_else(|| "Kubernetes".to_owned()),
        service: service?,
        environment: environment?,
        execution: execution?,
    })
}

const TYPES: &[&str] = &[
    "Kubernetes",
    "NativeHelm",
    "Ssh",
    "WinRm",
    "ServerlessAwsLambda",
    "AzureWebApp",
    "AzureFunction",
    "CustomDeployment",
    "ECS",
    "Elastigroup",
    "TAS",
    "Asg",
    "GoogleCloudFunctions",
    "AwsLambda",
    "AWS_SAM",
    "GoogleCloudRun",
    "AzureContainerApps",
    "Salesforce",
    "GoogleManagedInstanceGroup",
    "AiAgent",
];

fn deployment_type(reader: &Reader<'_>) -> Option<String> {
    let word = reader.string()?;
    if !TYPES.contains(&word.as_str()) {
        let problem = format!("`{word}` is not a deployment type");
        reader.report(Diagnostic::error(code::TYPE, problem).nearest_of(&word, TYPES.iter().copied()));
        return None;
    }
    if word != "Kubernetes" {
        reader.report(
            Diagnostic::warning(code::UNSUPPORTED, format!("deployments of type {word} cannot run here"))
                .remedy("the stage is kept and fails when it is reached"),
        );
    }
    Some(word)
}

/// The supported one of several forms; the others are refused by name.
fn one_of<'a>(fields: &Fields<'a>, right: &'static str, others: &[&'static str]) -> Option<Reader<'a>> {
    for other in others {
        if let Some(found) = fields.opt(other) {
            found.report(
                Diagnostic::error(code::UNSUPPORTED, format!("`{other}` cannot be used yet"))
                    .remedy(format!("write `{right}`, one for each stage")),
            );
            return None;
        }
    }
    fields.required(right)
}

fn from_stage(fields: &Fields<'_>) -> Option<String> {
    let from = fields.opt("useFromStage")?;
    let inner = from.fields()?;
    let stage = inner.string("stage");
    inner.finish();
    stage
}

fn service(reader: &Reader<'_>) -> Option<ServiceUse> {
    let fields = reader.fields()?;
    if fields.has("useFromStage") {
        let stage = from_stage(&fields);
        fields.finish();
        return stage.map(|stage| ServiceUse::FromStage { stage });
    }
    let service_ref = fields.required("serviceRef").and_then(|r| reference(&r));
    let inputs = fields.opt("serviceInputs").map(|i| common::json(&i));
    let inline = fields.opt("serviceDefinition").map(|inline| {
        inline.report(
            Diagnostic::warning("SEED-30", "the vendor ignores `serviceDefinition` beside `serviceRef`")
                .remedy("it is merged over the stored service, or used alone when none is stored"),
        );
        crate::entity::service::definition(&inline);
        common::json(&inline)
    });
    fields.known(&["gitBranch", "disableArtifactValidation", "failureStrategies"]);
    fields.finish();
    Some(ServiceUse::Reference { service_ref: service_ref?, inputs, inline })
}

fn reference(reader: &Reader<'_>) -> Option<String> {
    let text = reader.string()?;
    if text.trim().is_empty() {
        reader.report(Diagnostic::error(windlass_yaml::code::BAD_VALUE, "a reference must not be empty"));
        return None;
    }
    common::input(reader, None);
    Some(text)
}

fn environment(reader: &Reader<'_>) -> Option<EnvironmentUse> {
    let fields = reader.fields()?;
    if fields.has("useFromStage") {
        let stage = from_stage(&fields);
        fields.finish();
        return stage.map(|stage| EnvironmentUse::FromStage { stage });
    }
    let environment_ref = fields.required("environmentRef").and_then(|r| reference(&r));
    let deploy_to_all = fields.opt("deployToAll").and_then(|d| common::field(&d, Reader::bool));
    let environment_inputs = fields.opt("environmentInputs").map(|i| common::json(&i));
    let service_override_inputs = fields.opt("serviceOverrideInputs").map(|i| common::json(&i));
    let mut infrastructures = fields.list("infrastructureDefinitions", |i| infrastructure(&i));
    infrastructures.extend(fields.opt_with("infrastructureDefinition", |i| infrastructure(&i)));
    fields.known(&["servicesOverrides", "filters", "gitBranch"]);
    for name in ["gitOpsClusters", "provisioner"] {
        if let Some(found) = fields.opt(name) {
            found.report(Diagnostic::error(code::UNSUPPORTED, format!("`{name}` cannot be used yet")));
        }
    }
    fields.finish();
    let to_all = deploy_to_all == Some(Field::Fixed(true));
    if infrastructures.is_empty() && !to_all {
        reader.report(
            Diagnostic::error(code::CHOICE, "the stage names no infrastructure")
                .remedy("list one under `infrastructureDefinitions`"),
        );
    }
    if infrastructures.len() > 1 || to_all {
        reader.report(
            Diagnostic::error(code::UNSUPPORTED, "one stage deploys to one infrastructure for now")
                .remedy("write a stage for each, in a `parallel` entry if they may run together"),
        );
    }
    Some(EnvironmentUse::Reference {
        environment_ref: environment_ref?,
        deploy_to_all: deploy_to_all.unwrap_or(Field::Fixed(false)),
        environment_inputs,
        service_override_inputs,
        infrastructures,
    })
}

fn infrastructure(reader: &Reader<'_>) -> Option<InfrastructureUse> {
    let fields = reader.fields()?;
    let identifier = fields.required("identifier").and_then(|r| reference(&r));
    let inputs = fields.opt("inputs");
    fields.finish();
    if let Some(inputs) = &inputs {
        let spec = inputs.node().get("spec");
        if spec.and_then(|s| s.get("delegateSelectors")).is_some() {
            inputs.report(
                Diagnostic::warning("SEED-32", "`delegateSelectors` is no field of an infrastructure for the vendor")
                    .remedy("it counts here, weaker than the pipeline's and stronger than the connector's"),
            );
        }
        let fixed = |key: &str| {
            spec.and_then(|s| s.get(key)).and_then(|v| v.as_str()).is_some_and(|v| !v.starts_with("<+input>"))
        };
        if ["connectorRef", "namespace", "releaseName"].into_iter().any(fixed) {
            inputs.report(
                Diagnostic::warning(
                    "SEED-31",
                    "`inputs` only fills runtime inputs of the stored infrastructure definition",
                )
                .remedy("fixed values count when no such definition is stored; otherwise the stored ones win"),
            );
        }
    }
    Some(InfrastructureUse { identifier: identifier?, inputs: inputs.map(|i| common::json(&i)) })
}
