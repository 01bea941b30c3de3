//! The question itself, from a resolved spec.

use crate::draft::Draft;
use crate::event::ApprovalOpened;
use crate::id::Purpose;
use crate::nodes::NodeIx;
use crate::resolve::{Spec, Trouble};
use jiff::civil::DateTime;
use jiff::fmt::strtime;
use jiff::tz::TimeZoneDatabase;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use windlass_diagnostic::Diagnostic;
use windlass_model::approval::{ApproverInput, AutoApproval, InputConstraint};
use windlass_model::{ApprovalSpec, Failure, FailureType, Json, Millis, Timestamp};

pub(in crate::steps) fn proceed(draft: &mut Draft, ix: NodeIx) -> Result<(), Trouble> {
    let spec = draft.resolve_spec(ix)?;
    let question = read(&spec, draft.now)?;
    draft.record_spec(ix, &spec);
    let executor = draft.run.start.as_ref().map(|start| start.started_by.person).unwrap_or_default();
    if question.disallow_executor && !executor {
        draft.warn(
            ix,
            Diagnostic::warning("SEED-44", "no person started this run: nobody is kept from approving as its executor"),
        );
    }
    let automatic = question.auto_approve.as_ref().map(|auto| auto.at);
    let node = &draft[ix];
    let event = ApprovalOpened {
        node: node.id.clone(),
        attempt: node.attempt,
        spec: Arc::new(question),
        deadline: node.deadline(),
        at: draft.now,
    };
    draft.emit(event);
    super::preview::request(draft, ix);
    if let Some(at) = automatic {
        draft.set_timer(ix, Purpose::AutoApprove, at);
    }
    Ok(())
}

fn wrong(why: impl Into<String>) -> Failure {
    Failure::new(FailureType::ConfigurationFailure, why)
}

fn read(spec: &Spec, now: Timestamp) -> Result<ApprovalSpec, Failure> {
    let flag = |pointer: &str| matches!(spec.text(pointer).as_deref(), Some("true" | "True" | "TRUE"));
    let number = |pointer: &str| {
        let text = spec.required(pointer)?;
        text.trim().parse::<u32>().map_err(|_| wrong(format!("`{text}` is not a number of approvals")))
    };
    let user_groups = spec.list("approvers/userGroups");
    let service_accounts = spec.list("approvers/serviceAccounts");
    if user_groups.is_empty() && service_accounts.is_empty() {
        return Err(wrong("nobody is asked: `approvers.userGroups` is empty"));
    }
    let per_group = spec.json.pointer("/approvers/minimumPerGroup").and_then(Json::as_object);
    let mut minimum_per_group = BTreeMap::new();
    for (group, count) in per_group.into_iter().flatten() {
        let text = count.as_str().map_or_else(|| count.to_string(), str::to_owned);
        let count =
            text.parse().map_err(|_| wrong(format!("`minimumPerGroup.{group}` is `{text}`: write a number")))?;
        if !user_groups.contains(group) {
            return Err(wrong(format!("`minimumPerGroup` names `{group}`, which is not among `userGroups`")));
        }
        minimum_per_group.insert(group.clone(), count);
    }
    let inputs = spec.get("approverInputs").and_then(Json::as_array).into_iter().flatten();
    Ok(ApprovalSpec {
        message: spec.text("approvalMessage").unwrap_or_default(),
        user_groups,
        service_accounts,
        minimum_count: number("approvers/minimumCount")?.max(1),
        minimum_per_group,
        disallow_executor: flag("approvers/disallowPipelineExecutor"),
        disallowed_emails: spec.list("approvers/disallowedUserEmails").into_iter().collect(),
        inputs: inputs.filter_map(input).collect(),
        include_history: flag("includePipelineExecutionHistory"),
        auto_reject: flag("isAutoRejectEnabled"),
        auto_approve: automatic(spec, now)?,
        callback_id: spec.text("callbackId"),
    })
}

fn input(json: &Json) -> Option<ApproverInput> {
    let text = |key: &str| match json.get(key)? {
        Json::String(text) => Some(text.clone()),
        Json::Null => None,
        other => Some(other.to_string()),
    };
    let list = |key: &str| match json.get(key)? {
        Json::Array(items) => {
            Some(items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect())
        }
        Json::String(text) => Some(text.split(',').map(|one| one.trim().to_owned()).collect::<Vec<_>>()),
        _ => None,
    };
    let one_of = list("allowedValues").or_else(|| list("selectOneFrom")).map(InputConstraint::OneOf);
    Some(ApproverInput {
        name: text("name")?,
        label: text("label"),
        description: text("description"),
        required: matches!(text("required").as_deref(), Some("true")),
        default_value: text("defaultValue").filter(|text| !text.is_empty()),
        constraint: one_of
            .or_else(|| list("selectManyFrom").map(InputConstraint::ManyOf))
            .or_else(|| text("regex").map(InputConstraint::Regex)),
    })
}

/// The deadline must lie more than a quarter of an hour ahead.
const AHEAD: Millis = Millis::from_mins(15);

fn automatic(spec: &Spec, now: Timestamp) -> Result<Option<AutoApproval>, Failure> {
    let Some(auto) = spec.get("autoApproval").filter(|auto| auto.is_object()) else { return Ok(None) };
    match auto.get("action").and_then(Json::as_str) {
        None | Some("APPROVE") => {}
        Some(other) => return Err(wrong(format!("`autoApproval.action` is `{other}`: only APPROVE is possible"))),
    }
    let time = spec.required("autoApproval/scheduledDeadline/time")?;
    let zone = spec.text("autoApproval/scheduledDeadline/timeZone").unwrap_or_else(|| "UTC".into());
    let at = moment(&time, &zone)?;
    if at <= now + AHEAD {
        return Err(wrong(format!("the scheduled approval at {at} must lie more than {AHEAD} ahead")));
    }
    let comments = spec.text("autoApproval/comments").unwrap_or_default();
    Ok(Some(AutoApproval { at, comments }))
}

/// `2026-03-02 02:30 PM` in a time zone.
fn moment(time: &str, zone: &str) -> Result<Timestamp, Failure> {
    // Never the tables of this machine: every server reads the same moment.
    static ZONES: OnceLock<TimeZoneDatabase> = OnceLock::new();
    let zones = ZONES.get_or_init(TimeZoneDatabase::bundled);
    let tz =
        zones.get(zone).map_err(|_| wrong(format!("`{zone}` is no time zone: write for example Europe/Vienna")))?;
    let civil: DateTime = strtime::parse("%Y-%m-%d %I:%M %p", time.trim())
        .and_then(|parsed| parsed.to_datetime())
        .map_err(|_| wrong(format!("`{time}` is no time: write YYYY-MM-DD hh:mm AM")))?;
    let at = tz.to_zoned(civil).map_err(|error| wrong(format!("`{time}` does not exist in {zone}: {error}")))?;
    Ok(Timestamp::from_jiff(at.timestamp()))
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn scheduled_times_are_read_in_their_zone() {
        let at = |time: &str, zone: &str| moment(time, zone).map(|at| at.to_string());
        assert_eq!(at("2026-03-02 02:30 PM", "UTC").unwrap(), "2026-03-02T14:30:00.000Z");
        assert_eq!(at("2026-07-02 12:05 AM", "Europe/Vienna").unwrap(), "2026-07-01T22:05:00.000Z");
        assert!(at("2026-03-02 14:30", "UTC").is_err());
        assert!(at("2026-03-02 02:30 PM", "Nowhere").is_err());
    }
}
