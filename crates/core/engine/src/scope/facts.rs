//! What surrounds a run: account, organization, project, variables, trigger, inputs.

use super::node::{optional, outside};
use super::{RunScope, document};
use crate::start::{Start, TriggerType};
use std::collections::BTreeMap;
use windlass_expression::{Lookup, Value};
use windlass_model::Json;
use windlass_model::pipeline::RunWhen;

impl RunScope<'_> {
    pub(super) fn facts(&self, root: &str, rest: &[&str]) -> Lookup {
        let Some(start) = &self.run.start else { return Lookup::Missing };
        let facts = &start.facts;
        let text = |text: &str| Lookup::author(text);
        match (root, rest) {
            ("account", ["identifier"]) => text(&facts.account.identifier),
            ("account", ["name"]) => text(&facts.account.name),
            ("account", ["companyName"]) => text(&facts.account.company_name),
            ("org", ["identifier"]) => text(&facts.org.identifier),
            ("org", ["name"]) => text(&facts.org.name),
            ("org", ["description"]) => text(&facts.org.description),
            ("project", ["identifier"]) => text(&facts.project.identifier),
            ("project", ["name"]) => text(&facts.project.name),
            ("project", ["description"]) => text(&facts.project.description),
            ("project", ["tags", key]) => of(&facts.project.tags, key),
            ("variable", ["account", name @ ..]) if !name.is_empty() => of(&facts.variables.account, &name.join(".")),
            ("variable", ["org", name @ ..]) if !name.is_empty() => of(&facts.variables.org, &name.join(".")),
            ("variable", name) if !name.is_empty() => of(&facts.variables.project, &name.join(".")),
            ("trigger", rest) => trigger(start, rest),
            ("eventPayload", rest) => trigger(start, &[&["payload"], rest].concat()),
            ("inputSet", rest) => match document::walk(&start.inputs, rest) {
                Some(value) => Lookup::author(Value::from(value)),
                None => Lookup::Missing,
            },
            _ => Lookup::Missing,
        }
    }

    /// What `when` compiles to, as a value.
    pub(super) fn outcome(&self, word: &str) -> Lookup {
        let Some(parent) = self.parent else { return Lookup::Missing };
        let holds = match word {
            "OnPipelineSuccess" => self.run.status_part(RunWhen::Success, true, self.root(parent)),
            "OnPipelineFailure" => self.run.status_part(RunWhen::Failure, true, self.root(parent)),
            "OnStageSuccess" => self.run.status_part(RunWhen::Success, false, parent),
            "OnStageFailure" => self.run.status_part(RunWhen::Failure, false, parent),
            _ => true,
        };
        Lookup::author(holds)
    }

    fn root(&self, ix: crate::nodes::NodeIx) -> crate::nodes::NodeIx {
        self.run.outwards(ix).last().unwrap_or(ix)
    }

    /// A value that the caller supplied for an expression that needs a stage which is not part of this run.
    pub(super) fn supplied(&self, path: &[&str]) -> Lookup {
        let values = self.run.start.as_ref().map(|start| &start.expression_values);
        let Some(values) = values.filter(|values| !values.is_empty()) else { return Lookup::Missing };
        let wanted = path.join(".");
        let strip = |key: &str| key.trim().trim_start_matches("<+").trim_end_matches('>').trim().to_owned();
        match values.iter().find(|(key, _)| strip(key) == wanted) {
            Some((_, value)) => Lookup::outside(value.as_str()),
            None => Lookup::Missing,
        }
    }
}

fn of(map: &BTreeMap<String, String>, key: &str) -> Lookup {
    map.get(key).map_or(Lookup::Missing, |value| Lookup::author(value.as_str()))
}

/// `trigger.…`; in a manual run all of it is null.
fn trigger(start: &Start, rest: &[&str]) -> Lookup {
    let trigger = &start.trigger;
    if trigger.kind == TriggerType::Manual {
        return Lookup::outside(Value::Null);
    }
    match rest {
        ["type"] => Lookup::outside(optional(trigger.type_name.as_deref())),
        ["identifier"] => Lookup::outside(trigger.identifier.as_str()),
        ["name"] => Lookup::outside(trigger.name.as_str()),
        ["payload", path @ ..] => outside(&trigger.payload, path),
        ["header" | "headers", name] => match trigger.headers.get(&name.to_ascii_lowercase()) {
            Some(value) => Lookup::outside(value.as_str()),
            None => Lookup::Missing,
        },
        [property, path @ ..] => match trigger.properties.get(*property) {
            Some(value) => outside(value, path),
            None => Lookup::Missing,
        },
        [] => Lookup::outside(Value::from(Json::from_iter([("payload".to_owned(), trigger.payload.clone())]))),
    }
}
