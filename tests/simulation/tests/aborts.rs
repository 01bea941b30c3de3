//! A run is aborted while its changes are on their way to a slow cluster: they arrive before the next one begins, or never.
#![allow(clippy::unwrap_used, reason = "tests")]

use serde_json::json;
use windlass_model::Millis;
use windlass_test_simulation::documents::Strategy;
use windlass_test_simulation::plan::{Answer, By, Order, Plan};
use windlass_test_simulation::play;

fn order(at: Millis, tag: &str, abort: Option<Millis>) -> Order {
    Order {
        at,
        strategy: Strategy::Rolling,
        service: "web",
        place: 0,
        tag: tag.to_owned(),
        by: By::Hand,
        is_unheard: false,
        answer: Answer::Never,
        abort,
    }
}

#[test]
fn what_is_on_its_way_arrives_before_the_next_one_begins() {
    let mut later = 0;
    for moment in 0..60 {
        let abort = Millis(500 * moment);
        let mut plan = Plan::quiet(vec![order(Millis::ZERO, "v1", Some(abort)), order(Millis(200), "v2", None)]);
        // Calls to change something last; looking does not.
        plan.clusters[0]["api"] =
            json!([{"on": {"verbs": ["patch", "create", "delete"]}, "rate": 0.5, "latency": "4s"}]);
        let report = play(moment, &plan, None, false);
        assert!(report.wrongs.is_empty(), "aborted after {abort}: {:#?}", report.wrongs);
        later += u64::from(report.runs.iter().any(|run| run.status == windlass_model::Status::Aborted));
    }
    assert!(later > 10, "{later} runs were aborted on their way");
}
