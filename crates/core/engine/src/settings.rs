//! What an operator may set, as far as the engine cares. The registry of settings fills this (decisions, Pipelines).

use serde::{Deserialize, Serialize};
use windlass_model::Millis;
use windlass_model::task::kubernetes::DeploySettings;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// `resourceConstraint.acquire=lazy`: the infrastructure is taken at the first step that touches it, not before the
    /// steps (SEED-43).
    pub lazy_constraint: bool,
    /// Stages with `when: Failure` run although an earlier stage was rolled back (pipelines §4.4).
    pub run_failure_stages_after_rollback: bool,
    /// A stage rollback deletes the canary that the stage left behind (SEED-56).
    pub delete_leftover_canary: bool,
    /// `expressions.strict`: a missing path fails even in free text and conditions (pipelines §3.9).
    pub strict_expressions: bool,
    /// `compat.blueGreenAsHealthCheck` (SEED-55).
    pub blue_green_as_health_check: bool,
    /// `verification.failOnNoAnalysis` (SEED-54).
    pub fail_on_no_analysis: bool,
    /// `manifests.placeholderTag`: the word that service variable `imageTag` replaces (SEED-38).
    pub placeholder_tag: Option<String>,
    /// People may mark a running step as failed (pipelines §5.7).
    pub allow_user_marked_failure: bool,
    /// Policy sets of action `onstepstart` exist: each step asks for a verdict before it runs.
    pub step_start_policies: bool,
    /// How long a step may run when it says nothing.
    pub step_timeout: Millis,
    pub approval_timeout: Millis,
    /// The longest a stage or pipeline may run, and how long they do when they say nothing.
    pub longest: Millis,
    /// The worker enforces the deadline of a task; the engine waits this much longer for its word (kubernetes-deploy
    /// §4.4).
    pub task_grace: Millis,
    /// How long a task that was asked to stop may take before it counts as stopped.
    pub cancel_grace: Millis,
    /// Siblings that may run in parallel.
    pub widest: usize,
    /// Settings of the deployment steps, handed to the worker as they are.
    pub deploy: DeploySettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lazy_constraint: true,
            run_failure_stages_after_rollback: false,
            delete_leftover_canary: true,
            strict_expressions: false,
            blue_green_as_health_check: false,
            fail_on_no_analysis: false,
            placeholder_tag: None,
            allow_user_marked_failure: true,
            step_start_policies: false,
            step_timeout: Millis::from_mins(10),
            approval_timeout: Millis::from_mins(24 * 60),
            longest: Millis::from_mins(35 * 24 * 60),
            task_grace: Millis::from_secs(30),
            cancel_grace: Millis::from_secs(30),
            widest: 256,
            deploy: DeploySettings::default(),
        }
    }
}
