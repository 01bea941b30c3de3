//! Triggers (pipelines §7.1–7.3, §11.7).

mod conditions;
mod source;

pub(crate) use conditions::operators;
pub use conditions::{Condition, Operator};
pub use source::TriggerSource;
pub(crate) use source::{ACTIONS, FORGES, LATER_EVENTS, LATER_SOURCES};

use super::head;
use crate::common::code;
use serde::{Deserialize, Serialize};
use windlass_diagnostic::Diagnostic;
use windlass_model::Json;
use windlass_yaml::Reader;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trigger {
    /// The pipeline it starts; empty inside a pipeline's own `triggers` block.
    pub pipeline: String,
    pub enabled: bool,
    pub source: TriggerSource,
    /// A YAML document in a text, expressions verbatim.
    #[serde(default)]
    pub input_yaml: Option<String>,
    #[serde(default)]
    pub input_set_refs: Vec<String>,
    #[serde(default)]
    pub stages_to_execute: Vec<String>,
    /// Reference to the secret that signs the forge's payloads.
    #[serde(default)]
    pub webhook_secret: Option<String>,
    /// Ours: reference to the service account its runs run as; else whoever edited the trigger last (decisions, Webhooks).
    #[serde(default)]
    pub run_as: Option<String>,
    /// Ours: whether a sender must show who they are (decisions, Webhooks).
    #[serde(default)]
    pub authentication: Authentication,
}

/// What a sender must show: an API key for custom webhooks, a signature for those of forges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Authentication {
    #[default]
    Required,
    /// Whoever knows the address may start a run.
    None,
}

pub(crate) fn read(reader: &Reader<'_>) -> Option<Trigger> {
    let fields = reader.fields()?;
    head(&fields);
    let pipeline = fields.opt_string("pipelineIdentifier");
    let enabled = fields.opt_bool("enabled").unwrap_or(true);
    let source = fields.required("source").and_then(|s| source::read(&s));
    let input_yaml = fields.opt("inputYaml").and_then(|i| match i.node().as_map() {
        Some(_) => {
            i.report(Diagnostic::warning(
                code::LINT,
                "`inputYaml` is a text that holds YAML; a mapping is read as one",
            ));
            serde_json::to_string(&super::plain(&i)).ok()
        }
        None => i.string().inspect(|text| check_input(&i, text)),
    });
    let input_set_refs = fields.list("inputSetRefs", |r| r.string());
    let stages_to_execute = fields.list("stagesToExecute", |s| s.string());
    let webhook_secret = fields.opt_string("encryptedWebhookSecretIdentifier");
    let run_as = fields.opt_string("runAs");
    let words = [("Required", Authentication::Required), ("None", Authentication::None)];
    let authentication = fields.opt_choice("authentication", &words).unwrap_or_default();
    fields.known(&["pipelineBranchName", "inputSetBranchName"]);
    fields.finish();
    if !input_set_refs.is_empty() {
        reader.report(
            Diagnostic::error(code::UNSUPPORTED, "input sets cannot be used yet")
                .remedy("write the values into `inputYaml`"),
        );
    }
    Some(Trigger {
        pipeline: pipeline.unwrap_or_default(),
        enabled,
        source: source?,
        input_yaml,
        input_set_refs,
        stages_to_execute,
        webhook_secret,
        run_as,
        authentication,
    })
}

/// `inputYaml` is a document of its own: it must parse, and its variables are a list (SEED-12).
fn check_input(reader: &Reader<'_>, text: &str) {
    let document = match windlass_yaml::parse_one("inputYaml", text, &windlass_yaml::Options::DOCUMENT) {
        Ok(document) => document,
        Err(problems) => {
            let first = problems.iter().next().map(ToString::to_string).unwrap_or_default();
            reader.report(Diagnostic::error(code::INPUT, format!("`inputYaml` is not YAML: {first}")));
            return;
        }
    };
    if document.root.find("pipeline.variables").is_some_and(|v| v.as_map().is_some()) {
        reader.report(
            Diagnostic::warning(
                "SEED-12",
                "`variables` is a mapping; the vendor merges only a list of `{name, type, value}`",
            )
            .remedy("it is read as such a list; a value that cannot be merged refuses the run"),
        );
    }
}

/// One trigger of a pipeline's own block (SEED-04), with what the pipeline knows filled in (SEED-72).
pub(crate) fn of_pipeline(item: &Json, org: &str, project: &str, pipeline: &str) -> Option<Json> {
    let mut trigger = item.get("trigger")?.clone();
    let fields = trigger.as_object_mut()?;
    for (key, value) in [("orgIdentifier", org), ("projectIdentifier", project), ("pipelineIdentifier", pipeline)] {
        fields.entry(key).or_insert_with(|| Json::String(value.to_owned()));
    }
    Some(serde_json::json!({ "trigger": trigger }))
}
