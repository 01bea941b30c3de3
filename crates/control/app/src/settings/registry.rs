//! Every setting there is: name, type, default, since when, and what it does.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use std::borrow::Cow;
use windlass_diagnostic::nearest;
use windlass_model::{Json, Millis};

/// What values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    /// A whole number, from and to.
    Whole(u64, u64),
    /// `90s`, `10m`, `1d`; from and to, in milliseconds.
    Duration(u64, u64),
    Choice(&'static [&'static str]),
    /// Any text; empty for nothing.
    Text,
    /// A list of texts.
    Texts,
}

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    pub name: &'static str,
    pub kind: Kind,
    /// As people write it.
    pub default: &'static str,
    /// The first version that knows it.
    pub since: &'static str,
    pub text: &'static str,
    /// Of the account as a whole: organizations and projects cannot have their own.
    pub account_only: bool,
}

impl Kind {
    /// The name of the type.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Whole(..) => "number",
            Self::Duration(..) => "duration",
            Self::Choice(_) => "choice",
            Self::Text => "text",
            Self::Texts => "texts",
        }
    }

    /// Reads a value as people write it, into the form that is kept.
    pub fn read(&self, text: &str) -> Result<Json, String> {
        let text = text.trim();
        match self {
            Self::Bool => match text {
                "true" => Ok(Json::Bool(true)),
                "false" => Ok(Json::Bool(false)),
                other => Err(format!("`{other}` is neither true nor false")),
            },
            Self::Whole(from, to) => match text.parse::<u64>() {
                Ok(number) if (*from..=*to).contains(&number) => Ok(Json::from(number)),
                _ => Err(format!("`{text}` is not a whole number from {from} to {to}")),
            },
            Self::Duration(from, to) => match Millis::parse(text) {
                Ok(duration) if (*from..=*to).contains(&duration.0) => Ok(Json::String(text.to_owned())),
                Ok(_) => Err(format!("`{text}` is not from {} to {}", Millis(*from), Millis(*to))),
                Err(error) => Err(error.to_string()),
            },
            Self::Choice(words) => {
                if words.contains(&text) {
                    return Ok(Json::String(text.to_owned()));
                }
                let near = nearest(text, words.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
                Err(format!("`{text}` is not one of {}{}", words.join(", "), near.unwrap_or_default()))
            }
            Self::Text if text.len() > 1_024 || text.chars().any(char::is_control) => {
                Err("a text has at most 1,024 printable characters".to_owned())
            }
            Self::Text => Ok(Json::String(text.to_owned())),
            Self::Texts => Ok(text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(Json::from).collect()),
        }
    }

    /// A kept value as people write it.
    pub fn show(&self, value: &Json) -> String {
        match value {
            Json::String(text) => text.clone(),
            Json::Array(items) => items.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(","),
            other => other.to_string(),
        }
    }
}

impl JsonSchema for Kind {
    fn schema_name() -> Cow<'static, str> {
        "SettingType".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let all = [Self::Bool, Self::Whole(0, 0), Self::Duration(0, 0), Self::Choice(&[]), Self::Text, Self::Texts];
        json_schema!({ "enum": all.map(|one| one.name()) })
    }
}

impl Serialize for Kind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

const fn of(name: &'static str, kind: Kind, default: &'static str, text: &'static str) -> Definition {
    Definition { name, kind, default, since: "0.1", text, account_only: false }
}

const fn of_account(name: &'static str, kind: Kind, default: &'static str, text: &'static str) -> Definition {
    Definition { account_only: true, ..of(name, kind, default, text) }
}

/// Every setting, by name.
pub const fn all() -> &'static [Definition] {
    use Kind::{Bool, Choice, Duration, Text, Texts, Whole};
    const {
        &[
            of(
                "access.checkReferences",
                Bool,
                "true",
                "whoever starts a run needs access to the services, environments, connectors and secrets it refers to",
            ),
            of_account("auth.lockAfter", Whole(1, 100), "5", "wrong passwords in a row that lock an account"),
            of_account("auth.lockFor", Duration(SECOND, DAY), "15m", "how long an account is locked"),
            of_account("auth.session", Duration(MINUTE, 90 * DAY), "12h", "how long a session lasts without use"),
            of(
                "compat.blueGreenAsHealthCheck",
                Bool,
                "false",
                "a blue/green deployment without services to swap only checks health",
            ),
            of("deploy.allowMassPrune", Bool, "false", "pruning may delete most of what a release had"),
            of("deploy.canaryApplyAll", Bool, "false", "a canary also applies the rest of the manifests"),
            of("deploy.crashRestarts", Whole(1, 100), "3", "restarts of a container after which a deployment fails"),
            of("deploy.deleteLeftoverCanary", Bool, "true", "a stage rollback deletes the canary the stage left"),
            of(
                "deploy.enforceNamespace",
                Bool,
                "false",
                "a namespace in a manifest that differs from the infrastructure's fails the step",
            ),
            of(
                "deploy.imagePullGrace",
                Duration(0, DAY),
                "60s",
                "how long an image may fail to be pulled before a deployment fails",
            ),
            of("deploy.keepRecords", Whole(1, 100), "3", "successful release records that are kept"),
            of(
                "deploy.onFirstFailure",
                Choice(&["keep", "scaleToZero", "delete"]),
                "keep",
                "what a rollback does when there was no release before",
            ),
            of(
                "deploy.pruneKinds",
                Texts,
                "",
                "kinds that are pruned although they hold data: Namespace, PersistentVolumeClaim, …",
            ),
            of("deploy.skipCanaryOnFirstDeploy", Bool, "false", "the first deployment of a service makes no canary"),
            of(
                "deploy.unschedulable",
                Duration(0, DAY),
                "120s",
                "how long a pod may find no node before a deployment fails",
            ),
            of("expressions.strict", Bool, "false", "a missing path fails in texts and conditions too"),
            of(
                "manifests.placeholderTag",
                Text,
                "",
                "the word in image tags that the service variable imageTag replaces",
            ),
            of("pipeline.allowMarkAsFailed", Bool, "true", "people may mark a running step as failed"),
            of("pipeline.parallel", Whole(1, 10_000), "256", "stages or steps side by side"),
            of(
                "pipeline.runFailureStagesAfterRollback",
                Bool,
                "false",
                "stages with `when: Failure` run although an earlier stage was rolled back",
            ),
            of(
                "resourceConstraint.acquire",
                Choice(&["lazy", "eager"]),
                "lazy",
                "whether the infrastructure is taken at the first step that touches it, or before the steps",
            ),
            of_account(
                "retention.idempotencyKeys",
                Duration(HOUR, 365 * DAY),
                "7d",
                "how long a request that is sent again under its idempotency key is known",
            ),
            of_account(
                "retention.triggerEvents",
                Duration(7 * DAY, 3_650 * DAY),
                "30d",
                "how long what webhooks received is kept, with what became of it",
            ),
            of("timeout.approval", Duration(SECOND, 365 * DAY), "1d", "how long approvals wait that say nothing"),
            of("timeout.longest", Duration(MINUTE, 365 * DAY), "35d", "the longest that stages and pipelines run"),
            of("timeout.step", Duration(SECOND, 35 * DAY), "10m", "how long steps run that say nothing"),
            of("verification.failOnNoAnalysis", Bool, "false", "a verification without data fails"),
        ]
    }
}

/// The setting of a name.
pub(super) fn named(name: &str) -> Option<&'static Definition> {
    all().iter().find(|one| one.name == name)
}

/// The setting of a name, or the nearest name.
pub(super) fn find(name: &str) -> Result<&'static Definition, Option<&'static str>> {
    named(name).ok_or_else(|| nearest(name, all().iter().map(|one| one.name)))
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn every_default_is_a_value_of_its_type() {
        for one in all() {
            let value = one.kind.read(one.default).unwrap_or_else(|why| panic!("{}: {why}", one.name));
            assert_eq!(one.kind.show(&value), one.default, "{}", one.name);
        }
        assert!(all().is_sorted_by_key(|one| one.name));
    }
}
