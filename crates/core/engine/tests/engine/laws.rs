//! What holds for every pipeline and every order in which a world may answer.

mod chaos;
mod pipelines;

use chaos::Chaos;
use proptest::prelude::{ProptestConfig, Strategy, any, proptest};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::BTreeSet;
use windlass_engine::event::Event;
use windlass_engine::{Run, apply, project};
use windlass_model::pipeline::Pipeline;

proptest! {
    #![proptest_config(ProptestConfig { cases: 15000, failure_persistence: None, ..ProptestConfig::default() })]

    // Two halves, for two processors: no other test of the house takes as long.
    #[test]
    fn every_run_ends_and_its_log_is_the_truth(pipeline in pipelines::any_pipeline(), choices in choices()) {
        ends_with_the_truth(pipeline, &choices);
    }

    #[test]
    fn every_other_run_ends_and_its_log_is_the_truth(pipeline in pipelines::any_pipeline(), choices in choices()) {
        ends_with_the_truth(pipeline, &choices);
    }
}

/// What the world does next, and next after that.
fn choices() -> impl Strategy<Value = Vec<u16>> {
    proptest::collection::vec(any::<u16>(), 0..200)
}

fn ends_with_the_truth(pipeline: Pipeline, choices: &[u16]) {
    let mut chaos = Chaos::new(pipeline);
    chaos.play(choices);
    chaos.drain();
    chaos.nothing_is_left_behind();

    let mut replayed = Run::new(chaos.run.id());
    for event in &chaos.log {
        let body = serde_json::from_str(&event.body().unwrap()).unwrap();
        let stored = Event::read(event.kind(), event.version(), body).unwrap();
        assert_eq!(&stored, event, "an event reads as it was written");
        apply(&mut replayed, &stored);
    }
    assert_eq!(project(&replayed), project(&chaos.run), "the folded log is the projection");
}

/// The laws would say little if the world never got anywhere.
#[test]
fn chaos_reaches_every_kind_of_event() {
    let mut runner = TestRunner::deterministic();
    let choices = choices();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut stages_undone = 0;
    for _ in 0..300 {
        let pipeline = pipelines::any_pipeline().new_tree(&mut runner).unwrap().current();
        let mut chaos = Chaos::new(pipeline);
        chaos.play(&choices.new_tree(&mut runner).unwrap().current());
        chaos.drain();
        seen.extend(chaos.log.iter().map(Event::kind));
        let undone =
            |event: &&Event| matches!(event, Event::NodeStarted(e) if e.node.as_str().contains(".rollbackStages."));
        stages_undone += chaos.log.iter().filter(undone).count();
    }
    assert!(stages_undone > 0, "some pipelines are rolled back");
    // Copies need an earlier run, samples a worker that measured, a look that is stopped people in a hurry: they have tests of their own.
    let elsewhere = ["EarlierCopied", "BaselineMeasured", "OutputKnown", "PreviewStopped"];
    let missed: Vec<_> =
        Event::KINDS.iter().filter(|kind| !seen.contains(*kind) && !elsewhere.contains(kind)).collect();
    assert!(missed.is_empty(), "never seen: {missed:?}");
}
