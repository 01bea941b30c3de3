//! `values.schema.json` (rendering §3.2).

use crate::dependency::tree::{Id, Tree};
use crate::error::HelmError;
use jsonschema::{Retrieve, Uri};
use serde_json::Value as Json;
use std::error::Error;
use windlass_gotemplate::{Map, Value};

/// Checks the values of each chart against its schema, and tells all that is wrong.
pub(crate) fn check(tree: &Tree<'_>, values: &Map) -> Result<(), HelmError> {
    let mut problems = String::new();
    walk(tree, Tree::ROOT, values, &mut problems)?;
    if problems.is_empty() { Ok(()) } else { Err(HelmError::Schema(problems)) }
}

fn walk(tree: &Tree<'_>, id: Id, values: &Map, problems: &mut String) -> Result<(), HelmError> {
    if let Some(schema) = &tree.chart(id).schema {
        let json = Value::from(values.clone()).into_json().map_err(HelmError::Values)?;
        let found = against(schema, &json);
        if !found.is_empty() {
            problems.push_str(&format!("{}:\n", tree.name(id)));
            found.iter().for_each(|problem| problems.push_str(&format!("- {problem}\n")));
        }
    }
    for inner in tree.children(id) {
        match values.get(tree.name(inner)) {
            Some(Value::Map(own)) => walk(tree, inner, &own, problems)?,
            None => {}
            Some(value) if value.is_nil() => {}
            Some(_) => {
                let name = tree.name(inner);
                problems.push_str(&format!("{name}:\ninvalid type for values: expected object (map)\n"));
            }
        }
    }
    Ok(())
}

/// Problems shown of one chart.
const MOST: usize = 50;

fn against(schema: &str, values: &Json) -> Vec<String> {
    let schema: Json = match serde_json::from_str(schema) {
        Ok(schema) => schema,
        Err(problem) => return vec![format!("values.schema.json is no JSON: {problem}")],
    };
    let built = jsonschema::options().with_retriever(Outside).build(&schema);
    let validator = match built {
        Ok(validator) => validator,
        Err(problem) => return vec![format!("values.schema.json is no schema: {problem}")],
    };
    let place = |pointer: String| if pointer.is_empty() { "''".to_owned() } else { format!("'{pointer}'") };
    let found = validator.iter_errors(values).take(MOST);
    found.map(|problem| format!("at {}: {problem}", place(problem.instance_path().to_string()))).collect()
}

/// Schemas outside of the file. Names without an address (`urn:`) allow everything, as in the reference; nothing is fetched.
struct Outside;

impl Retrieve for Outside {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Json, Box<dyn Error + Send + Sync>> {
        if uri.as_str().starts_with("urn:") {
            return Ok(Json::Bool(true));
        }
        Err(format!("{uri} is not fetched: put what it defines under $defs of this file").into())
    }
}
