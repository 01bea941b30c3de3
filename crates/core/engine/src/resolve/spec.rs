//! The spec of a step, resolved all at once when it starts (pipelines §3.8 rule 6).

use super::{Compiled, Eyes, Importance, Sealer, Trouble, unresolved};
use crate::draft::Draft;
use crate::event::SpecResolved;
use crate::node::SeenExpression;
use crate::nodes::NodeIx;
use serde_json::Map;
use std::sync::Arc;
use windlass_diagnostic::Diagnostic;
use windlass_expression::{Missing, Template, Value};
use windlass_model::{Failure, FailureType, Json};

/// A resolved spec.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    /// For workers: secrets are tokens.
    pub json: Arc<Json>,
    /// For people: secrets are the expressions that name them.
    shown: Arc<Json>,
    warnings: Vec<Diagnostic>,
    seen: Vec<SeenExpression>,
}

impl Spec {
    /// The value at a path of keys, divided by `/`.
    fn at(&self, path: &str) -> Option<&Json> {
        path.split('/').try_fold(&*self.json, |json, key| json.get(key)).filter(|value| !value.is_null())
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        self.json.get(key).filter(|value| !value.is_null())
    }

    /// A text at a path; numbers and booleans as they print.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        match self.at(path)? {
            Json::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }

    pub(crate) fn required(&self, path: &str) -> Result<String, Failure> {
        self.text(path).filter(|text| !text.is_empty()).ok_or_else(|| {
            let why = format!("`spec.{}` is missing", path.replace('/', "."));
            Failure::new(FailureType::ConfigurationFailure, why)
        })
    }

    /// A list, one text with commas, or nothing.
    pub(crate) fn list(&self, path: &str) -> Vec<String> {
        let print = |json: &Json| match json {
            Json::String(text) => text.trim().to_owned(),
            other => other.to_string(),
        };
        match self.at(path) {
            Some(Json::Array(items)) => items.iter().map(print).filter(|item| !item.is_empty()).collect(),
            Some(Json::String(text)) => {
                text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }

    /// As people and policies see it.
    pub(crate) fn shown(&self) -> Json {
        (*self.shown).clone()
    }
}

/// What came up on the way.
struct Reading<'r> {
    eyes: Eyes<'r>,
    sealer: Sealer,
    step: &'r str,
    fatal: Vec<Missing>,
    warnings: Vec<Diagnostic>,
    seen: Vec<SeenExpression>,
    /// Whether some text holds a secret: then people see another document than workers.
    secret: bool,
}

impl Draft {
    /// Resolves the spec of a step. Nothing is decided yet: something may have to be looked up before.
    pub(crate) fn resolve_spec(&self, ix: NodeIx) -> Result<Spec, Trouble> {
        let Some(step) = self.plan(ix).step() else {
            return Err(Failure::new(FailureType::Unknown, "only steps have a spec").into());
        };
        let shared = step.compiled();
        let given = self.with_inputs(ix, &step.spec).map(|json| Compiled::of(&json));
        let compiled = given.as_ref().unwrap_or(&shared);
        let eyes = self.eyes(ix);
        let mut reading = Reading {
            eyes: if &*step.type_name == "HarnessApproval" { eyes.naming_the_starter() } else { eyes },
            sealer: Sealer::of(&self.run),
            step: &step.type_name,
            fatal: Vec::new(),
            warnings: Vec::new(),
            seen: Vec::new(),
            secret: false,
        };
        let json = Arc::new(reading.resolve(compiled, &mut Vec::new(), For::Workers)?.unwrap_or_default());
        if let Some(failure) = unresolved(&reading.fatal) {
            return Err(failure.into());
        }
        let Reading { warnings, seen, secret, .. } = &mut reading;
        let (warnings, seen) = (std::mem::take(warnings), std::mem::take(seen));
        let shown = if *secret {
            Arc::new(reading.resolve(compiled, &mut Vec::new(), For::People)?.unwrap_or_default())
        } else {
            Arc::clone(&json)
        };
        Ok(Spec { json, shown, warnings, seen })
    }

    /// Records a resolved spec: it stays as it is, whatever changes later.
    pub(crate) fn record_spec(&mut self, ix: NodeIx, spec: &Spec) {
        let node = &self[ix];
        let event = SpecResolved {
            node: node.id.clone(),
            attempt: node.attempt,
            spec: Arc::clone(&spec.shown),
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

/// Who reads a resolved spec.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Workers,
    People,
}

impl<'c> Reading<'_> {
    /// One value; nothing when the field counts as absent.
    fn resolve(&mut self, compiled: &'c Compiled, path: &mut Vec<&'c str>, who: For) -> Result<Option<Json>, Trouble> {
        Ok(Some(match compiled {
            Compiled::Plain(json) => json.clone(),
            Compiled::Text(template) => match self.text(template, path)? {
                Some(value) => self.written(&value, who)?,
                None => return Ok(None),
            },
            Compiled::List(items) => {
                let mut list = Vec::with_capacity(items.len());
                for item in items {
                    list.extend(self.resolve(item, path, who)?);
                }
                Json::Array(list)
            }
            Compiled::Map(entries) => {
                let mut map = Map::new();
                for (key, value) in entries {
                    path.push(key);
                    if let Some(value) = self.resolve(value, path, who)? {
                        map.insert(key.clone(), value);
                    }
                    path.pop();
                }
                Json::Object(map)
            }
        }))
    }

    fn written(&mut self, value: &Value, who: For) -> Result<Json, Failure> {
        self.secret |= !value.secrets().is_empty();
        match who {
            For::Workers => self.sealer.json(value),
            For::People => Ok(value.to_shown_json()),
        }
    }

    fn text(&mut self, template: &Template, path: &[&str]) -> Result<Option<Value>, Trouble> {
        let importance = Importance::of(self.step, path);
        if importance == Importance::Later {
            return Ok(Some(Value::from(template.source())));
        }
        let outcome = self.eyes.value(template);
        let outcome = outcome.map_err(|trouble| super::in_field(trouble, &format!("spec.{}", path.join("."))))?;
        self.seen.extend(self.eyes.explain(template));
        self.warnings.extend(outcome.warnings.into_iter().map(|warning| at(warning, path)));
        if outcome.missing.is_empty() {
            return Ok(Some(outcome.value));
        }
        match importance {
            Importance::Free if !self.eyes.strict() => {
                self.warnings.extend(outcome.missing.iter().map(|missing| at(missing.to_diagnostic(), path)));
                // Free text stays text: a missing value reads as `null` in it.
                Ok(Some(Value::from(outcome.value.to_text())))
            }
            Importance::Optional => {
                self.warnings.extend(outcome.missing.iter().map(|missing| at(missing.to_diagnostic(), path)));
                Ok(None)
            }
            _ => {
                self.fatal.extend(outcome.missing);
                Ok(None)
            }
        }
    }
}

fn at(mut diagnostic: Diagnostic, path: &[&str]) -> Diagnostic {
    diagnostic.place = None;
    diagnostic.path(format!("spec.{}", path.join(".")))
}
