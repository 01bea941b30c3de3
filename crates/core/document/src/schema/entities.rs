//! The kinds other than pipelines.

use super::parts::{anything, keys, list, object, one_line, selectors, text, variables, word, yes_or_no};
use super::{connector, trigger};
use crate::Kind;
use crate::entity::policy;
use serde_json::{Map, json};
use windlass_model::Json;

type Keys = (Map<String, Json>, &'static [&'static str]);

/// The keys of a kind besides the head's, and which of them must be there.
pub(super) fn keys_of(kind: Kind) -> Keys {
    match kind {
        Kind::Org | Kind::Project => {
            (keys([("color", text("For lists.")), ("modules", anything("Kept, and not read."))]), &[])
        }
        Kind::Pipeline => super::pipeline::keys_of_pipeline(),
        Kind::Trigger => trigger_keys(),
        Kind::Service => service(),
        Kind::Environment => (
            keys([
                ("type", word(&["Production", "PreProduction"], "Policies and approvals look at this.")),
                ("variables", variables()),
                ("overrides", anything("What is different in this environment.")),
            ]),
            &["type"],
        ),
        Kind::Infrastructure => infrastructure(),
        Kind::Connector => connector_keys(),
        Kind::Secret => secret(),
        Kind::Variable => variable(),
        Kind::MonitoredService => monitored_service(),
        Kind::User => {
            (keys([("email", text("A mail address.")), ("disabled", yes_or_no("Cannot sign in."))]), &["email"])
        }
        Kind::UserGroup => (
            keys([
                ("users", list(json!({ "type": "string" }), "People by id or mail address.")),
                ("notificationConfigs", anything("How to tell them something.")),
            ]),
            &[],
        ),
        Kind::ServiceAccount => (keys([("email", text("For people."))]), &[]),
        Kind::Role => (
            keys([
                (
                    "permissions",
                    list(json!({ "type": "string", "pattern": "^(core|gitops)_" }), "core_pipeline_view, …."),
                ),
                ("allowedScopeLevels", levels()),
            ]),
            &["permissions"],
        ),
        Kind::ResourceGroup => resource_group(),
        Kind::RoleAssignment => role_assignment(),
        Kind::Policy => (keys([("rego", text("A package with rules named deny."))]), &["rego"]),
        Kind::PolicySet => policy_set(),
    }
}

fn levels() -> Json {
    list(
        word(&["account", "organization", "project"], ""),
        "Scopes in which it can be used; left out, the one it is saved in.",
    )
}

fn trigger_keys() -> Keys {
    (
        keys([
            ("pipelineIdentifier", text("The pipeline it starts.")),
            ("enabled", yes_or_no("Left out: yes.")),
            ("source", trigger::source()),
            ("inputYaml", text("Values of the run, as YAML in a text; <+trigger.payload.…> is the payload.")),
            ("stagesToExecute", list(text(""), "Run these stages only.")),
            ("encryptedWebhookSecretIdentifier", text("The secret that signs payloads.")),
            ("runAs", text("The service account its runs act as. Left out: whoever edited the trigger last.")),
            ("authentication", word(&["Required", "None"], "None: whoever knows the address may start a run.")),
            ("pipelineBranchName", anything("Kept, and not read.")),
        ]),
        &["source"],
    )
}

fn service() -> Keys {
    let spec = keys([
        ("manifests", list(anything(""), "Where the manifests are.")),
        ("artifacts", json!({ "type": "object", "description": "primary and sidecars: the images." })),
        ("variables", variables()),
        ("configFiles", list(anything(""), "Files for expressions.")),
    ]);
    let definition = keys([
        ("type", word(&["Kubernetes"], "How it is deployed.")),
        ("spec", json!({ "type": "object", "properties": spec })),
    ]);
    (
        keys([(
            "serviceDefinition",
            json!({ "type": "object", "properties": definition, "required": ["type", "spec"] }),
        )]),
        &[],
    )
}

fn infrastructure() -> Keys {
    let spec = keys([
        ("connectorRef", text("The connector to the cluster.")),
        ("namespace", text("Where objects go that name no namespace.")),
        ("releaseName", text("What the release record is called.")),
        ("delegateSelectors", selectors()),
        ("provisioner", anything("Kept, and not read.")),
    ]);
    (
        keys([
            ("environmentRef", text("The environment it is part of.")),
            ("deploymentType", word(&["Kubernetes"], "How is deployed there.")),
            ("type", word(&["KubernetesDirect"], "How the cluster is reached.")),
            ("spec", object(spec, &[])),
            ("variables", variables()),
            ("allowSimultaneousDeployments", yes_or_no("Two runs at once in the same place.")),
        ]),
        &["environmentRef", "spec"],
    )
}

fn connector_keys() -> Keys {
    (keys([("type", connector::types()), ("spec", json!({ "type": "object" }))]), &["type", "spec"])
}

/// What `spec` must be for each `type` of a kind, where that is not the same for all.
pub(super) fn cases_of(kind: Kind) -> Option<Json> {
    (kind == Kind::Connector).then(connector::specs)
}

fn secret() -> Keys {
    let spec = keys([
        (
            "secretManagerIdentifier",
            text("harnessSecretManager: sealed here. file, environment: where the delegate finds it."),
        ),
        ("valueType", word(&["Inline", "Reference"], "Reference: the value names a place in the store.")),
        ("value", one_line("The clear text: sealed when it is saved, and taken out of the document.")),
        ("additionalMetadata", anything("Kept, and not read.")),
    ]);
    (
        keys([("type", word(&["SecretText", "SecretFile"], "A text or a file.")), ("spec", object(spec, &[]))]),
        &["type", "spec"],
    )
}

fn variable() -> Keys {
    let spec = keys([("valueType", word(&["FIXED"], "")), ("fixedValue", one_line("The text."))]);
    (keys([("type", word(&["String"], "")), ("spec", object(spec, &["fixedValue"]))]), &["type", "spec"])
}

fn monitored_service() -> Keys {
    let source = keys([
        ("identifier", text("Names the source.")),
        ("name", text("For people.")),
        ("type", text("Prometheus.")),
        ("spec", json!({ "type": "object" })),
        ("version", anything("Kept, and not read.")),
    ]);
    let sources = keys([
        ("healthSources", list(object(source, &["identifier", "type", "spec"]), "Whom to ask.")),
        ("changeSources", anything("Kept, and not read.")),
    ]);
    (
        keys([
            ("type", text("Application.")),
            ("serviceRef", text("The service.")),
            ("environmentRef", text("The environment.")),
            ("sources", object(sources, &[])),
            ("notificationRuleRefs", anything("Kept, and not read.")),
            ("dependencies", anything("Kept, and not read.")),
        ]),
        &["serviceRef", "environmentRef", "sources"],
    )
}

fn resource_group() -> Keys {
    let scope = keys([
        ("orgIdentifier", text("The organization; left out with the project, the account.")),
        ("projectIdentifier", text("The project.")),
        ("filter", word(&["EXCLUDING_CHILD_SCOPES", "INCLUDING_CHILD_SCOPES"], "Whether scopes inside belong to it.")),
        ("accountIdentifier", anything("Kept, and not read.")),
    ]);
    let attributes = keys([
        ("attributeName", word(&["category", "type", "labels", "tags"], "")),
        ("attributeValues", list(text(""), "Any of these.")),
    ]);
    let selector = keys([
        ("resourceType", text("PIPELINE, SERVICE, ENVIRONMENT, ….")),
        ("identifiers", list(text(""), "These only; of the group's own scope.")),
        ("attributeFilter", object(attributes, &["attributeName", "attributeValues"])),
    ]);
    let filter = keys([
        ("includeAllResources", json!({ "type": "boolean" })),
        ("resources", list(object(selector, &["resourceType"]), "Or these.")),
    ]);
    (
        keys([
            ("allowedScopeLevels", levels()),
            ("color", text("For lists.")),
            ("includedScopes", list(object(scope, &[]), "Left out: the scope it is saved in.")),
            ("resourceFilter", object(filter, &[])),
        ]),
        &["resourceFilter"],
    )
}

fn role_assignment() -> Keys {
    let principal = keys([
        ("type", word(&["USER", "USER_GROUP", "SERVICE_ACCOUNT"], "")),
        ("identifier", text("A person's id, or the identifier of a group or service account.")),
        (
            "scopeLevel",
            word(&["account", "organization", "project"], "Where the group or account lives; left out: here."),
        ),
    ]);
    (
        keys([
            ("roleIdentifier", text("_project_viewer, or a role of this scope.")),
            ("resourceGroupIdentifier", text("_all_project_level_resources, or a resource group of this scope.")),
            ("principal", object(principal, &["type", "identifier"])),
            ("disabled", json!({ "type": "boolean", "description": "Grants nothing for now." })),
        ]),
        &["roleIdentifier", "resourceGroupIdentifier", "principal"],
    )
}

fn policy_set() -> Keys {
    let types: Vec<&str> = policy::TYPES.iter().map(|(word, _)| *word).collect();
    let used = keys([
        ("identifier", text("The policy: id, org.id, account.id.")),
        ("severity", word(&["error", "warning"], "Whether a denial refuses, or only warns.")),
    ]);
    (
        keys([
            ("type", word(&types, "What is asked about.")),
            ("action", word(&["onsave", "onrun", "onstepstart", "onstep"], "When.")),
            ("enabled", json!({ "type": "boolean" })),
            ("policies", list(object(used, &["identifier"]), "All of them are asked.")),
        ]),
        &["type", "policies"],
    )
}
