use super::{HEADER, SCALARS};
use crate::Gvk;
use crate::schema::types::{Form, Node, NodeId};
use crate::schema::{KindFacts, ListType, Schema, Scope, Text};
use std::collections::BTreeMap;

/// The whole table.
pub(in crate::schema) fn write(schema: &Schema) -> String {
    let mut lines = vec![HEADER.trim_end().to_owned()];
    for version in &schema.versions {
        let gvk = Gvk::new(&*version.group, &*version.version, "");
        lines.push(format!("version {}", gvk.api_version()));
        let of_version = |k: &&KindFacts| k.gvk.group == gvk.group && k.gvk.version == gvk.version;
        schema.list.iter().filter(of_version).for_each(|kind| resource(&mut lines, kind));
    }
    let by_id: BTreeMap<NodeId, &Text> = schema.types.names().map(|(name, id)| (id, name)).collect();
    let writer = Writer { schema, by_id };
    for (name, id) in schema.types.names() {
        writer.definition(&mut lines, name, id);
    }
    lines.push(String::new());
    lines.join("\n")
}

fn resource(lines: &mut Vec<String>, kind: &KindFacts) {
    let scope = match kind.scope {
        Scope::Namespaced => "namespaced",
        Scope::Cluster => "cluster",
    };
    let mut line = format!("resource {} {} {} {scope}", kind.resource, kind.singular, kind.gvk.kind);
    for (name, list) in [("short", &kind.short_names), ("categories", &kind.categories), ("verbs", &kind.verbs)] {
        if !list.is_empty() {
            line.push_str(&format!(" {name}={}", list.join(",")));
        }
    }
    lines.push(line);
    for sub in &kind.subresources {
        lines.push(format!("  sub {} {} {}", sub.name, gvk_text(&sub.kind), sub.verbs.join(",")));
    }
}

fn gvk_text(gvk: &Gvk) -> String {
    let parts = [&*gvk.group, &*gvk.version, &*gvk.kind];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}

struct Writer<'s> {
    schema: &'s Schema,
    by_id: BTreeMap<NodeId, &'s Text>,
}

impl Writer<'_> {
    fn definition(&self, lines: &mut Vec<String>, name: &str, id: NodeId) {
        let node = self.schema.types.node(id);
        let gvks: Vec<String> = self.schema.types.gvks(id).iter().map(gvk_text).collect();
        let kinds = if gvks.is_empty() { String::new() } else { format!(" kind={}", gvks.join(",")) };
        lines.push(format!("type {name}{kinds} {}", self.expression(node)));
        if let Form::Struct(fields) = &node.form {
            for field in fields {
                let mark = if field.required { "!" } else { "" };
                let node = self.schema.types.node(field.node);
                lines.push(format!("  {}{mark} {}", field.name, self.expression(node)));
            }
        }
    }

    fn expression(&self, node: &Node) -> String {
        let inner = |id: &NodeId| self.expression(self.schema.types.node(*id));
        let mut out = match &node.form {
            Form::Any => "any".to_owned(),
            Form::Object => "object".to_owned(),
            Form::Struct(_) => "struct".to_owned(),
            Form::Scalar(format) => {
                SCALARS.iter().find(|(_, f)| f == format).map_or("any", |(name, _)| name).to_owned()
            }
            Form::List(items) => format!("[{}]", inner(items)),
            Form::Map(values) => format!("{{{}}}", inner(values)),
            Form::Named(id) => format!("@{}", self.by_id.get(id).map_or("", |name| &***name)),
            Form::Builtin(name) => format!("@{name}"),
        };
        let mut say = |name: &str, value: &str| {
            out.push(' ');
            out.push_str(name);
            out.push('=');
            out.push_str(value);
        };
        if let Some(default) = &node.default {
            say("default", &default.to_string());
        }
        if !node.enumeration.is_empty() {
            say("enum", &node.enumeration.join("|").replace(' ', "~"));
        }
        match &node.list {
            Some(ListType::Atomic) => say("list", "atomic"),
            Some(ListType::Set) => say("list", "set"),
            Some(ListType::Map(keys)) => say("list", &format!("map:{}", keys.join(","))),
            None => {}
        }
        if let Some(atomic) = node.atomic_map {
            say("map", if atomic { "atomic" } else { "granular" });
        }
        if let Some(strategy) = &node.patch_strategy {
            say("patch", strategy);
        }
        if let Some(key) = &node.patch_merge_key {
            say("key", key);
        }
        for union in &node.unions {
            let fields: Vec<String> = union.fields.iter().map(|(field, name)| format!("{field}>{name}")).collect();
            say("union", &format!("{}:{}", union.discriminator, fields.join(",")));
        }
        out
    }
}
