//! Jobs and cron jobs.

use super::at::{At, immutable, immutable_as, immutable_selector};
use super::field::Problems;
use super::{meta, pod};
use crate::object::Object;
use crate::selectors::LabelSelector;
use serde_json::{Map, Value};

pub(super) fn check(plural: &str, object: &Value, old: Option<&Value>, problems: &mut Problems) {
    let spec = At::root(object, "spec");
    match plural {
        "jobs" => {
            generated(object, old, problems);
            job_spec(&spec, problems);
            let selector = spec.child("selector");
            if !selector.is_set() {
                problems.required(&selector.path, "");
            }
            selector.label_selector(problems);
            let labels = spec.child("template").child("metadata").child("labels");
            // No selector selects nothing.
            if !selector.is_set() || !LabelSelector::of(Some(selector.value)).matches_labels(Some(labels.value)) {
                problems.invalid(&labels.path, labels.value, "`selector` does not match template `labels`");
            }
            if let Some(old) = old {
                // A changed job is looked at twice, and both times everything is told.
                problems.double();
                job_update(object, old, problems);
            }
        }
        "cronjobs" => {
            cron_job_spec(&spec, problems);
            if old.is_none() && object.name().len() > 52 {
                problems.invalid("metadata.name", &object.name().into(), "must be no more than 52 characters");
            }
        }
        _ => {}
    }
}

/// The labels and the selector that a job gets from the server, unless it says that it brings its own.
fn generated(job: &Value, old: Option<&Value>, problems: &mut Problems) {
    const PREFIX: &str = "batch.kubernetes.io/";
    let spec = At::root(job, "spec");
    let selector = spec.child("selector");
    if spec.flag("manualSelector") || !selector.is_set() {
        return;
    }
    let labels = spec.child("template").child("metadata").child("labels");
    // Jobs from before there were labels with a prefix go on without them.
    let prefixed = |name: &str| format!("{PREFIX}{name}");
    let has = |old: &Value, name: &str| {
        old.at("/spec/template/metadata/labels").is_some_and(|labels| labels.get(prefixed(name)).is_some())
    };
    let wants_prefix = old.is_none_or(|old| has(old, "job-name") && has(old, "controller-uid"));
    let mut expected = Map::new();
    for (name, value) in [("controller-uid", job.uid()), ("job-name", job.name())] {
        expected.insert(name.to_owned(), value.into());
        if wants_prefix {
            expected.insert(prefixed(name), value.into());
        }
    }
    for (name, value) in &expected {
        let why = format!("must be '{}'", value.as_str().unwrap_or_default());
        let path = format!("{}[{name}]", labels.path);
        match labels.value.get(name) {
            None => problems.required(path, &why),
            Some(found) if found != value => problems.invalid(path, labels.value, &why),
            Some(_) => {}
        }
    }
    let expected = Value::Object(expected);
    let chooses = LabelSelector::of(Some(selector.value)).matches_labels(Some(&expected));
    if selector.is_sound_selector() && !chooses {
        problems.invalid_shown(&selector.path, &selector.shown_selector(), "`selector` not auto-generated");
    }
}

fn job_spec(spec: &At<'_>, problems: &mut Problems) {
    for field in [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ] {
        spec.not_negative(field, problems);
    }
    if spec.has("maxFailedIndexes") && !spec.has("backoffLimitPerIndex") {
        problems.required(spec.at("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
    }
    let mode = spec.text("completionMode");
    match mode {
        "Indexed" if !spec.has("completions") => {
            problems.required(spec.at("completions"), "when completion mode is Indexed");
        }
        "" | "Indexed" | "NonIndexed" => {}
        other => problems.unsupported(spec.at("completionMode"), &other.into(), &["NonIndexed", "Indexed"]),
    }
    if mode != "Indexed" {
        for field in ["backoffLimitPerIndex", "maxFailedIndexes"] {
            if spec.has(field) {
                problems.invalid(spec.at(field), spec.child(field).value, "requires indexed completion mode");
            }
        }
    }
    failure_policy(spec, problems);
    let replacement = spec.text("podReplacementPolicy");
    if spec.has("podFailurePolicy") && !matches!(replacement, "" | "Failed") {
        problems.unsupported(spec.at("podReplacementPolicy"), &replacement.into(), &["Failed"]);
    } else if !matches!(replacement, "" | "TerminatingOrFailed" | "Failed") {
        let known = ["Failed", "TerminatingOrFailed"];
        problems.unsupported(spec.at("podReplacementPolicy"), &replacement.into(), &known);
    }
    let template = spec.child("template");
    pod::template(&template, problems);
    let pods = template.child("spec");
    match pods.text("restartPolicy") {
        "OnFailure" if spec.has("podFailurePolicy") => {
            let why = "only \"Never\" is supported when podFailurePolicy is specified";
            problems.invalid(pods.at("restartPolicy"), &"OnFailure".into(), why);
        }
        "OnFailure" | "Never" => {}
        "Always" | "" => problems.required(pods.at("restartPolicy"), "valid values: \"OnFailure\", \"Never\""),
        other => problems.unsupported(pods.at("restartPolicy"), &other.into(), &["OnFailure", "Never"]),
    }
}

/// Rules for pods that fail.
fn failure_policy(spec: &At<'_>, problems: &mut Problems) {
    for rule in spec.child("podFailurePolicy").items("rules") {
        match rule.text("action") {
            "FailIndex" if !spec.has("backoffLimitPerIndex") => {
                let why = "requires the backoffLimitPerIndex to be set";
                problems.invalid(rule.at("action"), &"FailIndex".into(), why);
            }
            "Count" | "FailIndex" | "FailJob" | "Ignore" => {}
            other => {
                let known = ["Count", "FailIndex", "FailJob", "Ignore"];
                problems.unsupported(rule.at("action"), &other.into(), &known);
            }
        }
        let codes = rule.child("onExitCodes");
        let values = codes.child("values");
        if codes.is_set() {
            if !matches!(codes.text("operator"), "In" | "NotIn") {
                problems.unsupported(codes.at("operator"), &codes.text("operator").into(), &["In", "NotIn"]);
            }
            if values.len() == 0 {
                problems.invalid_shown(&values.path, "[]", "at least one value is required");
            }
            for value in values.elements().iter().filter(|v| v.value == 0 && codes.text("operator") == "In") {
                problems.invalid(&value.path, value.value, "must not be 0 for the In operator");
            }
        }
        match (codes.is_set(), rule.child("onPodConditions").len() > 0) {
            (true, true) => {
                problems.invalid_bare(&rule.path, "specifying both OnExitCodes and OnPodConditions is not supported");
            }
            (false, false) => {
                problems.invalid_bare(&rule.path, "specifying one of OnExitCodes and OnPodConditions is required");
            }
            _ => {}
        }
    }
}

fn job_update(new: &Value, old: &Value, problems: &mut Problems) {
    let suspended = old.at("/spec/suspend") == Some(&Value::Bool(true));
    let elastic = new.text("/spec/completionMode") == "Indexed"
        && new.int("/spec/completions") == new.int("/spec/parallelism")
        && new.int("/spec/completions").is_some();
    if !elastic {
        immutable(new, old, "/spec/completions", "spec.completions", problems);
    }
    immutable_selector(new, old, problems);
    // A suspended job that has not started may still be told where to run.
    let mut was = old.clone();
    if suspended && old.text("/status/startTime").is_empty() {
        for field in ["nodeSelector", "tolerations", "affinity", "schedulingGates"] {
            crate::ops::prepare::keep(&mut was, new, &format!("/spec/template/spec/{field}"));
        }
        for field in ["labels", "annotations"] {
            crate::ops::prepare::keep(&mut was, new, &format!("/spec/template/metadata/{field}"));
        }
    }
    immutable_as("PodTemplateSpec", new, &was, "/spec/template", "spec.template", problems);
    for (field, kind) in [("podFailurePolicy", "PodFailurePolicy"), ("successPolicy", "SuccessPolicy")] {
        immutable_as(kind, new, old, &format!("/spec/{field}"), &format!("spec.{field}"), problems);
    }
    for field in ["completionMode", "backoffLimitPerIndex", "managedBy"] {
        immutable(new, old, &format!("/spec/{field}"), &format!("spec.{field}"), problems);
    }
}

fn cron_job_spec(spec: &At<'_>, problems: &mut Problems) {
    let schedule = spec.text("schedule");
    if schedule.is_empty() {
        problems.required(spec.at("schedule"), "");
    } else {
        let bare = schedule.split_once("TZ=").and_then(|(_, rest)| Some(rest.split_once(' ')?.1)).unwrap_or(schedule);
        if let Err(why) = cron(bare) {
            problems.invalid(spec.at("schedule"), &schedule.into(), &why);
        }
        if schedule.contains("TZ") {
            let why = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
            problems.invalid(spec.at("schedule"), &schedule.into(), why);
        }
    }
    spec.not_negative("startingDeadlineSeconds", problems);
    let zone = spec.text("timeZone");
    if spec.has("timeZone") && zone.is_empty() {
        spec.wrong("timeZone", vec!["timeZone must be nil or non-empty string".into()], problems);
    } else if zone.eq_ignore_ascii_case("Local") {
        let why = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        spec.wrong("timeZone", vec![why.into()], problems);
    } else if !zone.is_empty() && !is_zone(zone) {
        spec.wrong("timeZone", vec![format!("unknown time zone {zone}")], problems);
    }
    spec.one_of("concurrencyPolicy", &["Allow", "Forbid", "Replace"], problems);
    let template = spec.child("jobTemplate");
    meta::labels(&template.at("labels"), template.child("metadata").value.get("labels"), problems);
    let job = template.child("spec");
    job_spec(&job, problems);
    for field in ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"] {
        spec.not_negative(field, problems);
    }
}

/// Whether this may be the name of a time zone: the areas are known, their cities are not.
fn is_zone(name: &str) -> bool {
    const AREAS: &[&str] = &[
        "Africa",
        "America",
        "Antarctica",
        "Arctic",
        "Asia",
        "Atlantic",
        "Australia",
        "Brazil",
        "Canada",
        "Chile",
        "Etc",
        "Europe",
        "Indian",
        "Mexico",
        "Pacific",
        "US",
    ];
    match name.split_once('/') {
        Some((area, city)) => AREAS.contains(&area) && !city.is_empty(),
        None => {
            matches!(name, "UTC" | "GMT" | "CET" | "EET" | "EST" | "HST" | "MET" | "MST" | "WET" | "Zulu" | "Japan")
        }
    }
}

/// Whether a schedule has the five fields of cron, or is a name for one.
fn cron(schedule: &str) -> Result<(), String> {
    if let Some(name) = schedule.strip_prefix('@') {
        let known = matches!(name, "yearly" | "annually" | "monthly" | "weekly" | "daily" | "midnight" | "hourly");
        let every = name.strip_prefix("every ").is_some_and(|d| windlass_model::Millis::parse(d).is_ok());
        return if known || every { Ok(()) } else { Err(format!("unrecognized descriptor: {schedule}")) };
    }
    let fields: Vec<&str> = schedule.split_whitespace().collect();
    if fields.len() != 5 {
        let list: Vec<String> = fields.iter().map(|f| (*f).to_owned()).collect();
        return Err(format!("expected exactly 5 fields, found {}: [{}]", fields.len(), list.join(" ")));
    }
    for (field, (low, high)) in fields.iter().zip([(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)]) {
        for part in field.split(',') {
            cron_part(part, low, high)?;
        }
    }
    Ok(())
}

fn cron_part(part: &str, low: u32, high: u32) -> Result<(), String> {
    const NAMES: &[&str] = &[
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "sun", "mon", "tue", "wed",
        "thu", "fri", "sat",
    ];
    let (range, step) = part.split_once('/').map_or((part, None), |(r, s)| (r, Some(s)));
    let number = |text: &str| -> Result<u32, String> {
        if let Some(at) = NAMES.iter().position(|n| text.eq_ignore_ascii_case(n)) {
            let place = if at < 12 { at + 1 } else { at - 12 };
            return Ok(u32::try_from(place).unwrap_or(0));
        }
        text.parse()
            .map_err(|_| format!("failed to parse int from {text}: strconv.Atoi: parsing {text:?}: invalid syntax"))
    };
    if let Some(step) = step
        && number(step)? == 0
    {
        return Err(format!("step of range should be a positive number: {part}"));
    }
    if matches!(range, "*" | "?") {
        return Ok(());
    }
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let (first, last) = (number(first)?, number(last)?);
    match () {
        () if first < low => Err(format!("beginning of range ({first}) below minimum ({low}): {part}")),
        () if last > high => Err(format!("end of range ({last}) above maximum ({high}): {part}")),
        () if first > last => Err(format!("beginning of range ({first}) beyond end of range ({last}): {part}")),
        () => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn selectors_that_nobody_brings_are_those_of_the_server() {
        let labels = json!({"controller-uid": "u", "batch.kubernetes.io/controller-uid": "u", "job-name": "j",
            "batch.kubernetes.io/job-name": "j"});
        let job = |selector: Value, manual: bool| {
            json!({"metadata": {"name": "j", "uid": "u"}, "spec": {"manualSelector": manual, "selector": selector,
                "template": {"metadata": {"labels": labels}}}})
        };
        let told = |job: &Value| {
            let mut problems = Problems::default();
            generated(job, None, &mut problems);
            problems.causes().into_iter().map(|c| format!("{}: {}", c.field, c.message)).collect::<Vec<_>>()
        };
        assert!(told(&job(json!({"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}}), false)).is_empty());
        let other = json!({"matchLabels": {"a": "b"}});
        assert!(told(&job(other.clone(), true)).is_empty());
        let why = r#"spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` not auto-generated"#;
        assert_eq!(told(&job(other, false)), [why]);
        let mut bare = job(json!({"matchLabels": {"job-name": "j"}}), false);
        bare.remove("/spec/template/metadata/labels/job-name");
        assert_eq!(told(&bare), ["spec.template.metadata.labels[job-name]: Required value: must be 'j'"]);
    }

    #[test]
    fn schedules() {
        for good in ["* * * * *", "*/5 0 1,15 jan-mar mon", "@daily", "@every 5m", "0 22 * * 1-5"] {
            assert_eq!(cron(good), Ok(()), "{good}");
        }
        for (bad, why) in [
            ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
            ("60 * * * *", "end of range (60) above maximum (59): 60"),
            ("x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"),
            ("@never", "unrecognized descriptor: @never"),
        ] {
            assert_eq!(cron(bad), Err(why.to_owned()));
        }
    }
}
