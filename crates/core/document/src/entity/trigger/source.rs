use super::conditions::{self, Condition};
use crate::common::code;
use serde::{Deserialize, Serialize};
use windlass_diagnostic::Diagnostic;
use windlass_yaml::Reader;

/// What starts a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum TriggerSource {
    Custom {
        payload: Vec<Condition>,
        headers: Vec<Condition>,
        jexl: Option<String>,
    },
    Github {
        /// `Push` or `PullRequest`.
        event: String,
        connector: String,
        repo: Option<String>,
        actions: Vec<String>,
        auto_abort: bool,
        payload: Vec<Condition>,
        headers: Vec<Condition>,
        jexl: Option<String>,
    },
    /// Kept and never fires: said when it is saved.
    Unsupported {
        name: String,
    },
}

pub(super) fn read(reader: &Reader<'_>) -> Option<TriggerSource> {
    let fields = reader.fields()?;
    let kind = fields.required("type").and_then(|t| Some((t.string()?, t)));
    let spec = fields.required("spec");
    fields.known(&["pollInterval", "webhookId"]);
    fields.finish();
    let ((word, at), spec) = (kind?, spec?);
    match word.as_str() {
        "Webhook" => webhook(&spec),
        later if LATER_SOURCES.contains(&later) => {
            at.report(unsupported(later));
            Some(TriggerSource::Unsupported { name: word })
        }
        other => {
            let known = ["Webhook"].into_iter().chain(LATER_SOURCES.iter().copied());
            at.report(
                Diagnostic::error(code::TYPE, format!("`{other}` is not a type of trigger")).nearest_of(other, known),
            );
            None
        }
    }
}

/// Sources, forges and events of the vendor that are kept and do not fire yet.
pub(crate) const LATER_SOURCES: &[&str] = &["Scheduled", "Artifact", "Manifest", "MultiRegionArtifact", "SystemEvent"];
pub(crate) const LATER_EVENTS: &[&str] =
    &["IssueComment", "Release", "Create", "Delete", "PullRequestReview", "MergeQueue"];

fn unsupported(word: &str) -> Diagnostic {
    Diagnostic::warning(code::UNSUPPORTED, format!("triggers of type {word} do not fire yet"))
        .remedy("use a custom or a Github webhook")
}

pub(crate) const FORGES: &[&str] =
    &["Gitlab", "Bitbucket", "AzureRepo", "AwsCodeCommit", "Harness", "EventRelay", "HarnessArtifactRegistry"];

fn webhook(reader: &Reader<'_>) -> Option<TriggerSource> {
    let fields = reader.fields()?;
    let kind = fields.required("type").and_then(|t| Some((t.string()?, t)));
    let spec = fields.required("spec");
    fields.finish();
    let ((word, at), spec) = (kind?, spec?);
    match word.as_str() {
        "Custom" => custom(&spec),
        "Github" => github(&spec),
        other if FORGES.contains(&other) => {
            at.report(unsupported(other));
            Some(TriggerSource::Unsupported { name: word })
        }
        other => {
            let known = ["Custom", "Github"].into_iter().chain(FORGES.iter().copied());
            at.report(
                Diagnostic::error(code::TYPE, format!("`{other}` is not a type of webhook")).nearest_of(other, known),
            );
            None
        }
    }
}

fn custom(reader: &Reader<'_>) -> Option<TriggerSource> {
    let fields = reader.fields()?;
    let payload = conditions::read(&fields, "payloadConditions");
    let headers = conditions::read(&fields, "headerConditions");
    let jexl = fields.opt_string("jexlCondition");
    fields.finish();
    Some(TriggerSource::Custom { payload, headers, jexl })
}

pub(crate) const ACTIONS: &[&str] =
    &["Close", "Edit", "Open", "Reopen", "Label", "Unlabel", "Synchronize", "ReadyForReview"];

fn github(reader: &Reader<'_>) -> Option<TriggerSource> {
    let fields = reader.fields()?;
    let event = fields.required("type").and_then(|t| Some((t.string()?, t)));
    let spec = fields.required("spec");
    fields.finish();
    let ((event, at), spec) = (event?, spec?);
    if !["Push", "PullRequest"].contains(&event.as_str()) {
        if LATER_EVENTS.contains(&event.as_str()) {
            at.report(unsupported(&format!("Github {event}")));
            return Some(TriggerSource::Unsupported { name: format!("Github {event}") });
        }
        let known = ["Push", "PullRequest"].into_iter().chain(LATER_EVENTS.iter().copied());
        at.report(Diagnostic::error(code::TYPE, format!("`{event}` is not a Github event")).nearest_of(&event, known));
        return None;
    }
    let fields = spec.fields()?;
    let connector = fields.string("connectorRef");
    let repo = fields.opt_string("repoName");
    let actions = fields.list("actions", |action| {
        let word = action.string()?;
        if !ACTIONS.contains(&word.as_str()) {
            let problem = format!("`{word}` is not an action of a pull request");
            action.report(Diagnostic::error(code::TYPE, problem).nearest_of(&word, ACTIONS.iter().copied()));
        }
        Some(word)
    });
    let auto_abort = fields.opt_bool("autoAbortPreviousExecutions").unwrap_or(false);
    let payload = conditions::read(&fields, "payloadConditions");
    let headers = conditions::read(&fields, "headerConditions");
    let jexl = fields.opt_string("jexlCondition");
    fields.finish();
    Some(TriggerSource::Github { event, connector: connector?, repo, actions, auto_abort, payload, headers, jexl })
}
