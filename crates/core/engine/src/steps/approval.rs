//! Questions to people (pipelines §6.1): who may answer, and what the answers come to.

mod open;
mod preview;

pub(super) use open::proceed;
pub(crate) use preview::previewed;

use crate::code;
use crate::input::ApprovalAnswer;
use crate::refusal::Refusal;
use crate::runtime_inputs::constraint;
use crate::start::Start;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use windlass_diagnostic::Diagnostic;
use windlass_model::approval::{ApprovalAction, ApprovalActivity, ApprovalSpec, Approver};
use windlass_model::{Json, Scope, ScopedRef, Timestamp};

/// What an answer comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// Enough people approved; the values of the last one count.
    Approved {
        inputs: BTreeMap<String, String>,
    },
    /// It counts, and more are needed.
    Counted {
        inputs: BTreeMap<String, String>,
    },
    Rejected,
}

/// Judges one answer after those that came before it.
pub(crate) fn judge(
    spec: &ApprovalSpec,
    before: &[ApprovalActivity],
    start: &Start,
    answer: &ApprovalAnswer,
) -> Result<Ruling, Refusal> {
    eligible(spec, before, start, &answer.approver)?;
    if answer.action == ApprovalAction::Reject {
        return Ok(Ruling::Rejected);
    }
    let inputs = inputs(spec, before, &answer.inputs)?;
    let approvers: Vec<&Approver> = before
        .iter()
        .filter(|activity| activity.action == ApprovalAction::Approve)
        .map(|activity| &activity.user)
        .chain([&answer.approver])
        .collect();
    let count = u32::try_from(approvers.len()).unwrap_or(u32::MAX);
    if count >= spec.minimum_count && groups_satisfied(spec, &approvers) {
        Ok(Ruling::Approved { inputs })
    } else {
        Ok(Ruling::Counted { inputs })
    }
}

/// Whether this person may answer at all (rules 2 and 3).
fn eligible(
    spec: &ApprovalSpec,
    before: &[ApprovalActivity],
    start: &Start,
    approver: &Approver,
) -> Result<(), Refusal> {
    let (from, executor) = (&start.scope(), &start.started_by);
    let no = |why: String| Err(Refusal::NotAllowed { why });
    let listed: BTreeSet<&str> = spec.user_groups.iter().map(String::as_str).collect();
    let member = approver.groups.iter().any(|group| listed.contains(group.as_str()));
    let account = approver.principal.strip_prefix("serviceAccount:");
    let named = account.is_some_and(|id| spec.service_accounts.iter().any(|listed| names(listed, from, id)));
    if !member && !named {
        let groups = spec.user_groups.join(", ");
        return no(format!("{} is not a member of any group that may approve: {groups}", approver.name));
    }
    // Where a trigger started the run, nobody is kept from approving by this (rule 7).
    if spec.disallow_executor && executor.principal == approver.principal {
        return no(format!("{} started this run, and its executor may not approve it", approver.name));
    }
    if let Some(email) = &approver.email
        && spec.disallowed_emails.iter().any(|other| other.eq_ignore_ascii_case(email))
    {
        return no(format!("{email} may not approve this step"));
    }
    if before.iter().any(|activity| activity.user.principal == approver.principal) {
        return no(format!("{} has answered already: each person counts once", approver.name));
    }
    Ok(())
}

/// Whether a reference written in `from` means the service account of this principal: `account/ci`, `default/ci`,
/// `default/platform/ci`. One of the same name elsewhere is another one.
fn names(listed: &str, from: &Scope, id: &str) -> bool {
    let Ok(reference) = ScopedRef::parse(listed) else { return false };
    let wanted = match reference.resolve(from) {
        Ok(Scope::Account) => format!("account/{}", reference.id),
        Ok(Scope::Org { org }) => format!("{org}/{}", reference.id),
        Ok(Scope::Project { org, project }) => format!("{org}/{project}/{}", reference.id),
        Err(_) => return false,
    };
    wanted == id
}

/// Our extension (SEED-42): so many different people from each group; one person counts for one group only.
fn groups_satisfied(spec: &ApprovalSpec, approvers: &[&Approver]) -> bool {
    let seats: Vec<&str> = spec
        .minimum_per_group
        .iter()
        .flat_map(|(group, n)| std::iter::repeat_n(group.as_str(), *n as usize))
        .take(approvers.len() + 1)
        .collect();
    if seats.len() > approvers.len() {
        return false;
    }
    let mut taken: Vec<Option<usize>> = vec![None; approvers.len()];
    (0..seats.len()).all(|seat| {
        let mut tried = vec![false; approvers.len()];
        seat_someone(&seats, approvers, seat, &mut taken, &mut tried)
    })
}

/// Finds a person for a seat, moving others to another seat when need be.
fn seat_someone(
    seats: &[&str],
    approvers: &[&Approver],
    seat: usize,
    taken: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for (person, approver) in approvers.iter().enumerate() {
        if tried[person] || !approver.groups.contains(seats[seat]) {
            continue;
        }
        tried[person] = true;
        let free = match taken[person] {
            None => true,
            Some(other) => seat_someone(seats, approvers, other, taken, tried),
        };
        if free {
            taken[person] = Some(seat);
            return true;
        }
    }
    false
}

/// The values after this answer: what it gives, else what the one before gave, else the defaults (rule 6).
fn inputs(
    spec: &ApprovalSpec,
    before: &[ApprovalActivity],
    given: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, Refusal> {
    let earlier = before.iter().rev().find(|a| a.action == ApprovalAction::Approve).map(|a| &a.inputs);
    let mut problems = Vec::new();
    let mut values = BTreeMap::new();
    for input in &spec.inputs {
        let value = given
            .get(&input.name)
            .or_else(|| earlier.and_then(|earlier| earlier.get(&input.name)))
            .cloned()
            .or_else(|| input.default_value.clone())
            .unwrap_or_default();
        if value.is_empty() {
            if input.required {
                let label = input.label.as_deref().unwrap_or(&input.name);
                problems.push(
                    Diagnostic::error(code::INPUT_REQUIRED, format!("`{label}` is required"))
                        .path(format!("approverInputs.{}", input.name)),
                );
            }
        } else if let Some(constraint) = &input.constraint
            && let Err(why) = constraint::check(constraint, &value)
        {
            problems
                .push(Diagnostic::error(code::INPUT_CONSTRAINT, why).path(format!("approverInputs.{}", input.name)));
        }
        values.insert(input.name.clone(), value);
    }
    for name in given.keys().filter(|name| !spec.inputs.iter().any(|input| input.name == **name)) {
        let known = spec.inputs.iter().map(|input| input.name.as_str());
        problems.push(
            Diagnostic::error(code::INPUT_UNKNOWN, format!("the approval has no input `{name}`"))
                .nearest_of(name, known),
        );
    }
    if problems.is_empty() { Ok(values) } else { Err(Refusal::Invalid { problems }) }
}

/// `output.approvalActivities[i].…`, `output.approverInputs.NAME`, `output.approvedAt` (pipelines §6.1).
pub(crate) fn output(activities: &[ApprovalActivity]) -> Json {
    let last = activities.last();
    json!({
        "approvalActivities": activities.iter().map(activity).collect::<Vec<_>>(),
        "approverInputs": last.map(|last| &last.inputs),
        "approvedAt": last.map(|last| last.approved_at.to_string()),
    })
}

pub(crate) fn automatic_output(activities: &[ApprovalActivity], comments: &str, at: Timestamp) -> Json {
    let mut output = output(activities);
    output["approvedAt"] = at.to_string().into();
    output["comments"] = comments.into();
    output["autoApproval"] = true.into();
    output
}

fn activity(activity: &ApprovalActivity) -> Json {
    json!({
        "user": { "name": activity.user.name, "email": activity.user.email },
        "action": activity.action,
        "comments": activity.comments,
        "approvedAt": activity.approved_at.to_string(),
    })
}
