//! Trees ↔ plain values.

use super::{Data, Fields, Id, Origin, Scalar, Tag, Tree};
use crate::error::Result;
use serde_json::{Map, Value as Json};
use windlass_diagnostic::Place;
use windlass_yaml::{Style, text_style};

impl Tree {
    /// The plain value of a node.
    pub(crate) fn to_json(&self, id: Id) -> Result<Json> {
        Ok(match self.data(id) {
            Data::Scalar(scalar) => {
                return scalar.value().map_err(|error| error.at(self.node(id).origin.place.as_ref()));
            }
            Data::Seq(items) => Json::Array(items.iter().map(|item| self.to_json(*item)).collect::<Result<_>>()?),
            Data::Map(fields) => {
                let mut map = Map::new();
                for (key, value) in fields {
                    map.insert(key.to_string(), self.to_json(*value)?);
                }
                Json::Object(map)
            }
        })
    }

    /// Adds a value as the reference does after it went through JSON: texts that could be mistaken get quotes.
    pub(crate) fn take_json(&mut self, json: &Json, place: Option<&Place>) -> Id {
        let data = match json {
            Json::Array(items) => Data::Seq(items.iter().map(|item| self.take_json(item, place)).collect()),
            Json::Object(map) => {
                let mut fields = Fields::with_capacity(map.len());
                for (key, value) in map {
                    let id = self.take_json(value, place);
                    fields.insert(key.as_str().into(), id);
                }
                Data::Map(fields)
            }
            Json::Null => Data::Scalar(Scalar::tagged("null", Tag::Null)),
            Json::Bool(b) => Data::Scalar(Scalar::tagged(b.to_string(), Tag::Bool)),
            Json::Number(n) => {
                let text = windlass_yaml::to_yaml(json);
                let text = text.trim_end();
                let tag = if text.contains(['.', 'e', 'n']) && n.is_f64() { Tag::Float } else { Tag::Int };
                Data::Scalar(Scalar::tagged(text, tag))
            }
            Json::String(text) => {
                Data::Scalar(Scalar { text: text.as_str().into(), tag: Tag::Str, style: text_style(text) })
            }
        };
        self.push(data, Origin::at(place))
    }
}

impl Tree {
    /// Gives every place a node of its own.
    fn unshare(&mut self) {
        let mut seen = vec![false; self.size()];
        let mut waiting = vec![self.root];
        while let Some(id) = waiting.pop() {
            let children: Vec<Id> = match self.data(id) {
                Data::Scalar(_) => continue,
                Data::Seq(items) => items.clone(),
                Data::Map(fields) => fields.values().copied().collect(),
            };
            for (number, child) in children.into_iter().enumerate() {
                let own = match seen.get_mut(child.0 as usize) {
                    Some(true) => {
                        let part = self.extract(child);
                        let copy = self.import(&part, part.root);
                        self.replace_child(id, number, copy);
                        continue;
                    }
                    Some(first) => {
                        *first = true;
                        child
                    }
                    None => child,
                };
                waiting.push(own);
            }
        }
        self.shares = false;
    }

    fn replace_child(&mut self, id: Id, number: usize, child: Id) {
        match &mut self.node_mut(id).data {
            Data::Seq(items) => items[number] = child,
            Data::Map(fields) => fields.replace_at(number, child),
            Data::Scalar(_) => {}
        }
    }

    /// What is left of a tree that went through JSON: values instead of spellings, and no node with two parents. `text_style`: how it
    /// is written when it is read again.
    pub(crate) fn through_json(&mut self, text_style: fn(&str) -> Style) -> Result<()> {
        if self.shares {
            self.unshare();
        }
        for node in &mut self.nodes {
            let Data::Scalar(scalar) = &node.data else { continue };
            let spelled_out = match scalar.tag {
                Tag::Str => {
                    let style = text_style(&scalar.text);
                    if let Data::Scalar(scalar) = &mut node.data {
                        scalar.style = style;
                    }
                    continue;
                }
                _ => match scalar.value().map_err(|error| error.at(node.origin.place.as_ref()))? {
                    Json::String(text) => Scalar { style: text_style(&text), ..Scalar::string(text) },
                    Json::Null => Scalar::tagged("null", Tag::Null),
                    Json::Bool(b) => Scalar::tagged(b.to_string(), Tag::Bool),
                    number => {
                        let text = windlass_yaml::to_yaml(&number);
                        let text = text.trim_end();
                        let tag = if text.contains(['.', 'e']) { Tag::Float } else { Tag::Int };
                        Scalar::tagged(text, tag)
                    }
                },
            };
            node.data = Data::Scalar(spelled_out);
        }
        Ok(())
    }
}
