//! Policies that come with the platform, with the sets that would enforce them.

use crate::kind::{Action, PolicyType};
use crate::set::Severity;

/// A policy and one set that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Of the policy and of its set.
    pub identifier: &'static str,
    pub name: &'static str,
    /// What it does, for people who choose.
    pub text: &'static str,
    pub rego: &'static str,
    pub kind: PolicyType,
    pub action: Action,
    pub severity: Severity,
    /// Whether the set is switched on when it is installed.
    pub enabled: bool,
}

/// All of them.
pub const SAMPLES: &[Sample] = &[
    Sample {
        identifier: "prod_change_window",
        name: "Production change window",
        text: "Production changes only on working days within business hours of a time zone",
        rego: include_str!("../samples/change_window.rego"),
        kind: PolicyType::Custom,
        action: Action::OnStep,
        severity: Severity::Error,
        enabled: true,
    },
    Sample {
        identifier: "no_latest_in_production",
        name: "No latest tag in production",
        text: "The tag `latest` is refused where the environment is production",
        rego: include_str!("../samples/no_latest_in_production.rego"),
        kind: PolicyType::Custom,
        action: Action::OnStep,
        severity: Severity::Error,
        enabled: true,
    },
    Sample {
        identifier: "approval_before_production",
        name: "Approval before production",
        text: "Every stage that may deploy to production has an approval in it or before it",
        rego: include_str!("../samples/approval_before_production.rego"),
        kind: PolicyType::Pipeline,
        action: Action::OnSave,
        severity: Severity::Warning,
        enabled: true,
    },
    Sample {
        identifier: "two_approvers",
        name: "Two approvers",
        text: "Approvals ask at least two people and never the one who started the run",
        rego: include_str!("../samples/two_approvers.rego"),
        kind: PolicyType::Pipeline,
        action: Action::OnSave,
        severity: Severity::Warning,
        enabled: false,
    },
    Sample {
        identifier: "no_shell_scripts",
        name: "No shell scripts",
        text: "Pipelines with ShellScript steps cannot be saved",
        rego: include_str!("../samples/no_shell_scripts.rego"),
        kind: PolicyType::Pipeline,
        action: Action::OnSave,
        severity: Severity::Error,
        enabled: false,
    },
];
