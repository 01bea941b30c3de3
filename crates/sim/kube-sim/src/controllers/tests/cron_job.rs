use super::world::{behaviour, secs, world};
use crate::kind::{CRON_JOBS, JOBS};
use crate::object::Object;
use serde_json::{Value, json};

fn every_minute(more: Value) -> Value {
    let mut cron_job = json!({
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "tick"},
        "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "c", "image": "shop/batch:1"}],
        }}}}},
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        cron_job.set(&format!("/spec/{field}"), value.clone());
    }
    cron_job
}

#[test]
fn a_job_starts_when_the_schedule_falls_due_and_old_ones_go() {
    let short = behaviour(|b| b.exits = Some((secs(1), 0)));
    world([("shop/batch:1", short)], async |world| {
        world.create(every_minute(json!({"successfulJobsHistoryLimit": 2})));
        world.after(30).await;
        assert!(world.list(&JOBS).len() <= 1);
        world.after(600).await;
        let cron_job = world.get(&CRON_JOBS, "tick");
        assert!(cron_job.list("/status/active").is_empty(), "{cron_job}");
        assert!(cron_job.text("/status/lastSuccessfulTime") >= cron_job.text("/status/lastScheduleTime"));
        let jobs = world.list(&JOBS);
        assert_eq!(jobs.len(), 2, "the history keeps two");
        let minute = |job: &Value| job.name().trim_start_matches("tick-").parse::<i64>().unwrap();
        assert_eq!(minute(&jobs[1]) - minute(&jobs[0]), 1);
        world.change(&CRON_JOBS, "tick", |tick| tick.set("/spec/suspend", true));
        let last = world.get(&CRON_JOBS, "tick").text("/status/lastScheduleTime").to_owned();
        world.after(300).await;
        assert_eq!(world.get(&CRON_JOBS, "tick").text("/status/lastScheduleTime"), last);
    });
}

#[test]
fn a_job_that_takes_longer_is_let_alone_or_replaced() {
    for (policy, most) in [("Forbid", 1), ("Replace", 1), ("Allow", 3)] {
        let long = behaviour(|b| b.exits = Some((secs(170), 0)));
        world([("shop/batch:1", long)], async |world| {
            world.create(every_minute(json!({"concurrencyPolicy": policy})));
            world.after(165).await;
            let active = world.get(&CRON_JOBS, "tick").list("/status/active").len();
            assert!(active >= 1 && active <= most, "{policy}: {active}");
            let jobs = world.list(&JOBS);
            assert_eq!(jobs.len() == 1, policy != "Allow", "{policy}: {}", jobs.len());
        });
    }
}
