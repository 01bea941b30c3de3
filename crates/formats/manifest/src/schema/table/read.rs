use super::SCALARS;
use crate::schema::types::{Field, Form, Node, NodeId, Union};
use crate::schema::{Format, KindFacts, ListType, Schema, SchemaError, Scope, Subresource, Text};
use crate::{Gvk, Json};
use std::collections::HashMap;

/// Reads the table. Names are slices of the text.
pub(in crate::schema) fn read(text: &'static str) -> Result<Schema, SchemaError> {
    let mut reader = TableReader::default();
    for (index, line) in text.lines().enumerate() {
        reader.line(line).map_err(|problem| SchemaError::Table { line: index + 1, problem })?;
    }
    reader.finish_type();
    reader.schema.types.shrink();
    Ok(reader.schema)
}

#[derive(Default)]
struct TableReader {
    schema: Schema,
    version: (&'static str, &'static str),
    /// Many fields say the same: they share a node and are parsed once.
    seen: HashMap<&'static str, NodeId>,
    open: Option<OpenType>,
}

struct OpenType {
    name: &'static str,
    gvks: Vec<Gvk>,
    node: Node,
    fields: Vec<Field>,
}

impl TableReader {
    fn line(&mut self, line: &'static str) -> Result<(), String> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix("  sub ") {
            return self.subresource(rest);
        }
        if let Some(rest) = line.strip_prefix("  ") {
            return self.field(rest);
        }
        match line.split_once(' ') {
            Some(("version", rest)) => {
                self.version = rest.split_once('/').unwrap_or(("", rest));
                self.schema.add_version(self.version.0.into(), self.version.1.into());
                Ok(())
            }
            Some(("resource", rest)) => self.resource(rest),
            Some(("type", rest)) => self.definition(rest),
            _ => Err("expected version, resource or type".to_owned()),
        }
    }

    fn resource(&mut self, rest: &'static str) -> Result<(), String> {
        let mut words = rest.split(' ');
        let mut next = || words.next().ok_or("a resource has plural, singular, kind and scope");
        let (resource, singular, kind, scope) = (next()?, next()?, next()?, next()?);
        let mut facts = KindFacts {
            gvk: Gvk::new(self.version.0, self.version.1, kind),
            resource: resource.into(),
            singular: singular.into(),
            short_names: Box::default(),
            categories: Box::default(),
            scope: if scope == "cluster" { Scope::Cluster } else { Scope::Namespaced },
            verbs: Box::default(),
            subresources: Box::default(),
        };
        for word in words {
            match word.split_once('=') {
                Some(("short", list)) => facts.short_names = texts(list, ','),
                Some(("categories", list)) => facts.categories = texts(list, ','),
                Some(("verbs", list)) => facts.verbs = texts(list, ','),
                _ => return Err(format!("`{word}` is not understood")),
            }
        }
        self.schema.add_kind(facts);
        Ok(())
    }

    fn subresource(&mut self, rest: &'static str) -> Result<(), String> {
        let mut words = rest.split(' ');
        let (Some(name), Some(kind), Some(verbs)) = (words.next(), words.next(), words.next()) else {
            return Err("a subresource has name, kind and verbs".to_owned());
        };
        let last = self.schema.list.last_mut().ok_or("a subresource follows its resource")?;
        let mut all = std::mem::take(&mut last.subresources).into_vec();
        all.push(Subresource { name: name.into(), kind: gvk(kind), verbs: texts(verbs, ',') });
        last.subresources = all.into();
        Ok(())
    }

    fn definition(&mut self, rest: &'static str) -> Result<(), String> {
        self.finish_type();
        let (name, mut rest) = rest.split_once(' ').ok_or("a type has a name and an expression")?;
        let mut gvks = Vec::new();
        if let Some(kinds) = rest.strip_prefix("kind=") {
            let (kinds, after) = kinds.split_once(' ').ok_or("a type has an expression")?;
            gvks = kinds.split(',').map(gvk).collect();
            rest = after;
        }
        let node = self.whole_expression(rest)?;
        self.open = Some(OpenType { name, gvks, node, fields: Vec::new() });
        Ok(())
    }

    fn field(&mut self, rest: &'static str) -> Result<(), String> {
        let (name, expression) = rest.split_once(' ').ok_or("a field has a name and an expression")?;
        let required = name.ends_with('!');
        let node = match self.seen.get(expression) {
            Some(id) => *id,
            None => {
                let node = self.whole_expression(expression)?;
                let id = self.schema.types.intern(node);
                self.seen.insert(expression, id);
                id
            }
        };
        let open = self.open.as_mut().ok_or("a field follows its type")?;
        open.fields.push(Field { name: name.trim_end_matches('!').into(), required, node });
        Ok(())
    }

    fn finish_type(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        if matches!(open.node.form, Form::Struct(_)) {
            open.fields.sort_by(|a, b| a.name.cmp(&b.name));
            open.node.form = Form::Struct(open.fields.into());
        }
        self.schema.define(open.name.into(), open.gvks, open.node);
    }

    fn whole_expression(&mut self, text: &'static str) -> Result<Node, String> {
        let (node, rest) = self.expression(text, 0)?;
        if rest.is_empty() { Ok(node) } else { Err(format!("`{rest}` is left over")) }
    }

    /// One expression and what follows it.
    fn expression(&mut self, text: &'static str, depth: usize) -> Result<(Node, &'static str), String> {
        if depth > 8 {
            return Err("is nested too deep".to_owned());
        }
        let (form, mut rest) = if let Some(inner) = text.strip_prefix('[') {
            let (items, rest) = self.expression(inner, depth + 1)?;
            (Form::List(self.schema.types.intern(items)), rest.strip_prefix(']').ok_or("`]` is missing")?)
        } else if let Some(inner) = text.strip_prefix('{') {
            let (values, rest) = self.expression(inner, depth + 1)?;
            (Form::Map(self.schema.types.intern(values)), rest.strip_prefix('}').ok_or("`}` is missing")?)
        } else {
            let (word, rest) = word(text);
            (self.head(word)?, rest)
        };
        let mut node = Node { form, ..Node::default() };
        while let Some(attribute) = rest.strip_prefix(' ') {
            let (name, value) = attribute.split_once('=').ok_or("an attribute has a value")?;
            rest = attach(&mut node, name, value)?;
        }
        Ok((node, rest))
    }

    fn head(&mut self, word: &'static str) -> Result<Form, String> {
        if let Some(name) = word.strip_prefix('@') {
            return Ok(Form::Named(self.schema.types.declare(name.into())));
        }
        match word {
            "any" => Ok(Form::Any),
            "object" => Ok(Form::Object),
            "struct" => Ok(Form::Struct(Box::default())),
            _ => scalar(word).map(Form::Scalar).ok_or_else(|| format!("`{word}` is not a type")),
        }
    }
}

fn scalar(word: &str) -> Option<Format> {
    SCALARS.iter().find(|(name, _)| *name == word).map(|(_, format)| *format)
}

fn attach(node: &mut Node, name: &str, value: &'static str) -> Result<&'static str, String> {
    if name == "default" {
        let mut stream = serde_json::Deserializer::from_str(value).into_iter::<Json>();
        let default = stream.next().and_then(Result::ok).ok_or("a default is JSON")?;
        node.default = Some(default);
        return Ok(value.get(stream.byte_offset()..).unwrap_or_default());
    }
    let (value, rest) = word(value);
    match name {
        "enum" => node.enumeration = value.split('|').map(blanks).collect(),
        "list" => {
            node.list = Some(match value.split_once(':') {
                None if value == "atomic" => ListType::Atomic,
                None if value == "set" => ListType::Set,
                Some(("map", keys)) => ListType::Map(texts(keys, ',')),
                _ => return Err(format!("`{value}` is not a list type")),
            });
        }
        "map" => node.atomic_map = Some(value == "atomic"),
        "patch" => node.patch_strategy = Some(value.into()),
        "key" => node.patch_merge_key = Some(value.into()),
        "union" => {
            let (discriminator, fields) = value.split_once(':').ok_or("a union has a discriminator")?;
            let pair = |pair: &'static str| pair.split_once('>').map(|(a, b)| (Text::from(a), Text::from(b)));
            let fields = fields.split(',').filter_map(pair).collect();
            let mut unions = std::mem::take(&mut node.unions).into_vec();
            unions.push(Union { discriminator: discriminator.into(), fields });
            node.unions = unions.into();
        }
        _ => return Err(format!("`{name}` is not an attribute")),
    }
    Ok(rest)
}

/// Up to the next space or closing bracket.
fn word(text: &'static str) -> (&'static str, &'static str) {
    text.split_at(text.find([' ', ']', '}']).unwrap_or(text.len()))
}

fn texts(list: &'static str, separator: char) -> Box<[Text]> {
    list.split(separator).map(Text::from).collect()
}

/// A `~` stands for a blank.
fn blanks(text: &'static str) -> Text {
    if text.contains('~') { text.replace('~', " ").into() } else { text.into() }
}

/// `Pod`, `v1/Pod` or `apps/v1/Deployment`.
fn gvk(text: &str) -> Gvk {
    let mut parts = text.rsplit('/');
    let mut next = || parts.next().unwrap_or_default();
    let (kind, version, group) = (next(), next(), next());
    Gvk::new(group, version, kind)
}
