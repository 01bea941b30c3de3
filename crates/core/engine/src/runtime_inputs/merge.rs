//! Supplied values go where a pipeline asks for them, and nowhere else (pipelines §1.5, §2.2, §2.3).

use super::asked::{default_of, is_variable, optional, truth};
use super::{constraint, sparse};
use crate::code;
use crate::deployment::merge::{name_of, over};
use serde_json::Map;
use windlass_diagnostic::Diagnostic;
use windlass_model::{InputSpec, Json};

/// Who wrote a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Somebody who may run the pipeline: expressions in it are meant as such.
    Author,
    /// A webhook's payload: data, whatever it looks like.
    Outside,
}

/// One source of values: a sparse copy of the pipeline, with or without the root key.
#[derive(Clone, Copy, Debug)]
pub struct Layer<'v> {
    pub values: &'v Json,
    pub trust: Trust,
    /// Values that fit nowhere refuse the run, as for triggers: what they were meant for would silently get its default
    /// (SEED-12). Otherwise they are only noted.
    pub strict: bool,
}

/// A pipeline with its inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// Of the same shape as the document that was given.
    pub document: Json,
    /// `<+inputSet>`: everything that was supplied, as one sparse pipeline.
    pub inputs: Json,
    /// Values that fit nowhere, forms that were tolerated.
    pub notes: Vec<Diagnostic>,
}

/// Puts the values of all layers into the runtime inputs of a document; a later layer wins. Fixed values never change.
///
/// Answers with every problem at once: required inputs without value, values that do not satisfy their constraint, and,
/// in strict layers, values that fit nowhere.
pub fn merge(document: &Json, layers: &[Layer<'_>]) -> Result<Merged, Vec<Diagnostic>> {
    let mut merge = Merge::default();
    let pipeline = document.get("pipeline").unwrap_or(document);
    let mut inputs = Json::Object(Map::new());
    let mut normal = Vec::new();
    for layer in layers {
        let values = layer.values.get("pipeline").unwrap_or(layer.values);
        let (values, notes) = sparse::normal(pipeline, values);
        merge.notes.extend(notes);
        for unknown in sparse::unknown(pipeline, &values, "pipeline") {
            const WHAT: &str = "nothing is asked for here: the value is ignored";
            if layer.strict {
                merge.problems.push(Diagnostic::error(code::INPUT_UNKNOWN, WHAT).path(unknown));
            } else {
                merge.notes.push(Diagnostic::warning(code::INPUT_UNKNOWN, WHAT).path(unknown));
            }
        }
        // `<+inputSet>` hands texts out as their author's: data from outside must not look like code there either.
        let written = if layer.trust == Trust::Outside { harmless(&values) } else { values.clone() };
        inputs = over(&inputs, &written);
        normal.push((values, layer.trust));
    }
    let here: Vec<Given<'_>> = normal.iter().map(|(values, trust)| (values, *trust)).collect();
    let merged = merge.walk(pipeline, &here, "pipeline", None).unwrap_or_default();
    if !merge.problems.is_empty() {
        return Err(merge.problems);
    }
    let document = match document.get("pipeline") {
        Some(_) => Json::Object(Map::from_iter([("pipeline".to_owned(), merged)])),
        None => merged,
    };
    Ok(Merged { document, inputs, notes: merge.notes })
}

/// What a layer says about a place of the document.
type Given<'v> = (&'v Json, Trust);

#[derive(Default)]
struct Merge {
    problems: Vec<Diagnostic>,
    notes: Vec<Diagnostic>,
}

impl Merge {
    /// The value of a place; nothing when it goes without.
    fn walk(&mut self, json: &Json, given: &[Given<'_>], path: &str, owner: Option<&Json>) -> Option<Json> {
        match json {
            Json::Object(entries) => {
                let mut object = Map::new();
                for (key, value) in entries {
                    let inside: Vec<Given<'_>> =
                        given.iter().filter_map(|(json, trust)| Some((json.get(key)?, *trust))).collect();
                    let path = sparse::below(path, json, key);
                    if let Some(value) = self.walk(value, &inside, &path, Some(json)) {
                        object.insert(key.clone(), value);
                    }
                }
                Some(Json::Object(object))
            }
            Json::Array(items) => {
                let walked = items.iter().enumerate().filter_map(|(at, item)| {
                    let name = name_of(item);
                    let inside: Vec<Given<'_>> = given
                        .iter()
                        .filter_map(|(json, trust)| Some((sparse::item(json, name.as_deref(), at)?, *trust)))
                        .collect();
                    self.walk(item, &inside, &sparse::item_path(path, item, at), None)
                });
                Some(Json::Array(walked.collect()))
            }
            Json::String(text) => match InputSpec::parse(text) {
                Some(Ok(input)) if !input.execution_input => self.leaf(text, &input, given, path, owner),
                Some(Err(error)) => {
                    self.problems.push(Diagnostic::error(code::INPUT_FORM, error.to_string()).path(path));
                    None
                }
                _ => Some(json.clone()),
            },
            fixed => Some(fixed.clone()),
        }
    }

    fn leaf(
        &mut self,
        text: &str,
        input: &InputSpec,
        given: &[Given<'_>],
        path: &str,
        owner: Option<&Json>,
    ) -> Option<Json> {
        let variable = owner.filter(|owner| is_variable(owner));
        let key = path.rsplit('.').next().unwrap_or_default();
        let required = variable.map_or(!optional(key), |variable| truth(variable.get("required")));
        // A value equal to `<+input>` says nothing (SEED-76); an empty one says nothing where one is required.
        let says = |json: &Json| match json {
            Json::Null => false,
            Json::String(text) if InputSpec::is_input(text) => false,
            Json::String(text) => !required || !text.is_empty(),
            _ => true,
        };
        let supplied = given.iter().rev().find(|(json, _)| says(json));
        if let Some((value, trust)) = supplied {
            return Some(self.accept(value, *trust, input, variable, path));
        }
        match default_of(input, variable) {
            Some(default) => Some(default),
            // An artifact that is the only one is chosen later (SEED-37).
            None if key == "primaryArtifactRef" => Some(Json::String(text.to_owned())),
            None if required => {
                let problem = Diagnostic::error(code::INPUT_REQUIRED, "this input is required").path(path);
                let description = variable.and_then(|v| v.get("description")).and_then(Json::as_str);
                self.problems.push(match description.filter(|text| !text.is_empty()) {
                    Some(description) => problem.remedy(format!("give it: {description}")),
                    None => problem,
                });
                None
            }
            None if variable.is_some() => Some(Json::String(String::new())),
            None => None,
        }
    }

    /// A supplied value, held against its constraint and type.
    fn accept(&mut self, value: &Json, trust: Trust, input: &InputSpec, variable: Option<&Json>, path: &str) -> Json {
        let plain = match value {
            // `selectManyFrom` keeps one text, in the given order.
            Json::Array(items) if variable.is_some() => {
                let texts = items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned));
                Json::String(texts.collect::<Vec<_>>().join(","))
            }
            other => other.clone(),
        };
        let open = trust == Trust::Author && plain.as_str().is_some_and(|text| text.contains("<+"));
        if !open {
            if let Err(why) = constraint::check_value(input.constraint.as_ref(), &plain) {
                self.problems.push(Diagnostic::error(code::INPUT_CONSTRAINT, why).path(path));
            }
            let number = variable.and_then(|v| v.get("type")).and_then(Json::as_str) == Some("Number");
            let text = plain.as_str().map_or_else(|| plain.to_string(), str::to_owned);
            if number && text.trim().parse::<f64>().is_err() {
                self.problems
                    .push(Diagnostic::error(code::INPUT_CONSTRAINT, format!("`{text}` is not a number")).path(path));
            }
        }
        match trust {
            Trust::Author => plain,
            Trust::Outside => harmless(&plain),
        }
    }
}

/// The same value, written so that nothing in it is read as an expression.
pub(super) fn harmless(value: &Json) -> Json {
    match value {
        Json::String(text) => Json::String(text.replace("<+", "<+\"<\">+")),
        Json::Array(items) => Json::Array(items.iter().map(harmless).collect()),
        Json::Object(entries) => {
            Json::Object(entries.iter().map(|(key, value)| (key.clone(), harmless(value))).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests;
