//! JSON Schemas of documents for editors (draft 2020-12), made from the same tables that documents are checked against.
//!
//! A schema helps while writing: names, types, words and what they mean. The last word is [`crate::read`]'s, which knows more.

mod connector;
mod entities;
mod parts;
mod pipeline;
mod steps;
mod trigger;

use crate::{Kind, Levels};
use parts::{object, one_line, text};
use serde_json::{Map, json};
use windlass_model::Json;

/// The schema of one kind of document, below its root key.
pub fn schema(kind: Kind) -> Json {
    let words = kind.words();
    let mut properties = head(kind);
    let (own, required) = match kind {
        Kind::Pipeline => pipeline::keys_of_pipeline(),
        other => entities::keys_of(other),
    };
    properties.extend(own);
    let identifier = (kind == Kind::Pipeline).then_some("identifier");
    let required: Vec<&str> = identifier.into_iter().chain(required.iter().copied()).collect();
    let mut body = object(properties, &required);
    if let Some(cases) = entities::cases_of(kind) {
        body["allOf"] = cases;
    }
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("https://windlass.dev/schemas/{}.schema.json", kind.noun()),
        "title": words.root,
        "description": summary(kind),
        "type": "object",
        "properties": { words.root: body },
        "required": [words.root],
        "additionalProperties": false,
    });
    if kind == Kind::Pipeline {
        schema["$defs"] = pipeline::definitions();
    }
    schema
}

/// What every document has, with the keys of its scope where it can have one.
fn head(kind: Kind) -> Map<String, Json> {
    let mut keys = Map::new();
    let mut add = |name: &str, schema: Json| keys.insert(name.to_owned(), schema);
    add(
        "identifier",
        json!({ "type": "string", "pattern": r"^[a-zA-Z_][0-9a-zA-Z_$.-]{0,127}$", "description": "Names it in its scope. Never changes." }),
    );
    add("name", one_line("For people."));
    add("description", text("For people."));
    add(
        "tags",
        json!({
            "type": "object",
            "additionalProperties": { "type": ["string", "null", "number", "boolean"] },
            "description": "Words to find it by.",
        }),
    );
    if !matches!(kind.words().levels, Levels::Account) {
        add("orgIdentifier", one_line("The organization it belongs to. Left out: that of the request."));
        add("projectIdentifier", one_line("The project it belongs to. Left out: that of the request."));
    }
    keys
}

const fn summary(kind: Kind) -> &'static str {
    match kind {
        Kind::Org => "An organization: projects that belong together.",
        Kind::Project => "A project: pipelines with what they deploy and where.",
        Kind::Pipeline => "Stages of steps that bring a service into environments.",
        Kind::Trigger => "Starts a pipeline when something happens outside.",
        Kind::Service => "What is deployed: manifests, artifacts, variables.",
        Kind::Environment => "Where is deployed: production or not, with its variables.",
        Kind::Infrastructure => "A place in an environment: cluster and namespace.",
        Kind::Connector => "A way to something outside: a cluster, Git, a registry, a monitoring system.",
        Kind::Secret => "A value that nobody reads: kept here, or named where a delegate finds it.",
        Kind::Variable => "A text for expressions: <+variable.NAME>.",
        Kind::MonitoredService => "What to ask a monitoring system about a service in an environment.",
        Kind::User => "A person.",
        Kind::UserGroup => "People who approve or hold roles together.",
        Kind::ServiceAccount => "An account for a program; it comes in by API keys.",
        Kind::Role => "A named set of permissions.",
        Kind::ResourceGroup => "A named set of things that roles reach.",
        Kind::RoleAssignment => "A role over a resource group for somebody, in the scope where it is saved.",
        Kind::Policy => "Rules in Rego.",
        Kind::PolicySet => "Policies that are asked together on an occasion.",
    }
}
