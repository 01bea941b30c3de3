//! Reading a document as a kind: Go's type errors, unknown and doubled fields, zero values left out.

use super::moment;
use super::quantity::Quantity;
use super::types::{Field, Scalar, Struct, Type};
use crate::json::{Tree, number};
use crate::object::{micro_time_text, time_text};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// What came out of a document.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub value: Value,
    /// Unknown and doubled fields, as strict decoding names them, in the order of the document.
    pub strict: Vec<String>,
}

/// Reads `tree` as `ty`. The error is what Go's decoder says first.
pub(crate) fn decode(tree: &Tree<'_>, ty: &Type) -> Result<Decoded, String> {
    let mut decoder = Decoder { way: Vec::new(), fields: Vec::new(), owner: "", strict: Vec::new() };
    let value = decoder.any(tree, ty)?.unwrap_or(Value::Object(Map::new()));
    Ok(Decoded { value, strict: decoder.strict })
}

struct Decoder<'a> {
    /// Where the decoder is. Nearly always nobody asks.
    way: Vec<Step<'a>>,
    /// JSON names of the fields above, for type errors.
    fields: Vec<&'a str>,
    /// The struct that holds the innermost field.
    owner: &'a str,
    strict: Vec<String>,
}

enum Step<'a> {
    Key(&'a str),
    Item(usize),
}

/// Lists of which an empty one is refused, and a missing one gets defaults.
const EMPTY_IS_SAID: &[(&str, &str)] = &[("HPAScalingRules", "policies")];

/// Nothing stands for null.
type Outcome = Result<Option<Value>, String>;

impl<'a> Decoder<'a> {
    fn any(&mut self, tree: &'a Tree<'_>, ty: &'a Type) -> Outcome {
        if *tree == Tree::Null && !matches!(ty, Type::Any | Type::Raw) {
            return Ok(None);
        }
        match ty {
            Type::Any | Type::Raw => {
                self.doubled(tree);
                Ok(Some(tree.to_value()))
            }
            Type::Struct(shape) => {
                let Tree::Object(entries) = tree else { return Err(self.mismatch(tree.word(), ty)) };
                self.fields_of(entries, shape).map(Some)
            }
            Type::List(list) => {
                let Tree::List(items) = tree else { return Err(self.mismatch(tree.word(), ty)) };
                let mut out = Vec::with_capacity(items.len());
                for (i, item) in items.iter().enumerate() {
                    self.way.push(Step::Item(i));
                    let value = self.any(item, &list.item)?;
                    self.way.pop();
                    out.push(value.unwrap_or_else(|| zero(&list.item)));
                }
                Ok(Some(Value::Array(out)))
            }
            Type::Map(map) => {
                let Tree::Object(entries) = tree else { return Err(self.mismatch(tree.word(), ty)) };
                let mut out = Map::new();
                for (key, value) in entries {
                    self.way.push(Step::Key(key));
                    if out.contains_key(key.as_ref()) {
                        self.note("duplicate");
                    }
                    let value = self.any(value, &map.value)?;
                    self.way.pop();
                    out.insert(key.as_ref().to_owned(), value.unwrap_or_else(|| zero(&map.value)));
                }
                Ok(Some(Value::Object(out)))
            }
            Type::Scalar(scalar) => self.scalar(tree, scalar, ty).map(Some),
        }
    }

    fn fields_of(&mut self, entries: &'a [(Cow<'_, str>, Tree<'_>)], shape: &'a Struct) -> Result<Value, String> {
        let mut out = Map::new();
        for (i, (key, tree)) in entries.iter().enumerate() {
            self.way.push(Step::Key(key));
            if entries[..i].iter().any(|(before, _)| before == key) {
                self.note("duplicate");
            }
            match shape.fields.get(key.as_ref()) {
                Some(field) => self.field(key, tree, field, &shape.name, &mut out)?,
                None if shape.open => {
                    out.insert(key.as_ref().to_owned(), tree.to_value());
                }
                None => self.note("unknown"),
            }
            self.way.pop();
        }
        Ok(Value::Object(out))
    }

    fn field(
        &mut self,
        key: &'a str,
        tree: &'a Tree<'_>,
        field: &'a Field,
        owner: &'a str,
        out: &mut Map<String, Value>,
    ) -> Result<(), String> {
        let above = std::mem::replace(&mut self.owner, owner);
        self.fields.push(key);
        let value = self.any(tree, &field.ty)?;
        self.fields.pop();
        self.owner = above;
        let is_whole = field.pointer && matches!(field.ty, Type::Struct(_) | Type::Any | Type::Raw);
        let is_said = |value: &Value| match value {
            _ if is_whole => true,
            Value::Array(_) if EMPTY_IS_SAID.contains(&(owner, key)) => true,
            // Where Go always writes a list, an empty one is something that was said.
            Value::Array(_) => !field.pointer && !field.omit_empty,
            Value::Object(_) => false,
            _ => field.pointer,
        };
        match value.filter(|value| !is_zero(value) || is_said(value)) {
            Some(value) => out.insert(key.to_owned(), value),
            None => out.remove(key),
        };
        Ok(())
    }

    /// What strict decoding says of the place where the decoder is.
    fn note(&mut self, what: &str) {
        let mut way = String::new();
        for step in &self.way {
            match step {
                Step::Item(at) => way.push_str(&format!("[{at}]")),
                Step::Key(key) => {
                    if !way.is_empty() {
                        way.push('.');
                    }
                    way.push_str(key);
                }
            }
        }
        self.strict.push(format!("{what} field \"{way}\""));
    }

    fn scalar(&self, tree: &Tree<'_>, scalar: &Scalar, ty: &Type) -> Result<Value, String> {
        let wrong = |word: &str| Err(self.mismatch(word, ty));
        match (scalar, tree) {
            (Scalar::Text(_), Tree::Text(text)) => Ok(text.as_ref().into()),
            (Scalar::Bool, Tree::Bool(b)) => Ok((*b).into()),
            (Scalar::Int(bits), Tree::Number(text)) => match text.parse::<i64>() {
                Ok(n) if *bits == 64 || i32::try_from(n).is_ok() => Ok(n.into()),
                _ => wrong(&format!("number {text}")),
            },
            (Scalar::Float, Tree::Number(text)) => Ok(number(text)),
            (Scalar::Bytes, Tree::Text(text)) => {
                let bad = |at: usize| format!("illegal base64 data at input byte {at}");
                check_base64(text).map_err(bad)?;
                Ok(text.as_ref().into())
            }
            (Scalar::Quantity, Tree::Text(text) | Tree::Number(text)) => {
                Quantity::parse(text.trim()).map(|q| q.canonical().into()).map_err(str::to_owned)
            }
            (Scalar::Quantity, _) => Err(super::quantity::WRONG_FORMAT.to_owned()),
            (Scalar::IntOrString, Tree::Text(text)) => Ok(text.as_ref().into()),
            (Scalar::IntOrString, Tree::Number(text)) => match text.parse::<i32>() {
                Ok(n) => Ok(n.into()),
                Err(_) => Err(format!("json: cannot unmarshal number {text} into Go value of type int32")),
            },
            (Scalar::IntOrString, other) => {
                Err(format!("json: cannot unmarshal {} into Go value of type int32", other.word()))
            }
            (Scalar::Time | Scalar::MicroTime, Tree::Text(text)) => Self::moment(text, scalar),
            (Scalar::Time | Scalar::MicroTime | Scalar::Duration, other) if !matches!(other, Tree::Text(_)) => {
                Err(format!("json: cannot unmarshal {} into Go value of type string", other.word()))
            }
            (Scalar::Duration, Tree::Text(text)) => Ok(text.as_ref().into()),
            (_, other) => wrong(other.word()),
        }
    }

    fn moment(text: &str, scalar: &Scalar) -> Result<Value, String> {
        if *scalar == Scalar::Time {
            return moment::parse(text, moment::SECONDS).map(|at| time_text(at).into());
        }
        moment::parse(text, moment::MICROS).map(|at| micro_time_text(at).into())
    }

    fn mismatch(&self, word: &str, ty: &Type) -> String {
        let target = ty.go_name();
        if self.fields.is_empty() {
            return format!("json: cannot unmarshal {word} into Go value of type {target}");
        }
        format!(
            "json: cannot unmarshal {word} into Go struct field {}.{} of type {target}",
            self.owner,
            self.fields.join(".")
        )
    }

    /// Doubled fields within a part without a type.
    fn doubled(&mut self, tree: &'a Tree<'_>) {
        match tree {
            Tree::Object(entries) => {
                for (i, (key, value)) in entries.iter().enumerate() {
                    self.way.push(Step::Key(key));
                    if entries[..i].iter().any(|(k, _)| k == key) {
                        self.note("duplicate");
                    }
                    self.doubled(value);
                    self.way.pop();
                }
            }
            Tree::List(items) => {
                for (i, item) in items.iter().enumerate() {
                    self.way.push(Step::Item(i));
                    self.doubled(item);
                    self.way.pop();
                }
            }
            _ => {}
        }
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(b) => !b,
        Value::Number(n) => n.as_f64() == Some(0.0),
        Value::String(s) => s.is_empty(),
        Value::Array(a) => a.is_empty(),
        Value::Object(o) => o.is_empty(),
    }
}

/// What Go holds where null was written.
fn zero(ty: &Type) -> Value {
    match ty {
        Type::Scalar(Scalar::Bool) => false.into(),
        Type::Scalar(Scalar::Int(_) | Scalar::Float | Scalar::IntOrString) => 0.into(),
        Type::Scalar(Scalar::Quantity) => "0".into(),
        Type::Scalar(_) => "".into(),
        Type::Struct(_) => Value::Object(Map::new()),
        Type::List(_) | Type::Map(_) | Type::Any | Type::Raw => Value::Null,
    }
}

/// The place of the first byte that is not base64 with padding.
fn check_base64(text: &str) -> Result<(), usize> {
    let clean: Vec<u8> = text.bytes().filter(|b| !matches!(b, b'\r' | b'\n')).collect();
    let body = clean.iter().position(|&b| b == b'=').unwrap_or(clean.len());
    if let Some(bad) = clean[..body].iter().position(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'+' | b'/')) {
        return Err(bad);
    }
    let padding = clean.len() - body;
    if !clean.len().is_multiple_of(4) || padding > 2 || clean[body..].iter().any(|&b| b != b'=') {
        return Err(body - body % 4);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::builtin;
    use super::*;
    use serde_json::json;

    fn read(kind: &str, text: &str) -> Result<(Value, Vec<String>), String> {
        let tree = Tree::parse(text.as_bytes())?;
        let ty = builtin::kind(kind).unwrap();
        decode(&tree, &ty).map(|d| (d.value, d.strict))
    }

    #[test]
    fn type_errors_name_struct_field_and_go_type() {
        for (kind, text, error) in [
            ("v1/ConfigMap", r#"{"data":{"a":1}}"#, "number into Go struct field ConfigMap.data of type string"),
            (
                "v1/ConfigMap",
                r#"{"metadata":{"name":true}}"#,
                "bool into Go struct field ObjectMeta.metadata.name of type string",
            ),
            ("v1/ConfigMap", r#"{"data":[]}"#, "array into Go struct field ConfigMap.data of type map[string]string"),
            ("v1/ConfigMap", "[1]", "array into Go value of type v1.ConfigMap"),
            (
                "apps/v1/Deployment",
                r#"{"spec":{"replicas":"2"}}"#,
                "string into Go struct field DeploymentSpec.spec.replicas of type int32",
            ),
            (
                "apps/v1/Deployment",
                r#"{"spec":{"replicas":1.5}}"#,
                "number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
            ),
            (
                "v1/Pod",
                r#"{"spec":{"containers":[{"ports":[{"protocol":1}]}]}}"#,
                "number into Go struct field ContainerPort.spec.containers.ports.protocol of type v1.Protocol",
            ),
        ] {
            assert_eq!(read(kind, text).unwrap_err(), format!("json: cannot unmarshal {error}"));
        }
    }

    #[test]
    fn unknown_and_doubled_fields_are_told_in_the_order_of_the_document() {
        let text = r#"{"metadata":{"name":"x","unknown":1,"name":"y"},"dta":{},"data":{"k":"1","k":"2"}}"#;
        let (value, strict) = read("v1/ConfigMap", text).unwrap();
        assert_eq!(value, json!({"metadata": {"name": "y"}, "data": {"k": "2"}}));
        assert_eq!(
            strict,
            [
                "unknown field \"metadata.unknown\"",
                "duplicate field \"metadata.name\"",
                "unknown field \"dta\"",
                "duplicate field \"data.k\"",
            ]
        );
    }

    #[test]
    fn empty_policies_of_scaling_are_not_missing_ones() {
        let text = r#"{"spec":{"metrics":[],"behavior":{"scaleUp":{"policies":null},"scaleDown":{"policies":[]}}}}"#;
        let (value, _) = read("autoscaling/v2/HorizontalPodAutoscaler", text).unwrap();
        assert_eq!(value, json!({"spec": {"behavior": {"scaleUp": {}, "scaleDown": {"policies": []}}}}));
    }

    #[test]
    fn zero_values_are_left_out_unless_the_field_is_a_pointer() {
        let text = r#"{"spec":{"replicas":0,"minReadySeconds":0,"paused":false,"strategy":{},"template":{"spec":{
            "containers":[{"name":"c","image":"","ports":[],"securityContext":{},"resources":{"requests":{"cpu":"1000m"}}}],
            "volumes":[{"name":"v","emptyDir":{}}]}}}}"#;
        let (value, _) = read("apps/v1/Deployment", text).unwrap();
        assert_eq!(
            value,
            json!({"spec": {"replicas": 0, "template": {"spec": {
                "containers": [{"name": "c", "securityContext": {}, "resources": {"requests": {"cpu": "1"}}}],
                "volumes": [{"name": "v", "emptyDir": {}}]}}}})
        );
    }
}
