//! Kubernetes steps, resolved (kubernetes-deploy §2.1).

use super::ClusterTarget;
use super::lenient;
use super::source::{ManifestSource, ServiceSource};
use crate::Json;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KubernetesWork {
    pub step: KubernetesStep,
    pub target: ClusterTarget,
    pub source: ServiceSource,
    /// Commits that earlier steps of this stage pinned, by manifest identifier (kubernetes-deploy §1.3 rule 1).
    #[serde(default)]
    pub pinned: BTreeMap<String, String>,
    #[serde(default)]
    pub settings: DeploySettings,
}

/// The step and its inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "spec")]
pub enum KubernetesStep {
    K8sApply(ApplySpec),
    K8sRollingDeploy(RollingSpec),
    K8sRollingRollback(RollbackSpec),
    K8sCanaryDeploy(CanarySpec),
    K8sCanaryDelete(NoSpec),
    K8sProgressiveCanaryRollback(NoSpec),
    K8sBlueGreenDeploy(BlueGreenSpec),
    K8sBGSwapServices(NoSpec),
    K8sBlueGreenStageScaleDown(NoSpec),
    K8sScale(ScaleSpec),
    K8sDelete(DeleteSpec),
    K8sDryRun(DryRunSpec),
    K8sDiff(NoSpec),
    K8sRollout(RolloutSpec),
    /// A look at the running release without touching it (SEED-55).
    SteadyStateCheck(NoSpec),
}

impl KubernetesStep {
    pub const TYPES: &'static [&'static str] = &[
        "K8sApply",
        "K8sRollingDeploy",
        "K8sRollingRollback",
        "K8sCanaryDeploy",
        "K8sCanaryDelete",
        "K8sProgressiveCanaryRollback",
        "K8sBlueGreenDeploy",
        "K8sBGSwapServices",
        "K8sBlueGreenStageScaleDown",
        "K8sScale",
        "K8sDelete",
        "K8sDryRun",
        "K8sDiff",
        "K8sRollout",
    ];

    /// Reads the resolved `spec` of a step of type `kind`.
    pub fn read(kind: &str, spec: &Json) -> Result<Self, serde_json::Error> {
        let spec = if spec.is_null() { Json::Object(serde_json::Map::new()) } else { spec.clone() };
        serde_json::from_value(serde_json::json!({ "type": kind, "spec": spec }))
    }

    /// The flags of the vendor's command lines that the step gives.
    pub fn command_flags(&self) -> &[CommandFlag] {
        match self {
            Self::K8sApply(spec) => &spec.command_flags,
            Self::K8sRollingDeploy(spec) => &spec.command_flags,
            Self::K8sRollingRollback(spec) => &spec.command_flags,
            Self::K8sCanaryDeploy(spec) => &spec.command_flags,
            Self::K8sBlueGreenDeploy(spec) => &spec.command_flags,
            Self::K8sDelete(spec) => &spec.command_flags,
            Self::K8sRollout(spec) => &spec.command_flags,
            _ => &[],
        }
    }

    /// Whether the step may write to the cluster.
    pub fn changes_cluster(&self) -> bool {
        !matches!(self, Self::K8sDryRun(_) | Self::K8sDiff(_) | Self::SteadyStateCheck(_))
    }
}

/// No inputs; whatever is written is ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoSpec {}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApplySpec {
    #[serde(deserialize_with = "lenient::list")]
    pub file_paths: Vec<String>,
    /// An own store instead of the service's manifests; resolved by the server.
    pub manifest_source: Option<ManifestSource>,
    #[serde(deserialize_with = "lenient::boolean")]
    pub skip_dry_run: bool,
    #[serde(deserialize_with = "lenient::boolean")]
    pub skip_steady_state_check: bool,
    #[serde(deserialize_with = "lenient::boolean")]
    pub skip_rendering: bool,
    pub overrides: Vec<ManifestSource>,
    pub command_flags: Vec<CommandFlag>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RollingSpec {
    #[serde(deserialize_with = "lenient::boolean")]
    pub skip_dry_run: bool,
    #[serde(deserialize_with = "lenient::boolean")]
    pub pruning_enabled: bool,
    pub command_flags: Vec<CommandFlag>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RollbackSpec {
    #[serde(deserialize_with = "lenient::boolean")]
    pub pruning_enabled: bool,
    pub command_flags: Vec<CommandFlag>,
    /// For a rollback after success: the stage execution to undo. Empty: the one of this stage.
    pub of_stage_execution: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CanarySpec {
    /// Needed by `Standard`, which is what an absent `canaryType` means.
    #[serde(default)]
    pub instance_selection: Option<InstanceSelection>,
    /// Needed by `Progressive`: from 1 to 100.
    #[serde(default, deserialize_with = "lenient::maybe_whole")]
    pub target_percentage: Option<u32>,
    #[serde(default, deserialize_with = "lenient::boolean")]
    pub skip_dry_run: bool,
    #[serde(default)]
    pub command_flags: Vec<CommandFlag>,
    /// `Standard` or `Progressive`.
    #[serde(default)]
    pub canary_type: Option<String>,
}

impl CanarySpec {
    pub fn is_progressive(&self) -> bool {
        self.canary_type.as_deref().is_some_and(|kind| kind.eq_ignore_ascii_case("Progressive"))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BlueGreenSpec {
    #[serde(deserialize_with = "lenient::boolean")]
    pub pruning_enabled: bool,
    #[serde(deserialize_with = "lenient::boolean")]
    pub skip_dry_run: bool,
    #[serde(deserialize_with = "lenient::boolean")]
    pub skip_deployment_if_same_manifest: bool,
    pub command_flags: Vec<CommandFlag>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScaleSpec {
    /// `[namespace/]Kind/Name`.
    pub workload: String,
    pub instance_selection: InstanceSelection,
    #[serde(default, deserialize_with = "lenient::boolean")]
    pub skip_steady_state_check: bool,
    #[serde(default, deserialize_with = "lenient::boolean")]
    pub adjust_hpa: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "spec")]
pub enum InstanceSelection {
    Count {
        #[serde(deserialize_with = "lenient::whole")]
        count: u32,
    },
    Percentage {
        #[serde(deserialize_with = "lenient::whole")]
        percentage: u32,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteSpec {
    pub delete_resources: ResourceSelection,
    #[serde(default)]
    pub command_flags: Vec<CommandFlag>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RolloutSpec {
    pub command: RolloutCommand,
    pub resources: ResourceSelection,
    #[serde(default)]
    pub command_flags: Vec<CommandFlag>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RolloutCommand {
    Restart,
    Resume,
    Status,
    Undo,
    Pause,
    History,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "spec")]
pub enum ResourceSelection {
    #[serde(rename_all = "camelCase")]
    ResourceName {
        #[serde(deserialize_with = "lenient::list")]
        resource_names: Vec<String>,
    },
    #[serde(rename_all = "camelCase")]
    ReleaseName {
        #[serde(default, deserialize_with = "lenient::boolean")]
        delete_namespace: bool,
    },
    #[serde(rename_all = "camelCase")]
    ManifestPath {
        #[serde(default, deserialize_with = "lenient::list")]
        manifest_paths: Vec<String>,
        #[serde(default, deserialize_with = "lenient::boolean")]
        all_manifest_paths: bool,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DryRunSpec {
    #[serde(deserialize_with = "lenient::boolean")]
    pub encrypt_yaml_output: bool,
}

/// A flag of the vendor's command line; plain texts are taken as `Apply` flags (SEED-47).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", from = "AnyFlag")]
pub struct CommandFlag {
    pub command_type: String,
    pub flag: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum AnyFlag {
    Plain(String),
    #[serde(rename_all = "camelCase")]
    Typed {
        command_type: String,
        flag: String,
    },
}

impl From<AnyFlag> for CommandFlag {
    fn from(flag: AnyFlag) -> Self {
        match flag {
            AnyFlag::Plain(flag) => Self { command_type: "Apply".into(), flag },
            AnyFlag::Typed { command_type, flag } => Self { command_type, flag },
        }
    }
}

/// Platform settings that reach the worker. Defaults are those of the settings registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeploySettings {
    /// A namespace in a manifest that differs from the infrastructure's fails the step (kubernetes-deploy §1.6).
    pub enforce_namespace: bool,
    /// A canary also applies the rest of the set, as the vendor does (kubernetes-deploy §2.6).
    pub canary_apply_all: bool,
    pub skip_canary_on_first_deploy: bool,
    pub on_first_failure: OnFirstFailure,
    pub allow_mass_prune: bool,
    /// Namespaces, claims and CRDs are never pruned unless their kind is listed.
    pub prune_kinds: Vec<String>,
    /// Seconds an image may fail to be pulled before the step fails.
    pub image_pull_grace_seconds: u32,
    pub crash_restarts: u32,
    pub unschedulable_seconds: u32,
    /// Successful records kept besides those still needed.
    pub keep_records: u32,
}

impl Default for DeploySettings {
    fn default() -> Self {
        Self {
            enforce_namespace: false,
            canary_apply_all: false,
            skip_canary_on_first_deploy: false,
            on_first_failure: OnFirstFailure::Keep,
            allow_mass_prune: false,
            prune_kinds: Vec::new(),
            image_pull_grace_seconds: 60,
            crash_restarts: 3,
            unschedulable_seconds: 120,
            keep_records: 3,
        }
    }
}

/// What a rollback does when there was no release before (kubernetes-deploy §2.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OnFirstFailure {
    #[default]
    Keep,
    ScaleToZero,
    Delete,
}

#[cfg(test)]
mod tests {
    use super::{CommandFlag, InstanceSelection, KubernetesStep};
    use serde_json::json;

    #[test]
    fn the_seed_template_s_steps_read() {
        let apply = KubernetesStep::read(
            "K8sApply",
            &json!({"filePaths": ["a.yaml"], "skipDryRun": false, "commandFlags": ["--prune", "--selector=app=x"]}),
        )
        .unwrap();
        let KubernetesStep::K8sApply(apply) = apply else { panic!("{apply:?}") };
        assert_eq!(apply.command_flags[0], CommandFlag { command_type: "Apply".into(), flag: "--prune".into() });
        let canary = KubernetesStep::read(
            "K8sCanaryDeploy",
            &json!({"instanceSelection": {"type": "Percentage", "spec": {"percentage": "50"}}}),
        )
        .unwrap();
        let KubernetesStep::K8sCanaryDeploy(canary) = canary else { panic!("{canary:?}") };
        assert_eq!(canary.instance_selection, Some(InstanceSelection::Percentage { percentage: 50 }));
        assert!(KubernetesStep::read("K8sRollingRollback", &json!(null)).is_ok());
        assert!(KubernetesStep::read("TerraformApply", &json!({})).is_err());
    }
}
