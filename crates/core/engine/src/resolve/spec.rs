//! The spec of a step, resolved all at once when it starts (pipelines §3.8 rule 6).

use super::{Compiled, Eyes, Importance, Sealer, Trouble, unresolved};
use crate::draft::Draft;
use crate::event::SpecResolved;
use crate::node::SeenExpression;
use crate::nodes::NodeIx;
use indexmap::IndexMap;
use std::sync::Arc;
use windlass_diagnostic::Diagnostic;
use windlass_expression::{Missing, Template, Value};
use windlass_model::{Failure, FailureType, Json};

/// A resolved spec.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    value: Value,
    warnings: Vec<Diagnostic>,
    seen: Vec<SeenExpression>,
    /// For workers: secrets are tokens.
    pub json: Json,
}

impl Spec {
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        self.json.get(key).filter(|value| !value.is_null())
    }

    /// A text at a pointer; numbers and booleans as they print.
    pub(crate) fn text(&self, pointer: &str) -> Option<String> {
        match self.json.pointer(pointer)? {
            Json::Null => None,
            Json::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }

    pub(crate) fn required(&self, pointer: &str) -> Result<String, Failure> {
        self.text(pointer).filter(|text| !text.is_empty()).ok_or_else(|| {
            let path = pointer.trim_start_matches('/').replace('/', ".");
            Failure::new(FailureType::ConfigurationFailure, format!("`spec.{path}` is missing"))
        })
    }

    /// A list, one text with commas, or nothing.
    pub(crate) fn list(&self, pointer: &str) -> Vec<String> {
        let print = |json: &Json| match json {
            Json::String(text) => text.trim().to_owned(),
            other => other.to_string(),
        };
        match self.json.pointer(pointer) {
            Some(Json::Array(items)) => items.iter().map(print).filter(|item| !item.is_empty()).collect(),
            Some(Json::String(text)) => {
                text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// What came up on the way.
#[derive(Default)]
struct Findings {
    fatal: Vec<Missing>,
    warnings: Vec<Diagnostic>,
    seen: Vec<SeenExpression>,
}

impl Draft {
    /// Resolves the spec of a step. Nothing is decided yet: something may have to be looked up before.
    pub(crate) fn resolve_spec(&self, ix: NodeIx) -> Result<Spec, Trouble> {
        let Some(step) = self.plan(ix).step() else {
            return Err(Failure::new(FailureType::Unknown, "only steps have a spec").into());
        };
        let shared = step.compiled();
        let given = self.with_inputs(ix, &step.spec).map(|json| Compiled::of(&json));
        let mut findings = Findings::default();
        let eyes = self.eyes(ix);
        let eyes = if &*step.type_name == "HarnessApproval" { eyes.naming_the_starter() } else { eyes };
        let compiled = given.as_ref().unwrap_or(&shared);
        let value = resolve(&eyes, &step.type_name, compiled, &mut Vec::new(), &mut findings)?.unwrap_or_default();
        if let Some(failure) = unresolved(&findings.fatal) {
            return Err(failure.into());
        }
        let json = Sealer::of(&self.run).json(&value)?;
        Ok(Spec { value, json, warnings: findings.warnings, seen: findings.seen })
    }

    /// Records a resolved spec: it stays as it is, whatever changes later.
    pub(crate) fn record_spec(&mut self, ix: NodeIx, spec: &Spec) {
        let node = &self[ix];
        let event = SpecResolved {
            node: node.id.clone(),
            attempt: node.attempt,
            spec: Arc::new(spec.shown()),
            expressions: spec.seen.clone(),
        };
        self.emit(event);
        for warning in &spec.warnings {
            self.warn(ix, warning.clone());
        }
    }

    /// The spec with the execution inputs that were given.
    fn with_inputs(&self, ix: NodeIx, spec: &Json) -> Option<Json> {
        let given = self[ix].inputs.as_ref()?;
        let mut spec = spec.clone();
        for (pointer, value) in given.iter() {
            if let Some(place) = pointer.strip_prefix("spec").and_then(|pointer| spec.pointer_mut(pointer)) {
                *place = value.clone();
            }
        }
        Some(spec)
    }
}

/// One value; nothing when the field counts as absent.
fn resolve<'c>(
    eyes: &Eyes<'_>,
    step: &str,
    compiled: &'c Compiled,
    path: &mut Vec<&'c str>,
    findings: &mut Findings,
) -> Result<Option<Value>, Trouble> {
    Ok(Some(match compiled {
        Compiled::Plain(value) => value.clone(),
        Compiled::Text(template) => return text(eyes, step, template, path, findings),
        Compiled::List(items) => {
            let mut list = Vec::with_capacity(items.len());
            for item in items {
                list.extend(resolve(eyes, step, item, path, findings)?);
            }
            Value::list(list)
        }
        Compiled::Map(entries) => {
            let mut map = IndexMap::with_capacity(entries.len());
            for (key, value) in entries {
                path.push(key);
                if let Some(value) = resolve(eyes, step, value, path, findings)? {
                    map.insert(key.clone(), value);
                }
                path.pop();
            }
            Value::map(map)
        }
    }))
}

fn text(
    eyes: &Eyes<'_>,
    step: &str,
    template: &Template,
    path: &[&str],
    findings: &mut Findings,
) -> Result<Option<Value>, Trouble> {
    let importance = Importance::of(step, path);
    if importance == Importance::Later {
        return Ok(Some(Value::from(template.source())));
    }
    let outcome =
        eyes.value(template).map_err(|trouble| super::in_field(trouble, &format!("spec.{}", path.join("."))))?;
    findings.seen.extend(eyes.explain(template));
    findings.warnings.extend(outcome.warnings.into_iter().map(|warning| at(warning, path)));
    if outcome.missing.is_empty() {
        return Ok(Some(outcome.value));
    }
    match importance {
        Importance::Free if !eyes.strict() => {
            findings.warnings.extend(outcome.missing.iter().map(|missing| at(missing.to_diagnostic(), path)));
            // Free text stays text: a missing value reads as `null` in it.
            Ok(Some(Value::from(outcome.value.to_text())))
        }
        Importance::Optional => {
            findings.warnings.extend(outcome.missing.iter().map(|missing| at(missing.to_diagnostic(), path)));
            Ok(None)
        }
        _ => {
            findings.fatal.extend(outcome.missing);
            Ok(None)
        }
    }
}

fn at(mut diagnostic: Diagnostic, path: &[&str]) -> Diagnostic {
    diagnostic.place = None;
    diagnostic.path(format!("spec.{}", path.join(".")))
}

impl Spec {
    /// As people and policies see it.
    pub(crate) fn shown(&self) -> Json {
        self.value.to_shown_json()
    }
}
