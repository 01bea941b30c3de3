//! Sets of policies asked about one thing at one moment.

use crate::compile::Compiled;
use crate::evaluate::{Circumstances, Limits, Prepared};
use crate::kind::{Action, PolicyType};
use crate::metadata::{Governance, PolicyResult, SetResult, Status};
use crate::set::{PolicySet, PolicyUse, Severity};
use windlass_model::{Json, Scope, Timestamp};

/// A policy as a set uses it, with what its reference led to.
#[derive(Clone, Copy, Debug)]
pub struct ActivePolicy<'a> {
    pub used: &'a PolicyUse,
    pub name: &'a str,
    /// The compiled policy, or why there is none: it does not exist, or does not compile. That counts as a denial.
    pub compiled: Result<&'a Compiled, &'a str>,
}

/// A set that is asked.
#[derive(Clone, Debug)]
pub struct ActiveSet<'a> {
    pub set: &'a PolicySet,
    pub scope: &'a Scope,
    pub policies: Vec<ActivePolicy<'a>>,
}

/// What is asked, and under which circumstances.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// Names the evaluation, and is the seed of what policies draw.
    pub id: &'a str,
    pub now: Timestamp,
    pub account: &'a str,
    pub scope: &'a Scope,
    /// The identifier of what is asked about.
    pub entity: &'a str,
    pub kind: PolicyType,
    pub action: Action,
    pub input: &'a Json,
    pub limits: Limits,
}

/// Asks every set. The worst answer wins; a policy without answer counts as its severity says.
pub fn govern(sets: &[ActiveSet<'_>], question: &Question<'_>) -> Governance {
    let input = Prepared::new(question.input, &question.limits).map_err(|error| error.to_string());
    let details: Vec<SetResult> = sets.iter().map(|set| ask_set(set, question, &input)).collect();
    let status = details.iter().map(|set| set.status).max().unwrap_or_default();
    Governance {
        id: question.id.to_owned(),
        status,
        deny: details.iter().any(|set| set.deny),
        message: summary(&details, status),
        timestamp: question.now.millis(),
        created: question.now.millis(),
        account_id: question.account.to_owned(),
        org_id: question.scope.org().map(ToString::to_string).unwrap_or_default(),
        project_id: question.scope.project().map(ToString::to_string).unwrap_or_default(),
        entity: question.entity.to_owned(),
        kind: question.kind,
        action: question.action,
        details,
    }
}

fn ask_set(active: &ActiveSet<'_>, question: &Question<'_>, input: &Result<Prepared, String>) -> SetResult {
    let policies: Vec<PolicyResult> = active.policies.iter().map(|one| ask_policy(one, question, input)).collect();
    let status = policies.iter().map(|policy| policy.status).max().unwrap_or_default();
    let set = active.set;
    let prefix = match active.scope {
        Scope::Account => "account.",
        Scope::Org { .. } => "org.",
        Scope::Project { .. } => "",
    };
    SetResult {
        policy_set_id: set.identifier.to_string(),
        policy_set_name: if set.name.is_empty() { set.identifier.to_string() } else { set.name.clone() },
        identifier: format!("{prefix}{}", set.identifier),
        status,
        deny: status == Status::Error,
        policy_metadata: policies,
    }
}

fn ask_policy(active: &ActivePolicy<'_>, question: &Question<'_>, input: &Result<Prepared, String>) -> PolicyResult {
    let circumstances = Circumstances { now: question.now, seed: question.id };
    let answer = match (active.compiled, input) {
        (Err(why), _) => Err(why.to_owned()),
        (Ok(_), Err(why)) => Err(why.clone()),
        (Ok(policy), Ok(input)) => {
            policy.ask(input, &circumstances, &question.limits).map_err(|error| error.to_string())
        }
    };
    let (denied, deny_messages) = match answer {
        Ok(finding) => (finding.denied, finding.messages),
        Err(why) => (true, vec![format!("the policy cannot be evaluated: {why}")]),
    };
    let severity = active.used.severity;
    let status = match (denied, severity) {
        (false, _) => Status::Pass,
        (true, Severity::Warning) => Status::Warning,
        (true, Severity::Error) => Status::Error,
    };
    PolicyResult {
        policy_id: active.used.identifier.id.to_string(),
        policy_name: if active.name.is_empty() {
            active.used.identifier.id.to_string()
        } else {
            active.name.to_owned()
        },
        identifier: active.used.identifier.to_string(),
        severity,
        status,
        deny_messages,
    }
}

/// The messages of the worst policies, each with the policy's name.
fn summary(details: &[SetResult], status: Status) -> String {
    if status == Status::Pass {
        return String::new();
    }
    let worst = details.iter().flat_map(|set| &set.policy_metadata).filter(|policy| policy.status == status);
    let lines: Vec<String> = worst
        .map(|policy| match policy.deny_messages.is_empty() {
            true => format!("{}: denied", policy.policy_name),
            false => format!("{}: {}", policy.policy_name, policy.deny_messages.join("; ")),
        })
        .collect();
    lines.join("\n")
}
