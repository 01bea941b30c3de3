use crate::common::code;
use std::collections::BTreeMap;
use windlass_diagnostic::{Diagnostic, Place};
use windlass_yaml::Reader;

/// Identifiers that must differ: those of stages in a pipeline, of steps and groups in a stage (pipelines §1.2).
#[derive(Debug)]
pub(super) struct Unique {
    what: &'static str,
    seen: BTreeMap<String, Place>,
}

impl Unique {
    pub(super) fn new(what: &'static str) -> Self {
        Self { what, seen: BTreeMap::new() }
    }

    pub(super) fn claim(&mut self, reader: &Reader<'_>, identifier: &str) {
        if let Some(first) = self.seen.get(identifier) {
            let line = first.line;
            reader.report(
                Diagnostic::error(code::TWICE, format!("the {} `{identifier}` is there twice", self.what))
                    .remedy(format!("the first is in line {line}")),
            );
        } else {
            self.seen.insert(identifier.to_owned(), reader.place());
        }
    }
}
