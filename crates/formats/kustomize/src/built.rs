//! The result of a build.

use crate::error::Result;
use crate::tree::{Data, Id, Origin, Tree};
use serde_json::Value as Json;
use std::borrow::Cow;
use windlass_diagnostic::Diagnostics;
use windlass_yaml::{Printable, Shape};

/// The objects of a build, in the order of the output.
#[derive(Clone, Debug)]
pub struct Built {
    pub objects: Vec<BuiltObject>,
    /// What should be changed, and did not keep the build from being made.
    pub warnings: Diagnostics,
}

/// An object and where each of its values comes from.
#[derive(Clone, Debug)]
pub struct BuiltObject {
    /// Every scalar of it has a value.
    tree: Tree,
}

/// A line of the output and where its value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Counts from 1.
    pub line: usize,
    pub origin: Origin,
}

impl Built {
    /// The text that the reference prints.
    pub fn to_yaml(&self) -> String {
        windlass_yaml::print_documents(self.objects.iter().map(BuiltObject::printed))
    }

    /// The lines at which values start, in order. A value in several lines has one entry, at the first.
    pub fn lines(&self) -> Vec<Line> {
        let mut out = Vec::new();
        let mut before = 0;
        for object in &self.objects {
            let (text, lines) = windlass_yaml::to_yaml_with_lines(object.printed());
            let mut origins = Vec::new();
            object.tree.origins(object.tree.root, &mut origins);
            let found = lines.into_iter().zip(origins).filter_map(|(line, origin)| origin.map(|origin| (line, origin)));
            out.extend(found.map(|(line, origin)| Line { line: before + line, origin: origin.clone() }));
            // `---` stands between documents.
            before += text.matches('\n').count() + 1;
        }
        out
    }
}

impl BuiltObject {
    pub(crate) fn new(tree: Tree) -> Result<Self> {
        tree.check(tree.root)?;
        Ok(Self { tree })
    }

    /// The object as a plain value.
    pub fn to_json(&self) -> Json {
        self.tree.to_json(self.tree.root).unwrap_or_default()
    }

    fn printed(&self) -> Printed<'_> {
        Printed { tree: &self.tree, id: self.tree.root }
    }

    /// Where the value at a JSON pointer comes from.
    pub fn origin(&self, pointer: &str) -> Option<&Origin> {
        let mut at = self.tree.root;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            at = match self.tree.data(at) {
                Data::Map(fields) => fields.get(step.as_str())?,
                Data::Seq(items) => *items.get(step.parse::<usize>().ok()?)?,
                Data::Scalar(_) => return None,
            };
        }
        Some(&self.tree.node(at).origin)
    }
}

/// A node on its way to the output.
#[derive(Clone, Copy)]
struct Printed<'t> {
    tree: &'t Tree,
    id: Id,
}

impl<'t> Printable<'t> for Printed<'t> {
    fn shape(self) -> Shape<'t, Self> {
        let at = |id: &Id| Self { tree: self.tree, id: *id };
        match self.tree.data(self.id) {
            Data::Seq(items) => Shape::List(items.iter().map(at).collect()),
            Data::Map(fields) => Shape::Map(fields.iter().map(|(key, value)| (&**key, at(value))).collect()),
            Data::Scalar(scalar) => match scalar.as_text() {
                Some(text) => Shape::Text(Cow::Borrowed(text)),
                None => match scalar.value() {
                    Ok(Json::Bool(b)) => Shape::Bool(b),
                    Ok(Json::Number(number)) => Shape::Number(number),
                    Ok(Json::String(text)) => Shape::Text(Cow::Owned(text)),
                    _ => Shape::Null,
                },
            },
        }
    }
}

impl Tree {
    /// Refuses scalars whose text does not fit their tag.
    fn check(&self, id: Id) -> Result<()> {
        match self.data(id) {
            Data::Scalar(scalar) => scalar.check().map_err(|error| error.at(self.node(id).origin.place.as_ref())),
            Data::Seq(items) => items.iter().try_for_each(|item| self.check(*item)),
            Data::Map(fields) => fields.values().try_for_each(|value| self.check(*value)),
        }
    }

    /// The origins of all values in the order of the output; nothing for lists and mappings that are not empty.
    fn origins<'t>(&'t self, id: Id, out: &mut Vec<Option<&'t Origin>>) {
        let node = self.node(id);
        match &node.data {
            Data::Map(fields) if !fields.is_empty() => {
                out.push(None);
                for key in windlass_yaml::in_key_order(fields.keys()) {
                    if let Some(value) = fields.get(key) {
                        self.origins(value, out);
                    }
                }
            }
            Data::Seq(items) if !items.is_empty() => {
                out.push(None);
                for item in items {
                    self.origins(*item, out);
                }
            }
            _ => out.push(Some(&node.origin)),
        }
    }
}
