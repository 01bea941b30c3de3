//! The types of the API: built-in ones from the table, custom ones from their definitions.

use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The type of one value. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) enum Type {
    Scalar(Scalar),
    List(Arc<List>),
    Map(Arc<MapOf>),
    Struct(Arc<Struct>),
    /// Anything: its shape tells how it is merged (objects field by field, lists as a whole).
    Any,
    /// Anything, kept and owned as a whole.
    Raw,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    /// `string`, or a named string type as Go prints it (`v1.Protocol`).
    Text(Arc<str>),
    Bool,
    /// 32 or 64 bits.
    Int(u8),
    Float,
    /// Base64.
    Bytes,
    Quantity,
    IntOrString,
    Time,
    MicroTime,
    Duration,
}

#[derive(Debug)]
pub(crate) struct List {
    pub item: Type,
    pub kind: ListKind,
}

/// How the items of a list are told apart (`x-kubernetes-list-type`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    Atomic,
    /// By value.
    Set,
    /// By these fields.
    Map(Vec<String>),
}

#[derive(Debug)]
pub(crate) struct MapOf {
    pub value: Type,
    pub atomic: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Struct {
    /// The name as in Go's error messages (`ObjectMeta`); empty for custom kinds.
    pub name: String,
    /// The name with its package (`v1.ObjectMeta`).
    pub qualified: String,
    /// Group and version (`core/v1`), empty for custom kinds.
    pub package: String,
    pub fields: BTreeMap<String, Field>,
    pub atomic: bool,
    /// Keeps fields that are not declared (`x-kubernetes-preserve-unknown-fields`).
    pub open: bool,
    pub absent: Absent,
}

/// What is written where nothing was said. It follows from the fields alone: each is found out once, when it is first needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Absent {
    /// Fields with a default that the schema states.
    pub declared: OnceLock<Vec<(String, Value)>>,
    /// Structs that are there because rules fill something into them.
    pub filled: OnceLock<Vec<(String, Value)>>,
    /// Fields that Go writes although they are empty.
    pub written: OnceLock<Vec<(String, Value)>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub ty: Type,
    pub pointer: bool,
    pub omit_empty: bool,
    pub omit_zero: bool,
    pub default: Option<Value>,
    /// The way to it in protobuf; empty for custom kinds.
    pub numbers: Vec<u64>,
}

impl Type {
    pub(crate) fn text() -> Self {
        Self::Scalar(Scalar::Text("string".into()))
    }

    pub(crate) fn as_struct(&self) -> Option<&Struct> {
        if let Self::Struct(s) = self { Some(s) } else { None }
    }

    /// The type of a field of this type; [`Type::Any`] below anything, nothing when there is no such field.
    pub(crate) fn field(&self, name: &str) -> Option<Type> {
        match self {
            Self::Struct(s) => match s.fields.get(name) {
                Some(field) => Some(field.ty.clone()),
                None if s.open => Some(Self::Any),
                None => None,
            },
            Self::Map(map) => Some(map.value.clone()),
            Self::Any => Some(Self::Any),
            Self::Scalar(_) | Self::List(_) | Self::Raw => None,
        }
    }

    /// The type as Go prints it in an error message.
    pub(crate) fn go_name(&self) -> String {
        match self {
            Self::Scalar(Scalar::Text(name)) => name.to_string(),
            Self::Scalar(Scalar::Bool) => "bool".into(),
            Self::Scalar(Scalar::Int(bits)) => format!("int{bits}"),
            Self::Scalar(Scalar::Float) => "float64".into(),
            Self::Scalar(Scalar::Bytes) => "[]uint8".into(),
            Self::Scalar(Scalar::Quantity) => "resource.Quantity".into(),
            Self::Scalar(Scalar::IntOrString) => "intstr.IntOrString".into(),
            Self::Scalar(Scalar::Time) => "v1.Time".into(),
            Self::Scalar(Scalar::MicroTime) => "v1.MicroTime".into(),
            Self::Scalar(Scalar::Duration) => "v1.Duration".into(),
            Self::List(list) => format!("[]{}", list.item.go_name()),
            Self::Map(map) => format!("map[string]{}", map.value.go_name()),
            Self::Struct(s) => s.qualified.clone(),
            Self::Any | Self::Raw => "interface {}".into(),
        }
    }
}
