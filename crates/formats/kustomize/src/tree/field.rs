//! Reading and writing fields, with the rules of the reference for tags and styles.

use super::{Data, Fields, Id, Kind, Origin, Scalar, Tag, Tree, not_a_string_in_yaml_1_1};
use crate::error::{Problem, Result};
use windlass_diagnostic::Place;
use windlass_yaml::Style;

impl Tree {
    /// An error unless the node is of a kind; null is of every kind.
    pub(crate) fn expect(&self, id: Id, kind: Kind) -> Result<()> {
        let found = self.kind(id);
        if found == kind || self.is_null(id) {
            return Ok(());
        }
        let (wanted, found) = (kind.name(), found.name());
        Err(Problem::Field.says(format!("wrong node kind: expected {wanted} but got {found}")).at(self
            .node(id)
            .origin
            .place
            .as_ref()))
    }

    /// Replaces a scalar, and keeps its style.
    pub(crate) fn set_scalar(&mut self, at: Id, mut value: Scalar) -> Result<()> {
        self.expect(at, Kind::Scalar)?;
        if value.tag == Tag::Null {
            return Ok(());
        }
        let node = self.node_mut(at);
        value.style = match &node.data {
            Data::Scalar(old) => old.style,
            _ => Style::Plain,
        };
        node.data = Data::Scalar(value);
        Ok(())
    }

    /// Sets a field to a node. A field that is there keeps its place and style and becomes what the node is; a new field
    /// is the node itself, which others may share. Null removes.
    pub(crate) fn set_field(&mut self, at: Id, name: &str, value: Id) -> Result<Id> {
        self.quote_if_ambiguous(value);
        self.expect(at, Kind::Map)?;
        if self.is_null(value) {
            self.clear(at, name);
            return Ok(value);
        }
        match self.get(at, name) {
            Some(field) => {
                if field == value {
                    return Ok(field);
                }
                let style = match self.data(field) {
                    Data::Scalar(scalar) => scalar.style,
                    _ => Style::Plain,
                };
                if let Data::Scalar(scalar) = &mut self.node_mut(value).data {
                    scalar.style = style;
                }
                self.assign(field, value);
                Ok(field)
            }
            None => {
                if let Data::Map(fields) = &mut self.node_mut(at).data {
                    fields.insert(name.into(), value);
                }
                Ok(value)
            }
        }
    }

    /// Puts quotes around a plain text that YAML 1.1 reads as something else.
    pub(crate) fn quote_if_ambiguous(&mut self, id: Id) {
        if let Data::Scalar(scalar) = &mut self.node_mut(id).data
            && scalar.is_string()
            && scalar.style == Style::Plain
            && not_a_string_in_yaml_1_1(&scalar.text)
        {
            scalar.style = Style::DoubleQuoted;
        }
    }

    pub(crate) fn set_field_scalar(&mut self, at: Id, name: &str, value: Scalar, place: Option<&Place>) -> Result<Id> {
        let origin = match self.get(at, name) {
            Some(field) => self.node(field).origin.clone(),
            None => Origin::at(place),
        };
        let id = self.push(Data::Scalar(value), origin);
        self.set_field(at, name, id)
    }

    pub(crate) fn clear(&mut self, at: Id, name: &str) -> Option<Id> {
        match &mut self.node_mut(at).data {
            Data::Map(fields) => fields.remove(name),
            _ => None,
        }
    }

    /// The value of a key; made when it is missing.
    pub(crate) fn get_or_create(&mut self, at: Id, name: &str, kind: Kind) -> Result<Id> {
        if let Some(found) = self.get(at, name) {
            return Ok(found);
        }
        self.expect(at, Kind::Map)?;
        let id = self.push(kind.empty(), Origin::default());
        if let Data::Map(fields) = &mut self.node_mut(at).data {
            fields.insert(name.into(), id);
        }
        Ok(id)
    }

    /// Sets a text at a path of keys; mappings on the way are made.
    pub(crate) fn set_text(&mut self, keys: &[&str], value: Scalar, place: Option<&Place>) -> Result<()> {
        let Some((last, before)) = keys.split_last() else { return Ok(()) };
        let mut at = self.root;
        for key in before {
            at = self.get_or_create(at, key, Kind::Map)?;
        }
        self.set_field_scalar(at, last, value, place).map(|_| ())
    }

    /// The labels or annotations, in the order in which they stand.
    pub(crate) fn meta_map(&self, field: &str) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.find(&["metadata", field]).and_then(|id| self.fields(id));
        fields.into_iter().flatten().map(|(key, value)| (&**key, self.text(*value)))
    }

    /// Replaces labels or annotations; values become strings. An empty map removes the field.
    pub(crate) fn set_meta_map(
        &mut self,
        field: &str,
        entries: impl IntoIterator<Item = (String, String)>,
    ) -> Result<()> {
        let meta = self.get_or_create(self.root, "metadata", Kind::Map)?;
        let old = self.clear(meta, field);
        let mut entries: Vec<(String, String)> = entries.into_iter().collect();
        if entries.is_empty() {
            return Ok(());
        }
        entries.sort_unstable();
        let mut fields = Fields::with_capacity(entries.len());
        for (key, value) in entries {
            let own = old.and_then(|old| self.get(old, &key)).unwrap_or(self.root);
            let id = self.push(Data::Scalar(Scalar::entry(value)), self.node(own).origin.clone());
            fields.insert(key.into(), id);
        }
        let origin = old.map(|old| self.node(old).origin.clone()).unwrap_or_default();
        let map = self.push(Data::Map(fields), origin);
        self.set_field(meta, field, map).map(|_| ())
    }

    /// Sets one annotation. Empty annotations are made anew.
    pub(crate) fn set_annotation(&mut self, key: &str, value: &str, place: Option<&Place>) -> Result<()> {
        let meta = self.get_or_create(self.root, "metadata", Kind::Map)?;
        if self.get(meta, "annotations").is_some_and(|found| self.fields(found).is_none_or(Fields::is_empty)) {
            self.clear(meta, "annotations");
        }
        let annotations = self.get_or_create(meta, "annotations", Kind::Map)?;
        let value = Scalar { style: Style::SingleQuoted, ..Scalar::string(value) };
        self.set_field_scalar(annotations, key, value, place).map(|_| ())
    }
}

impl Tree {
    /// Sets an annotation as the transformer of annotations does: others stay as they are.
    pub(crate) fn annotate(&mut self, key: &str, value: &str) -> Result<()> {
        self.set_text(&["metadata", "annotations", key], Scalar::string(value), None)
    }
}
