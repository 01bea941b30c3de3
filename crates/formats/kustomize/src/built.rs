//! The result of a build.

use crate::error::Result;
use crate::tree::{Data, Id, Origin, Tree};
use serde_json::Value as Json;
use windlass_diagnostic::Diagnostics;

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
    json: Json,
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
        windlass_yaml::to_yaml_documents(self.objects.iter().map(BuiltObject::json))
    }

    /// The lines at which values start, in order. A value in several lines has one entry, at the first.
    pub fn lines(&self) -> Vec<Line> {
        let mut out = Vec::new();
        let mut before = 0;
        for object in &self.objects {
            let (text, lines) = windlass_yaml::to_yaml_with_lines(&object.json);
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
        let json = tree.to_json(tree.root)?;
        Ok(Self { json, tree })
    }

    pub fn json(&self) -> &Json {
        &self.json
    }

    pub fn into_json(self) -> Json {
        self.json
    }

    /// Where the value at a JSON pointer comes from.
    pub fn origin(&self, pointer: &str) -> Option<&Origin> {
        let mut at = self.tree.root;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            at = match self.tree.data(at) {
                Data::Map(fields) => *fields.get(step.as_str())?,
                Data::Seq(items) => *items.get(step.parse::<usize>().ok()?)?,
                Data::Scalar(_) => return None,
            };
        }
        Some(&self.tree.node(at).origin)
    }
}

impl Tree {
    /// The origins of all values in the order of the output; nothing for lists and mappings that are not empty.
    fn origins<'t>(&'t self, id: Id, out: &mut Vec<Option<&'t Origin>>) {
        let node = self.node(id);
        match &node.data {
            Data::Map(fields) if !fields.is_empty() => {
                out.push(None);
                for key in windlass_yaml::in_key_order(fields.keys().map(|key| &**key)) {
                    if let Some(value) = fields.get(key) {
                        self.origins(*value, out);
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
