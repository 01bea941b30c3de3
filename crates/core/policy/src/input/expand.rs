//! Puts the entities a pipeline refers to beside their references, so that policies can look at them.

use windlass_model::Json;

/// What a reference names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefKind {
    Connector,
    Service,
    Environment,
    Infrastructure,
}

/// A literal reference in a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityRef<'a> {
    pub kind: RefKind,
    /// As written: `prod`, `account.git`.
    pub reference: &'a str,
    /// For infrastructures, the reference of the environment that holds them.
    pub environment: Option<&'a str>,
}

/// Documents are not nested deeper; what lies below is left as it is.
const DEEPEST: usize = 200;

/// `connectorRef: x` gets a sibling `connector`, and so do services, environments and infrastructure definitions; a deployment
/// stage also gets `spec.infrastructure.environment`, where existing policies look. Expressions are left alone, and nothing that
/// the author wrote is replaced. `find` answers with the entity without its root key.
pub fn expand(pipeline: &Json, find: &dyn Fn(EntityRef<'_>) -> Option<Json>) -> Json {
    let mut expanded = pipeline.clone();
    visit(&mut expanded, find, 0);
    expanded
}

const REFERENCES: [(&str, &str, RefKind); 3] = [
    ("connectorRef", "connector", RefKind::Connector),
    ("serviceRef", "service", RefKind::Service),
    ("environmentRef", "environment", RefKind::Environment),
];

fn visit(node: &mut Json, find: &dyn Fn(EntityRef<'_>) -> Option<Json>, depth: usize) {
    if depth > DEEPEST {
        return;
    }
    match node {
        Json::Array(items) => items.iter_mut().for_each(|item| visit(item, find, depth + 1)),
        Json::Object(fields) => {
            fields.values_mut().for_each(|field| visit(field, find, depth + 1));
            definitions(fields, find);
            for (key, sibling, kind) in REFERENCES {
                let found = literal(fields.get(key))
                    .filter(|_| !fields.contains_key(sibling))
                    .and_then(|reference| find(EntityRef { kind, reference, environment: None }));
                if let Some(found) = found {
                    fields.insert(sibling.to_owned(), found);
                }
            }
            environment_of_stage(fields);
        }
        _ => {}
    }
}

/// Text that is no expression and no runtime input.
fn literal(value: Option<&Json>) -> Option<&str> {
    value.and_then(Json::as_str).filter(|text| !text.is_empty() && !text.contains("<+"))
}

/// `environment: {environmentRef, infrastructureDefinitions: [{identifier}]}`
fn definitions(fields: &mut serde_json::Map<String, Json>, find: &dyn Fn(EntityRef<'_>) -> Option<Json>) {
    let Some(environment) = literal(fields.get("environmentRef")).map(str::to_owned) else { return };
    let Some(Json::Array(definitions)) = fields.get_mut("infrastructureDefinitions") else { return };
    for definition in definitions.iter_mut().filter_map(Json::as_object_mut) {
        let found = literal(definition.get("identifier"))
            .filter(|_| !definition.contains_key("infrastructure"))
            .and_then(|reference| {
                find(EntityRef { kind: RefKind::Infrastructure, reference, environment: Some(&environment) })
            });
        if let Some(found) = found {
            definition.insert("infrastructure".to_owned(), found);
        }
    }
}

/// `spec.environment.environment` also as `spec.infrastructure.environment`.
fn environment_of_stage(spec: &mut serde_json::Map<String, Json>) {
    let Some(environment) = spec.get("environment").and_then(|node| node.get("environment")).cloned() else { return };
    let infrastructure = spec.entry("infrastructure").or_insert_with(|| Json::Object(serde_json::Map::new()));
    if let Json::Object(infrastructure) = infrastructure {
        infrastructure.entry("environment").or_insert(environment);
    }
}
