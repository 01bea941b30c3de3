//! The built-in kinds: types and discovery of Kubernetes 1.34, from the data that `data/generate.py` made.

use super::types::{Field, List, ListKind, MapOf, Scalar, Struct, Type};
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::sync::{Arc, LazyLock};

static SCHEMA: &[u8] = include_bytes!("../../data/schema.json.gz");
static OPENAPI: &[u8] = include_bytes!("../../data/openapi.json.gz");
static DISCOVERY: &[u8] = include_bytes!("../../data/discovery.json");

/// The type of a built-in kind, found by `apps/v1/Deployment` (`v1/Pod` in the core group).
pub(crate) fn kind(group_version_kind: &str) -> Option<Type> {
    TYPES.kinds.get(group_version_kind).cloned()
}

/// The type of what clients send: an object, or how one is to be deleted, which every group has under its own version.
pub(crate) fn sent(group_version_kind: &str) -> Option<Type> {
    let options = || group_version_kind.ends_with("/DeleteOptions").then(|| TYPES.delete_options.clone());
    kind(group_version_kind).or_else(options)
}

/// The metadata of every object.
pub(crate) fn object_meta() -> Type {
    TYPES.object_meta.clone()
}

/// The aggregated discovery documents of `/api` and `/apis`.
pub(crate) fn discovery() -> &'static [Value] {
    static DOCUMENTS: LazyLock<Vec<Value>> = LazyLock::new(|| serde_json::from_slice(DISCOVERY).unwrap_or_default());
    &DOCUMENTS
}

/// The OpenAPI v3 documents by path (`apis/apps/v1`).
pub(crate) fn openapi() -> &'static BTreeMap<String, Value> {
    static DOCUMENTS: LazyLock<BTreeMap<String, Value>> =
        LazyLock::new(|| serde_json::from_slice(&unpack(OPENAPI)).unwrap_or_default());
    &DOCUMENTS
}

fn unpack(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // The data is part of the program: what does not unpack fails the test below, not a request.
    let _ = GzDecoder::new(bytes).read_to_end(&mut out);
    out
}

struct Types {
    kinds: HashMap<String, Type>,
    object_meta: Type,
    delete_options: Type,
}

static TYPES: LazyLock<Types> = LazyLock::new(|| {
    let table: Table = serde_json::from_slice(&unpack(SCHEMA)).unwrap_or_default();
    let mut builder = Builder { table: &table, made: HashMap::new() };
    let kinds = table.kinds.iter().map(|(gvk, name)| (gvk.clone(), builder.named(name))).collect();
    let object_meta = builder.named("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    let delete_options = builder.named("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions");
    Types { kinds, object_meta, delete_options }
});

#[derive(Default, Deserialize)]
struct Table {
    kinds: BTreeMap<String, String>,
    types: BTreeMap<String, RawStruct>,
}

#[derive(Deserialize)]
struct RawStruct {
    fields: BTreeMap<String, RawField>,
    #[serde(default)]
    atomic: bool,
}

#[derive(Deserialize)]
struct RawField {
    t: String,
    #[serde(default)]
    f: String,
    #[serde(default)]
    l: String,
    #[serde(default)]
    k: Vec<String>,
    #[serde(default)]
    m: String,
    #[serde(default)]
    d: Option<Value>,
    #[serde(default)]
    n: Vec<u64>,
}

struct Builder<'a> {
    table: &'a Table,
    made: HashMap<String, Type>,
}

impl Builder<'_> {
    fn named(&mut self, name: &str) -> Type {
        if let Some(made) = self.made.get(name) {
            return made.clone();
        }
        let Some(raw) = self.table.types.get(name) else { return Type::Raw };
        // A type that holds itself (JSONSchemaProps) is anything at its second level.
        self.made.insert(name.to_owned(), Type::Raw);
        let fields = raw.fields.iter().map(|(key, field)| (key.clone(), self.field(field))).collect();
        let mut parts = name.rsplit('.');
        let short = parts.next().unwrap_or_default().to_owned();
        let version = parts.next().unwrap_or_default();
        let package = format!("{}/{version}", parts.next().unwrap_or_default());
        let qualified = format!("{version}.{short}");
        let shape = Struct { name: short, qualified, package, fields, atomic: raw.atomic, ..Struct::default() };
        let made = Type::Struct(Arc::new(shape));
        self.made.insert(name.to_owned(), made.clone());
        made
    }

    fn field(&mut self, raw: &RawField) -> Field {
        let mut ty = self.parse(&raw.t);
        let kind = match raw.l.as_str() {
            "map" => ListKind::Map(raw.k.clone()),
            "set" => ListKind::Set,
            _ => ListKind::Atomic,
        };
        ty = match ty {
            Type::List(list) => Type::List(Arc::new(List { item: list.item.clone(), kind })),
            Type::Map(map) => Type::Map(Arc::new(MapOf { value: map.value.clone(), atomic: raw.m == "atomic" })),
            // A field may be merged although its type is not.
            Type::Struct(shape) if shape.atomic && raw.m == "granular" => {
                Type::Struct(Arc::new(Struct { atomic: false, ..(*shape).clone() }))
            }
            other => other,
        };
        let flag = |letter| raw.f.contains(letter);
        Field {
            ty,
            pointer: flag('p'),
            omit_empty: flag('o'),
            omit_zero: flag('z'),
            default: raw.d.clone(),
            numbers: raw.n.clone(),
        }
    }

    fn parse(&mut self, text: &str) -> Type {
        if let Some(item) = text.strip_prefix("[]") {
            return Type::List(Arc::new(List { item: self.parse(item), kind: ListKind::Atomic }));
        }
        if let Some(value) = text.strip_prefix("{}") {
            return Type::Map(Arc::new(MapOf { value: self.parse(value), atomic: false }));
        }
        if let Some(name) = text.strip_prefix('@') {
            return self.named(name);
        }
        if let Some(opaque) = text.strip_prefix('!') {
            return match opaque.rsplit('.').next() {
                Some("Quantity") => Type::Scalar(Scalar::Quantity),
                Some("IntOrString") => Type::Scalar(Scalar::IntOrString),
                Some("Time") => Type::Scalar(Scalar::Time),
                Some("MicroTime") => Type::Scalar(Scalar::MicroTime),
                Some("Duration") => Type::Scalar(Scalar::Duration),
                _ => Type::Raw,
            };
        }
        match text.split_once(' ') {
            Some(("string", named)) => Type::Scalar(Scalar::Text(named.into())),
            None if text == "string" => Type::text(),
            _ => match text.split(' ').next() {
                Some("bool") => Type::Scalar(Scalar::Bool),
                Some("int32" | "uint32") => Type::Scalar(Scalar::Int(32)),
                Some("int64" | "int" | "uint64") => Type::Scalar(Scalar::Int(64)),
                Some("float64" | "float32") => Type::Scalar(Scalar::Float),
                Some("bytes") => Type::Scalar(Scalar::Bytes),
                _ => Type::Raw,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_data_holds_every_group() {
        assert_eq!(discovery().len(), 2);
        assert!(openapi().contains_key("apis/apps/v1"));
        assert!(TYPES.kinds.len() > 60);
    }

    #[test]
    fn list_keys_and_go_flags_are_known() {
        let Some(service) = kind("v1/Service") else { panic!("no Service") };
        let spec = service.field("spec").unwrap();
        let Some(Type::List(ports)) = spec.field("ports") else { panic!("ports are a list") };
        assert_eq!(ports.kind, ListKind::Map(vec!["port".into(), "protocol".into()]));
        assert_eq!(spec.field("selector").map(|t| t.go_name()), Some("map[string]string".into()));
        let port = ports.item.as_struct().unwrap();
        assert_eq!(port.fields["protocol"].default, Some("TCP".into()));
        assert!(port.fields["appProtocol"].pointer && !port.fields["name"].pointer);
        assert_eq!(object_meta().go_name(), "v1.ObjectMeta");
    }
}
