//! Values: what people set over what a chart says (rendering §3.2).

pub(crate) mod coalesce;
mod set;

use crate::decode;
use crate::error::HelmError;
use serde_json::{Map, Value as Json};
use set::Reading;

/// Values by name. Numbers of files are floats, those of `--set` are whole (rendering §2.3).
pub type Table = Map<String, Json>;

/// What people set, merged. Nulls stay: they delete what a chart says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(pub Table);

/// Where values come from, in the order in which the reference merges them: later ones win.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Names and texts of values files (`-f`).
    pub files: Vec<(String, String)>,
    /// `--set-json`
    pub json: Vec<String>,
    /// `--set`
    pub set: Vec<String>,
    /// `--set-string`
    pub string: Vec<String>,
    /// `--set-file`: the paths in it are asked of the caller.
    pub file: Vec<String>,
    /// `--set-literal`
    pub literal: Vec<String>,
}

impl Values {
    /// Merges all sources. `read` gives the text behind a path of `--set-file`.
    ///
    /// # Errors
    /// The first source that cannot be read.
    pub fn merge(sources: &Sources, read: &dyn Fn(&str) -> Result<String, String>) -> Result<Self, HelmError> {
        let mut values = Self::default();
        for (name, text) in &sources.files {
            values.merge_file(name, text)?;
        }
        sources.json.iter().try_for_each(|text| values.set_json(text))?;
        sources.set.iter().try_for_each(|text| values.set(text))?;
        sources.string.iter().try_for_each(|text| values.set_string(text))?;
        sources.file.iter().try_for_each(|text| values.set_file(text, read))?;
        sources.literal.iter().try_for_each(|text| values.set_literal(text))?;
        Ok(values)
    }

    /// Merges a values file over what is there: its first document. Maps merge, everything else replaces.
    ///
    /// # Errors
    /// When it is no YAML, or no map.
    pub fn merge_file(&mut self, name: &str, text: &str) -> Result<(), HelmError> {
        let table = decode::table(text)
            .map_err(|problem| HelmError::Values(format!("failed to parse {name}: {problem}")))?
            .unwrap_or_default();
        merge(&mut self.0, table);
        Ok(())
    }

    /// `--set a.b=1,c={x,y}`
    ///
    /// # Errors
    /// A text that does not follow the grammar.
    pub fn set(&mut self, text: &str) -> Result<(), HelmError> {
        set::parse(text, &mut self.0, &Reading::Typed).map_err(|problem| failed("--set", text, &problem))
    }

    /// The same, where every value is a text.
    ///
    /// # Errors
    /// As [`Values::set`].
    pub fn set_string(&mut self, text: &str) -> Result<(), HelmError> {
        set::parse(text, &mut self.0, &Reading::Text).map_err(|problem| failed("--set-string", text, &problem))
    }

    /// The same, where every value is the path of a text.
    ///
    /// # Errors
    /// As [`Values::set`], and what `read` says.
    pub fn set_file(&mut self, text: &str, read: &dyn Fn(&str) -> Result<String, String>) -> Result<(), HelmError> {
        set::parse(text, &mut self.0, &Reading::File(read)).map_err(|problem| failed("--set-file", text, &problem))
    }

    /// The same, where every value is JSON.
    ///
    /// # Errors
    /// As [`Values::set`].
    pub fn set_json(&mut self, text: &str) -> Result<(), HelmError> {
        set::parse(text, &mut self.0, &Reading::Json)
            .map_err(|problem| HelmError::Values(format!("failed parsing --set-json data {text}: {problem}")))
    }

    /// `--set-literal a.b=everything behind the first equals sign`
    ///
    /// # Errors
    /// As [`Values::set`].
    pub fn set_literal(&mut self, text: &str) -> Result<(), HelmError> {
        set::parse(text, &mut self.0, &Reading::Literal).map_err(|problem| failed("--set-literal", text, &problem))
    }
}

fn failed(flag: &str, text: &str, problem: &str) -> HelmError {
    HelmError::Values(format!("failed parsing {flag} data: {problem}: in {text:?}"))
}

/// Maps merge; of everything else the second one stays.
fn merge(first: &mut Table, second: Table) {
    for (name, value) in second {
        match (first.get_mut(&name), value) {
            (Some(Json::Object(old)), Json::Object(new)) => merge(old, new),
            (_, value) => {
                first.insert(name, value);
            }
        }
    }
}
