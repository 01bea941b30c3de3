//! A value and its place, for checks that read like the rules they state.

use super::field::Problems;
use super::{meta, names};
use crate::apply::fieldset::sorted_text;
use crate::object::Object;
use serde_json::Value;

static NOTHING: Value = Value::Null;

/// Something within an object. Absent things are null.
#[derive(Clone, Debug)]
pub(crate) struct At<'a> {
    pub value: &'a Value,
    pub path: String,
}

impl<'a> At<'a> {
    pub(crate) fn root(object: &'a Value, field: &str) -> Self {
        Self { value: object.get(field).unwrap_or(&NOTHING), path: field.to_owned() }
    }

    pub(crate) fn child(&self, name: &str) -> At<'a> {
        At { value: self.value.get(name).unwrap_or(&NOTHING), path: self.at(name) }
    }

    /// The path of a field.
    pub(crate) fn at(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    pub(crate) fn items(&self, name: &str) -> Vec<At<'a>> {
        self.child(name).elements()
    }

    pub(crate) fn elements(&self) -> Vec<At<'a>> {
        let items = self.value.as_array().into_iter().flatten().enumerate();
        items.map(|(i, value)| At { value, path: format!("{}[{i}]", self.path) }).collect()
    }

    /// The entries of a map, sorted by key, each with the place `path[key]`.
    pub(crate) fn entries(&self) -> Vec<(&'a str, At<'a>)> {
        let mut entries: Vec<_> = self.value.as_object().into_iter().flatten().collect();
        entries.sort_by_key(|(k, _)| k.as_str());
        entries.into_iter().map(|(k, value)| (k.as_str(), At { value, path: format!("{}[{k}]", self.path) })).collect()
    }

    pub(crate) fn is_set(&self) -> bool {
        !self.value.is_null()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.value.get(name).is_some_and(|v| !v.is_null())
    }

    pub(crate) fn as_str(&self) -> &'a str {
        self.value.as_str().unwrap_or_default()
    }

    pub(crate) fn text(&self, name: &str) -> &'a str {
        self.value.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn int(&self, name: &str) -> Option<i64> {
        self.value.get(name).and_then(Value::as_i64)
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.value.get(name) == Some(&Value::Bool(true))
    }

    pub(crate) fn len(&self) -> usize {
        match self.value {
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            _ => 0,
        }
    }

    /// The field must not be below 0.
    pub(crate) fn not_negative(&self, name: &str, problems: &mut Problems) {
        if let Some(number) = self.int(name).filter(|n| *n < 0) {
            problems.invalid(self.at(name), &number.into(), "must be greater than or equal to 0");
        }
    }

    /// The field must be one of these words.
    pub(crate) fn one_of(&self, name: &str, words: &[&str], problems: &mut Problems) {
        let word = self.text(name);
        if word.is_empty() {
            problems.required(self.at(name), "");
        } else if !words.contains(&word) {
            problems.unsupported(self.at(name), &word.into(), words);
        }
    }

    /// Each reason is a problem of the field.
    pub(crate) fn wrong(&self, name: &str, reasons: Vec<String>, problems: &mut Problems) {
        problems.invalid_each(&self.at(name), self.text(name), reasons);
    }

    /// A port: a number in range, or the name of one.
    pub(crate) fn port_or_name(&self, name: &str, problems: &mut Problems) {
        match self.value.get(name) {
            Some(Value::String(text)) => problems.invalid_each(&self.at(name), text, names::port_name(text)),
            Some(Value::Number(_)) => self.port_number(name, problems),
            _ => problems.invalid(self.at(name), &0.into(), names::PORT_RANGE),
        }
    }

    pub(crate) fn port_number(&self, name: &str, problems: &mut Problems) {
        let number = self.int(name).unwrap_or(0);
        if !(1..=65_535).contains(&number) {
            problems.invalid(self.at(name), &number.into(), names::PORT_RANGE);
        }
    }

    /// A count or a percentage.
    pub(crate) fn count_or_percent(&self, name: &str, problems: &mut Problems) {
        match self.value.get(name) {
            Some(Value::String(text)) if names::percent(text).is_none() => {
                problems.invalid(self.at(name), &Value::from(text.as_str()), names::PERCENT);
            }
            Some(Value::Number(_)) => self.not_negative(name, problems),
            _ => {}
        }
    }

    pub(crate) fn at_most_all(&self, name: &str, problems: &mut Problems) {
        if names::percent(self.text(name)).is_some_and(|p| p > 100) {
            problems.invalid(self.at(name), &self.text(name).into(), "must not be greater than 100%");
        }
    }

    /// The number, or the number before the percent sign.
    pub(crate) fn amount(&self, name: &str) -> i64 {
        names::percent(self.text(name)).or_else(|| self.int(name)).unwrap_or(0)
    }

    /// Checks `matchLabels` and `matchExpressions`.
    pub(crate) fn label_selector(&self, problems: &mut Problems) {
        meta::labels(&self.at("matchLabels"), self.value.get("matchLabels"), problems);
        for expression in self.items("matchExpressions") {
            let values = expression.child("values").len();
            match expression.text("operator") {
                "In" | "NotIn" if values == 0 => {
                    let why = "must be specified when `operator` is 'In' or 'NotIn'";
                    problems.required(expression.at("values"), why);
                }
                "Exists" | "DoesNotExist" if values > 0 => {
                    let why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                    problems.forbidden(expression.at("values"), why);
                }
                "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
                other => problems.invalid(expression.at("operator"), &other.into(), "not a valid selector operator"),
            }
            expression.wrong("key", names::qualified_name(expression.text("key")), problems);
            for value in expression.items("values") {
                problems.invalid_each(&value.path, value.as_str(), names::label_value(value.as_str()));
            }
        }
    }

    /// Whether a selector can be used at all.
    pub(crate) fn is_sound_selector(&self) -> bool {
        let is_entry = |key: &str, values: &[At<'_>]| {
            let is_value = |value: &At<'_>| names::label_value(value.as_str()).is_empty();
            names::qualified_name(key).is_empty() && values.iter().all(is_value)
        };
        let labels = self.child("matchLabels").entries().into_iter();
        let expressions = self.items("matchExpressions");
        labels.into_iter().all(|(key, value)| is_entry(key, &[value]))
            && expressions.iter().all(|e| {
                let values = e.items("values");
                let counts = match e.text("operator") {
                    "In" | "NotIn" => !values.is_empty(),
                    "Exists" | "DoesNotExist" => values.is_empty(),
                    _ => false,
                };
                counts && is_entry(e.text("key"), &values)
            })
    }

    /// A selector as messages show it: in the order of Go's fields.
    pub(crate) fn shown_selector(&self) -> String {
        let fields = ["matchLabels", "matchExpressions"];
        let said = fields.iter().filter_map(|f| Some(format!("{f:?}:{}", sorted_text(self.value.get(*f)?))));
        format!("{{{}}}", said.collect::<Vec<_>>().join(","))
    }

    /// How many requirements a selector has.
    pub(crate) fn requirements(&self) -> usize {
        self.child("matchLabels").len() + self.child("matchExpressions").len()
    }
}

/// The field must be what it was.
pub(crate) fn immutable(new: &Value, old: &Value, pointer: &str, path: &str, problems: &mut Problems) {
    if let Some(is) = changed(new, old, pointer) {
        problems.invalid(path, is, "field is immutable");
    }
}

/// The same for `spec.selector`.
pub(crate) fn immutable_selector(new: &Value, old: &Value, problems: &mut Problems) {
    let path = "spec.selector";
    match changed(new, old, "/spec/selector") {
        Some(value @ Value::Object(_)) => {
            let shown = At { value, path: path.to_owned() }.shown_selector();
            problems.invalid_shown(path, &shown, "field is immutable");
        }
        Some(other) => problems.invalid(path, other, "field is immutable"),
        None => {}
    }
}

/// The same for a field whose value is shown as the server holds it inside.
pub(crate) fn immutable_as(kind: &str, new: &Value, old: &Value, pointer: &str, path: &str, problems: &mut Problems) {
    match changed(new, old, pointer) {
        Some(Value::Null) => problems.invalid(path, &Value::Null, "field is immutable"),
        Some(is) => problems.invalid_shown(path, &crate::internal::show(kind, is), "field is immutable"),
        None => {}
    }
}

fn changed<'a>(new: &'a Value, old: &Value, pointer: &str) -> Option<&'a Value> {
    let (is, was) = (new.at(pointer).unwrap_or(&NOTHING), old.at(pointer).unwrap_or(&NOTHING));
    (!crate::apply::compare::same(is, was)).then_some(is)
}
