//! What a run starts with. All of it is kept in the first event of the log: nothing is looked up again.

use crate::resume::CopiedNode;
use crate::settings::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_diagnostic::Diagnostic;
use windlass_model::pipeline::Pipeline;
use windlass_model::{Identifier, Json, RunId, Scope};

/// Everything a run knows when it begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Start {
    pub run: RunId,
    /// Expanded and with its inputs merged; expressions verbatim.
    pub pipeline: Pipeline,
    /// The same as a document, root key `pipeline` included: what `<+pipeline.stages.…>` walks.
    pub document: Json,
    /// The merged inputs: `<+inputSet>`.
    #[serde(default)]
    pub inputs: Json,
    /// Counts the runs of the pipeline from 1.
    pub sequence: u64,
    pub facts: Facts,
    #[serde(default)]
    pub trigger: TriggerContext,
    pub started_by: Principal,
    #[serde(default)]
    pub settings: Settings,
    /// Identifiers of the stages to run; empty means all (pipelines §5.8).
    #[serde(default)]
    pub selected_stages: Vec<String>,
    /// Values that a caller supplies for expressions which need stages that are not selected.
    #[serde(default)]
    pub expression_values: BTreeMap<String, String>,
    #[serde(default)]
    pub mode: Mode,
    /// 128 random bits as text: part of every secret token of this run.
    pub nonce: String,
    /// Findings about the document that people should see on the run.
    #[serde(default)]
    pub warnings: Vec<Diagnostic>,
}

/// What expressions may know about the surroundings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Facts {
    pub account: AccountFacts,
    pub org: OrgFacts,
    pub project: ProjectFacts,
    pub variables: VariableFacts,
    /// Where people look at this run. Stages and steps append a query.
    pub execution_url: String,
    /// `inline` or `remote`.
    pub store_type: String,
    pub repo: Option<String>,
    pub branch: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AccountFacts {
    pub identifier: String,
    pub name: String,
    pub company_name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OrgFacts {
    pub identifier: String,
    pub name: String,
    pub description: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProjectFacts {
    pub identifier: String,
    pub name: String,
    pub description: String,
    pub tags: BTreeMap<String, String>,
}

/// `<+variable.X>`, `<+variable.org.X>`, `<+variable.account.X>`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VariableFacts {
    pub project: BTreeMap<String, String>,
    pub org: BTreeMap<String, String>,
    pub account: BTreeMap<String, String>,
}

/// What caused the run. Payload and headers come from outside and are never evaluated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TriggerContext {
    pub kind: TriggerType,
    /// The trigger's identifier; empty for manual runs.
    pub identifier: String,
    pub name: String,
    /// `Webhook`, `Custom`, `Scheduled`, …: `<+trigger.type>`; null for manual runs.
    #[serde(rename = "type")]
    pub type_name: Option<String>,
    pub payload: Json,
    /// By lower-case name.
    pub headers: BTreeMap<String, String>,
    /// `event`, `branch`, `commitSha`, `prNumber`, …: everything else below `<+trigger>`.
    pub properties: BTreeMap<String, Json>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TriggerType {
    #[default]
    Manual,
    Webhook,
    WebhookCustom,
    SchedulerCron,
    Artifact,
    Manifest,
}

impl TriggerType {
    /// `<+pipeline.triggerType>`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Manual => "MANUAL",
            Self::Webhook => "WEBHOOK",
            Self::WebhookCustom => "WEBHOOK_CUSTOM",
            Self::SchedulerCron => "SCHEDULER_CRON",
            Self::Artifact => "ARTIFACT",
            Self::Manifest => "MANIFEST",
        }
    }
}

/// On whose behalf the run runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Principal {
    /// As in approvals: `user:ada@example.com`, `serviceAccount:account/ci`.
    pub principal: String,
    /// The person's name, or the trigger's identifier.
    pub name: String,
    /// None for webhook runs.
    #[serde(default)]
    pub email: Option<String>,
    /// Whether a person started the run: only then can the executor be kept from approving (pipelines §6.1 rule 7).
    #[serde(default)]
    pub person: bool,
}

/// How this run relates to earlier ones (pipelines §5.8).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "camelCase")]
pub enum Mode {
    #[default]
    Normal,
    /// Goes on where an earlier run failed: what had finished before is copied.
    #[serde(rename_all = "camelCase")]
    Retry {
        /// The first run of the chain.
        first: RunId,
        /// The run that is retried.
        of: RunId,
        copied: Vec<CopiedNode>,
    },
    /// Runs the rollback steps of a finished run's Deployment stages, with the data of that run.
    #[serde(rename_all = "camelCase")]
    Rollback { of: RunId, copied: Vec<CopiedNode> },
}

impl Mode {
    /// `<+pipeline.resumedExecutionId>`.
    pub fn first_run(&self) -> Option<RunId> {
        match self {
            Self::Retry { first, .. } => Some(*first),
            Self::Normal | Self::Rollback { .. } => None,
        }
    }
}

impl Start {
    /// Where the pipeline lives: its references are written from there.
    pub fn scope(&self) -> Scope {
        let of = |text: &str| Identifier::parse_dashed(text).ok();
        Scope::of(of(&self.pipeline.org), of(&self.pipeline.project)).unwrap_or_default()
    }

    /// Shared by the run, its first event and whoever shows it.
    pub fn share(self) -> Arc<Self> {
        Arc::new(self)
    }
}
