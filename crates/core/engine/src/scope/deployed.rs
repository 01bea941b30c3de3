//! `service.…`, `env.…`, `infra.…`, `artifacts.…`: what the implicit steps of a Deployment stage found.

use super::node::variable;
use super::{RunScope, document};
use crate::deployment::{Deployment, EnvironmentFacts, InfrastructureFacts, ServiceFacts};
use std::collections::BTreeMap;
use windlass_expression::{Lookup, Value};
use windlass_model::Json;
use windlass_model::task::cluster::EnvironmentType;

impl RunScope<'_> {
    pub(super) fn deployment(&self) -> Option<&Deployment> {
        let stage = self.stage()?.node?;
        Some(&self.run.nodes[stage].deployment)
    }

    pub(super) fn deployed(&self, root: &str, rest: &[&str]) -> Lookup {
        let Some(facts) = self.deployment() else { return Lookup::Missing };
        let service = self.service.or(facts.service.as_deref());
        match (root, service, &facts.environment, &facts.infrastructure) {
            ("service", Some(service), ..) => of_service(service, rest),
            ("artifact", Some(service), ..) => data(service.artifacts.get("primary"), rest),
            ("artifacts", Some(service), ..) => match rest {
                ["primary", rest @ ..] => data(service.artifacts.get("primary"), rest),
                ["sidecars", id, rest @ ..] => data(service.artifacts.get(*id), rest),
                _ => Lookup::Missing,
            },
            ("manifests", Some(service), ..) => json(service.definition.get("manifests"), rest),
            ("manifest", Some(service), ..) => json(service.definition.pointer("/manifests/0/manifest"), rest),
            ("serviceVariables", Some(service), _, infrastructure) => {
                let variables = infrastructure.as_ref().map_or(&service.variables, |i| &i.service_variables);
                variable(variables, rest, |_| None)
            }
            ("serviceVariableOverrides", ..) => {
                self.group().map_or(Lookup::Missing, |group| self.property(group, &[&["variables"], rest].concat()))
            }
            ("serviceConfig", Some(service), ..) => match rest {
                ["serviceDefinition", "spec", "variables", name @ ..] => variable(&service.variables, name, |_| None),
                ["serviceDefinition", "spec", rest @ ..] => json(Some(&service.definition), rest),
                _ => Lookup::Missing,
            },
            ("env", _, Some(environment), _) => of_environment(environment, rest),
            ("infra", _, _, Some(infrastructure)) => of_infrastructure(infrastructure, rest),
            ("INFRA_KEY", _, _, Some(infrastructure)) if rest.is_empty() => Lookup::author(&*infrastructure.key),
            ("INFRA_KEY_SHORT_ID", _, _, Some(infrastructure)) if rest.is_empty() => {
                Lookup::author(infrastructure.key.get(..6).unwrap_or_default())
            }
            ("rollbackArtifact", _, _, Some(infrastructure)) => past(infrastructure.last.get("artifact"), rest),
            ("lastSuccessfulDeployed", _, _, Some(infrastructure)) => past(Some(&infrastructure.last), rest),
            _ => Lookup::Missing,
        }
    }

    pub(super) fn names_deployed(&self, path: &[&str]) -> Vec<String> {
        let names = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match (path, self.deployment()) {
            (["service"], _) => names(&["name", "identifier", "description", "type", "tags", "gitOpsEnabled"]),
            (["env"], _) => names(&["name", "identifier", "description", "type", "tags", "variables"]),
            (["infra"], _) => names(&["name", "infraIdentifier", "tags", "connectorRef", "namespace", "releaseName"]),
            (["serviceVariables"], Some(Deployment { service: Some(service), .. })) => {
                service.variables.iter().map(|variable| variable.name.clone()).collect()
            }
            (["env", "variables"], Some(Deployment { environment: Some(environment), .. })) => {
                environment.variables.iter().map(|variable| variable.name.clone()).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Resolved already: never evaluated again.
fn text(text: &str) -> Lookup {
    Lookup::outside(text)
}

fn tag(tags: &BTreeMap<String, String>, key: &[&str]) -> Lookup {
    tags.get(&key.join(".")).map_or(Lookup::Missing, |value| text(value))
}

fn json(json: Option<&Json>, rest: &[&str]) -> Lookup {
    match json.and_then(|json| document::walk(json, rest)) {
        Some(value) => Lookup::author(Value::from(value)),
        None => Lookup::Missing,
    }
}

fn data(json: Option<&Json>, rest: &[&str]) -> Lookup {
    match json.and_then(|json| document::walk(json, rest)) {
        Some(value) => Lookup::outside(Value::from(value)),
        None => Lookup::Missing,
    }
}

/// Of an earlier deployment: null when there was none.
fn past(json: Option<&Json>, rest: &[&str]) -> Lookup {
    match json.and_then(|json| document::walk(json, rest)) {
        Some(value) => Lookup::outside(Value::from(value)),
        None => Lookup::outside(Value::Null),
    }
}

fn of_service(service: &ServiceFacts, rest: &[&str]) -> Lookup {
    match rest {
        ["name"] => text(&service.name),
        ["identifier"] => text(&service.identifier),
        ["description"] => text(&service.description),
        ["type"] => text(&service.kind),
        ["gitOpsEnabled"] => Lookup::author(service.git_ops_enabled),
        ["tags", key @ ..] if !key.is_empty() => tag(&service.tags, key),
        ["variables", name @ ..] => variable(&service.variables, name, |_| None),
        _ => Lookup::Missing,
    }
}

fn of_environment(environment: &EnvironmentFacts, rest: &[&str]) -> Lookup {
    match rest {
        ["name"] => text(&environment.name),
        ["identifier"] => text(&environment.identifier),
        ["description"] => text(&environment.description),
        ["type"] => text(match environment.kind {
            EnvironmentType::Production => "Production",
            EnvironmentType::PreProduction => "PreProduction",
        }),
        ["tags", key @ ..] if !key.is_empty() => tag(&environment.tags, key),
        ["variables", name @ ..] => variable(&environment.variables, name, |_| None),
        // Groups of environments do not exist yet.
        ["envGroupRef" | "envGroupName"] => Lookup::author(Value::Null),
        _ => Lookup::Missing,
    }
}

fn of_infrastructure(infrastructure: &InfrastructureFacts, rest: &[&str]) -> Lookup {
    match rest {
        ["name"] => text(&infrastructure.name),
        ["infraIdentifier" | "identifier"] => text(&infrastructure.identifier),
        ["connectorRef"] => text(&infrastructure.connector.reference),
        ["connector", "name"] => text(&infrastructure.connector.name),
        ["namespace"] => text(&infrastructure.target.namespace),
        ["releaseName"] => text(&infrastructure.target.release),
        ["tags", key @ ..] if !key.is_empty() => tag(&infrastructure.tags, key),
        _ => Lookup::Missing,
    }
}
