//! Functors whose answers a run knows: file store, config files, exported variables (pipelines §3.6).

use super::{RunScope, document};
use crate::effect::EntityKind;
use crate::input::Found;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use windlass_expression::{Lookup, Value};
use windlass_model::{Json, Status};

/// How a file is named that has to be looked up.
pub(crate) const FILE: &str = "file:";

impl RunScope<'_> {
    pub(super) fn functor(&self, name: &[&str], arguments: &[Value]) -> Option<Lookup> {
        let argument = match arguments {
            [argument] => argument.as_str()?,
            _ => return None,
        };
        match name {
            ["fileStore", how @ ("getAsString" | "getAsBase64")] => Some(self.file(argument, *how == "getAsBase64")),
            ["configFile", how @ ("getAsString" | "getAsBase64")] => {
                let path = self.config_file(argument)?;
                Some(self.file(&path, *how == "getAsBase64"))
            }
            ["exportedVariables", "getValue"] => Some(self.exported(argument)),
            _ => None,
        }
    }

    /// A file of the file store, when this node has looked it up; else it has to be.
    fn file(&self, path: &str, base64: bool) -> Lookup {
        let lookups = self.node.map(|ix| self.run.nodes[ix].lookups.as_slice()).unwrap_or_default();
        let found = lookups
            .iter()
            .flat_map(|lookup| lookup.references.iter().zip(lookup.found.iter()))
            .find(|(reference, _)| reference.kind == EntityKind::Files && reference.reference == path);
        match found {
            None => Lookup::not_yet(format!("{FILE}{path}")),
            Some((_, Found::Entity { body, .. })) => match body.pointer("/0/content").and_then(Json::as_str) {
                Some(content) if base64 => Lookup::outside(STANDARD.encode(content)),
                Some(content) => Lookup::author(content),
                None => Lookup::Missing,
            },
            Some(_) => Lookup::Missing,
        }
    }

    fn config_file(&self, identifier: &str) -> Option<String> {
        let facts = self.deployment()?;
        let files = facts.service.as_ref()?.definition.get("configFiles")?;
        let file = document::walk(files, &[identifier, "spec", "store", "spec", "files", "0"])?;
        file.as_str().map(str::to_owned)
    }

    /// `scope.key.VARIABLE`, exported by the `outputAlias` of a finished step (pipelines §6.3).
    fn exported(&self, name: &str) -> Lookup {
        let parts: Vec<&str> = name.splitn(3, '.').collect();
        let [scope, key, variable] = parts.as_slice() else { return Lookup::Missing };
        let exporter = self.run.nodes.iter().rev().find(|(ix, node)| {
            let alias = node.spec.as_ref().and_then(|spec| spec.get("outputAlias"));
            let is = |field: &str, wanted: &str| {
                let value = alias.and_then(|alias| alias.get(field)).and_then(Json::as_str);
                value.is_some_and(|value| value.eq_ignore_ascii_case(wanted))
            };
            let near = match (scope.to_ascii_lowercase().as_str(), self.stage().and_then(|stage| stage.node)) {
                ("pipeline", _) => true,
                ("stage", Some(stage)) => self.run.is_within(*ix, stage),
                _ => self.group().and_then(|group| group.node).is_some_and(|group| self.run.is_within(*ix, group)),
            };
            near && node.status == Status::Success && is("key", key) && is("scope", scope)
        });
        match exporter.and_then(|(_, node)| Some((node, node.output.as_ref()?))) {
            Some((node, output)) => super::node::answered(node, output, &["outputVariables", variable]),
            None => Lookup::Missing,
        }
    }
}
