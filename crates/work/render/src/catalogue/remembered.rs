//! What earlier renderings read, kept beside their output.

use super::seen::Seen;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The name of the file. Deleting it renders everything anew.
const FILE: &str = ".windlass-render.json";

/// What each target read when it was rendered last.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Memory {
    /// The program and its options: others may render otherwise.
    by: String,
    targets: BTreeMap<String, Seen>,
}

impl Memory {
    /// What is remembered of renderings by this program with these options; nothing when it cannot be read.
    pub(super) fn read(out: &Path, also: &str) -> Self {
        let by = format!("{} {also}", env!("CARGO_PKG_VERSION"));
        let text = std::fs::read(out.join(FILE)).unwrap_or_default();
        let known: Self = serde_json::from_slice(&text).unwrap_or_default();
        if known.by == by { known } else { Self { by, targets: BTreeMap::new() } }
    }

    pub(super) fn of(&self, target: &str) -> Option<&Seen> {
        self.targets.get(target)
    }

    /// Remembers these targets; those that are not among them stay as they were known.
    pub(super) fn write(self, out: &Path, rendered: Vec<(String, Seen)>) -> Result<(), String> {
        let Self { by, mut targets } = self;
        targets.extend(rendered);
        let failed = |why: String| format!("cannot remember what was rendered in {}: {why}", out.display());
        let text = serde_json::to_string(&Self { by, targets }).map_err(|error| failed(error.to_string()))?;
        super::replace(&out.join(FILE), &text).map_err(|error| failed(error.to_string()))
    }
}
