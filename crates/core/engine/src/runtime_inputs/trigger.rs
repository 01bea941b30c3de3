//! `inputYaml` of a trigger: expressions over the payload that caused it (pipelines §7.2).

use super::sparse;
use crate::start::TriggerContext;
use windlass_diagnostic::Diagnostic;
use windlass_expression::{Evaluator, InputUse, Lookup, Scope, Template, Value, input_use};
use windlass_model::{Json, Timestamp};

/// The values of a trigger, apart by who wrote them.
#[derive(Clone, Debug, PartialEq)]
pub struct TriggerInputs {
    /// What the trigger's author wrote out: constants, and expressions over the run.
    pub author: Json,
    /// What came out of the payload: data.
    pub outside: Json,
    /// Values that the payload does not hold: their inputs stay unset (SEED-13).
    pub warnings: Vec<Diagnostic>,
}

/// Evaluates the parsed `inputYaml` over its trigger. Expressions that look at anything else are left for the run.
pub fn of_trigger(input: &Json, trigger: &TriggerContext, now: Timestamp) -> Result<TriggerInputs, Vec<Diagnostic>> {
    let mut split = Split { scope: TriggerScope(trigger), now, warnings: Vec::new(), problems: Vec::new() };
    let (author, outside) = split.walk(input.get("pipeline").unwrap_or(input), "pipeline");
    if !split.problems.is_empty() {
        return Err(split.problems);
    }
    Ok(TriggerInputs {
        author: author.unwrap_or_else(sparse::empty),
        outside: outside.unwrap_or_else(sparse::empty),
        warnings: split.warnings,
    })
}

/// What expressions of a trigger see: `trigger.…` and `eventPayload.…`. All of it is data from outside.
#[derive(Clone, Copy, Debug)]
pub struct TriggerScope<'t>(pub &'t TriggerContext);

impl Scope for TriggerScope<'_> {
    fn lookup(&self, path: &[&str]) -> Lookup {
        let json = |json: Option<&Json>| json.map_or(Lookup::Missing, |json| Lookup::outside(Value::from(json)));
        let walk = |root: &Json, path: &[&str]| {
            path.iter()
                .try_fold(root, |json, key| match json {
                    Json::Object(entries) => entries.get(*key),
                    Json::Array(items) => items.get(key.parse::<usize>().ok()?),
                    _ => None,
                })
                .cloned()
        };
        match path {
            ["trigger", "payload", rest @ ..] | ["eventPayload", rest @ ..] => {
                json(walk(&self.0.payload, rest).as_ref())
            }
            ["trigger", "header" | "headers", name] => {
                let header = self.0.headers.get(&name.to_ascii_lowercase());
                header.map_or(Lookup::Missing, |value| Lookup::outside(value.as_str()))
            }
            ["trigger", "type"] => self.0.type_name.as_deref().map_or(Lookup::Missing, Lookup::outside),
            ["trigger", "identifier"] => Lookup::outside(self.0.identifier.as_str()),
            ["trigger", property, rest @ ..] => {
                json(self.0.properties.get(*property).and_then(|value| walk(value, rest)).as_ref())
            }
            _ => Lookup::Missing,
        }
    }
}

struct Split<'t> {
    scope: TriggerScope<'t>,
    now: Timestamp,
    warnings: Vec<Diagnostic>,
    problems: Vec<Diagnostic>,
}

impl Split<'_> {
    /// What a value is to either side. Names go to both: entries are found by them.
    fn walk(&mut self, json: &Json, path: &str) -> (Option<Json>, Option<Json>) {
        match json {
            Json::Object(entries) => {
                let (mut author, mut outside) = (serde_json::Map::new(), serde_json::Map::new());
                for (key, value) in entries {
                    let naming = matches!(key.as_str(), "identifier" | "name" | "type");
                    if naming {
                        author.insert(key.clone(), value.clone());
                        outside.insert(key.clone(), value.clone());
                        continue;
                    }
                    let (one, other) = self.walk(value, &format!("{path}.{key}"));
                    author.extend(one.map(|value| (key.clone(), value)));
                    outside.extend(other.map(|value| (key.clone(), value)));
                }
                (Some(author.into()), Some(outside.into()))
            }
            Json::Array(items) => {
                let mut both: (Vec<Json>, Vec<Json>) = Default::default();
                for (at, item) in items.iter().enumerate() {
                    let (one, other) = self.walk(item, &format!("{path}.{at}"));
                    both.0.push(one.unwrap_or_default());
                    both.1.push(other.unwrap_or_default());
                }
                (Some(both.0.into()), Some(both.1.into()))
            }
            Json::String(text) if self.concerns_trigger(text) => (None, self.evaluate(text, path)),
            other => (Some(other.clone()), None),
        }
    }

    /// Whether an expression looks at the trigger only.
    fn concerns_trigger(&self, text: &str) -> bool {
        if !text.contains("<+") || input_use(text) != InputUse::None {
            return false;
        }
        let references = Template::parse(text).references();
        let root = |keys: &[Option<String>]| keys.first().cloned().flatten().unwrap_or_default();
        let of_trigger = |root: &str| matches!(root, "trigger" | "eventPayload");
        !references.paths.is_empty() && references.paths.iter().all(|path| of_trigger(&root(&path.keys)))
    }

    fn evaluate(&mut self, text: &str, path: &str) -> Option<Json> {
        let evaluator = Evaluator::new(&self.scope, self.now.to_jiff());
        match evaluator.value(&Template::parse(text)) {
            Ok(outcome) if outcome.missing.is_empty() => outcome.value.to_json().ok().filter(|json| !json.is_null()),
            Ok(outcome) => {
                let missing = outcome
                    .missing
                    .iter()
                    .map(|missing| Diagnostic { place: None, ..missing.to_diagnostic() }.path(path));
                self.warnings.extend(missing);
                None
            }
            Err(error) => {
                self.problems.push(Diagnostic { place: None, ..error.to_diagnostic() }.path(path));
                None
            }
        }
    }
}
