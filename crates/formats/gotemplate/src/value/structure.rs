use super::{Type, Value};
use std::rc::Rc;

/// A struct of Go: fields by name, in their order. It never changes.
#[derive(Clone, Debug)]
pub struct Struct(Rc<Inner>);

#[derive(Debug)]
struct Inner {
    kind: &'static Type,
    is_pointer: bool,
    fields: Vec<Field>,
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: &'static str,
    /// Its name in JSON and YAML; empty when it has none there.
    pub key: &'static str,
    /// Left out of JSON and YAML when it holds nothing.
    pub is_optional: bool,
    pub value: Value,
}

impl Struct {
    pub fn new(kind: &'static Type, fields: Vec<Field>) -> Self {
        Self(Rc::new(Inner { kind, is_pointer: kind.name.starts_with('*'), fields }))
    }

    pub fn kind(&self) -> &'static Type {
        self.0.kind
    }

    pub(crate) fn is_pointer(&self) -> bool {
        self.0.is_pointer
    }

    pub fn fields(&self) -> &[Field] {
        &self.0.fields
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.fields.iter().find(|field| field.name == name).map(|field| &field.value)
    }
}
