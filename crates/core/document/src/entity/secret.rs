//! Secrets: where a value is, never the value in a stored document (pipelines §1.3).

use super::{head, text};
use crate::common::code;
use serde::{Deserialize, Serialize};
use windlass_diagnostic::Diagnostic;
use windlass_yaml::Reader;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    pub value: SecretValue,
}

/// Where the clear text is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "store", rename_all = "camelCase")]
pub enum SecretValue {
    /// In this document: it is sealed, and the text is stored without it. `None`: keeps the value that is stored.
    #[serde(skip)]
    Inline(Option<String>),
    /// A file below the delegate's secrets folder.
    File { path: String },
    /// A variable of the delegate's environment.
    Environment { variable: String },
}

/// The identifiers of the stores that exist. `harnessSecretManager` is the vendor's name of the built-in one.
const BUILT_IN: &[&str] = &["harnessSecretManager", "builtIn"];

pub(crate) fn read(reader: &Reader<'_>) -> Option<Secret> {
    let fields = reader.fields()?;
    head(&fields);
    let kind = fields.required("type").and_then(|t| Some((t.string()?, t)));
    let spec = fields.required("spec");
    fields.finish();
    let ((word, at), spec) = (kind?, spec?);
    if !["SecretText", "SecretFile"].contains(&word.as_str()) {
        let known = ["SecretText", "SecretFile"];
        let problem = format!("secrets of type {word} cannot be kept yet");
        at.report(Diagnostic::error(code::UNSUPPORTED, problem).nearest_of(&word, known));
        return None;
    }
    let fields = spec.fields()?;
    let manager = fields.opt("secretManagerIdentifier").and_then(|m| Some((m.string()?, m)));
    let reference = fields.opt_choice("valueType", &[("Inline", false), ("Reference", true)]).unwrap_or(false);
    let value = fields.opt("value").and_then(|v| text(&v));
    fields.known(&["additionalMetadata"]);
    fields.finish();
    let id = manager.as_ref().map_or("harnessSecretManager", |(id, _)| id.as_str());
    let id = id.rsplit('.').next().unwrap_or(id);
    let value = match id {
        id if BUILT_IN.contains(&id) => {
            if reference {
                let problem = "the built-in store holds values: `valueType` must be Inline";
                spec.report(Diagnostic::error(code::CHOICE, problem));
                return None;
            }
            SecretValue::Inline(value)
        }
        "file" => SecretValue::File { path: value.or_else(|| missing(&spec, "the file's path"))? },
        "environment" => {
            SecretValue::Environment { variable: value.or_else(|| missing(&spec, "the variable's name"))? }
        }
        other => {
            let known = BUILT_IN.iter().copied().chain(["file", "environment"]);
            let problem = format!("the secret store `{other}` does not exist");
            let at = manager.as_ref().map_or(&spec, |(_, at)| at);
            at.report(Diagnostic::error(code::CHOICE, problem).nearest_of(other, known));
            return None;
        }
    };
    Some(Secret { value })
}

fn missing(spec: &Reader<'_>, what: &str) -> Option<String> {
    spec.report(Diagnostic::error(windlass_yaml::code::MISSING_KEY, format!("`value` is missing: {what}")));
    None
}
