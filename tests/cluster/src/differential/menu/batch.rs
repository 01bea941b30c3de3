//! Jobs and their schedules.

use super::pods::of_pod;
use super::{Menu, set, without};
use serde_json::json;

pub(crate) fn job() -> Menu {
    let mut menu = of_pod("/spec/template/spec");
    menu.good.extend([
        set("/spec/backoffLimit", json!(2)),
        set("/spec/completions", json!(3)),
        set("/spec/parallelism", json!(2)),
        set("/spec/suspend", json!(true)),
        set("/spec/ttlSecondsAfterFinished", json!(100)),
        set("/spec/activeDeadlineSeconds", json!(100)),
        set("/spec/template/spec/restartPolicy", json!("OnFailure")),
    ]);
    menu.bad.extend([
        set("/spec/template/spec/restartPolicy", json!("Always")),
        without("/spec/template/spec/restartPolicy"),
        set("/spec/backoffLimit", json!(-1)),
        set("/spec/completions", json!(-1)),
        set("/spec/completionMode", json!("Indexed")),
        set("/spec/completionMode", json!("Potato")),
        set("/spec/manualSelector", json!(true)),
        set("/spec/selector", json!({"matchLabels": {"a": "b"}})),
        set("/spec/parallelism", json!(-2)),
        set("/spec/podReplacementPolicy", json!("Whenever")),
    ]);
    menu.parts = vec![
        json!({"spec": {"parallelism": 3}}),
        json!({"spec": {"suspend": true}}),
        json!({"spec": {"backoffLimit": 9}}),
        json!({"spec": {"completions": 5}}),
        json!({"spec": {"template": {"spec": {"containers": [{"name": "work", "image": "registry.test/batch:v2"}]}}}}),
        json!({"spec": {"activeDeadlineSeconds": 5}}),
    ];
    menu.statuses =
        vec![json!({"status": {"active": 1, "startTime": "2026-01-01T00:00:00Z"}}), json!({"status": {"active": -1}})];
    menu
}

pub(crate) fn cron_job() -> Menu {
    Menu {
        good: vec![
            set("/spec/suspend", json!(true)),
            set("/spec/concurrencyPolicy", json!("Forbid")),
            set("/spec/schedule", json!("@hourly")),
            set("/spec/timeZone", json!("Europe/Berlin")),
            set("/spec/startingDeadlineSeconds", json!(30)),
            set("/spec/successfulJobsHistoryLimit", json!(1)),
        ],
        bad: vec![
            set("/spec/schedule", json!("every day")),
            set("/spec/schedule", json!("")),
            set("/spec/schedule", json!("61 * * * *")),
            set("/spec/timeZone", json!("Nowhere/City")),
            set("/spec/timeZone", json!("Local")),
            set("/spec/schedule", json!("TZ=UTC 0 * * * *")),
            set("/spec/concurrencyPolicy", json!("Maybe")),
            set("/spec/startingDeadlineSeconds", json!(-1)),
            set("/spec/failedJobsHistoryLimit", json!(-1)),
            set("/spec/jobTemplate/spec/template/spec/restartPolicy", json!("Always")),
            set("/metadata/name", json!("a-name-that-is-much-too-long-for-a-cron-job-because-of-its-suffix")),
        ],
        parts: vec![
            json!({"spec": {"suspend": true}}),
            json!({"spec": {"schedule": "0 0 * * *"}}),
            json!({"spec": {"suspend": null}}),
        ],
        statuses: vec![json!({"status": {"lastScheduleTime": "2026-01-01T00:00:00Z"}})],
    }
}
