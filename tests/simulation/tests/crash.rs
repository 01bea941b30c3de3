//! A sample of the points at which the server may die; `make test-crash FULL=1` tries them all.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

use windlass_test_simulation::crash::Scenario;

#[test]
fn another_delegate_goes_on_where_the_scenario_says_so() {
    for scenario in Scenario::all() {
        let hand_overs = scenario.undisturbed().hand_overs;
        assert_eq!(hand_overs > 0, scenario.name == "hand-over", "{}: {hand_overs}", scenario.name);
    }
}

#[test]
fn a_server_that_dies_anywhere_goes_on_as_if_it_had_not() {
    let every = std::env::var_os("EVERY").and_then(|every| every.to_str()?.parse().ok()).unwrap_or(15);
    let tried: Vec<_> = std::thread::scope(|scope| {
        let threads = Scenario::all().into_iter().map(|scenario| {
            scope
                .spawn(move || scenario.everywhere(every, |death, why| println!("{}: {death:?}: {why}", scenario.name)))
        });
        threads.collect::<Vec<_>>().into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for one in &tried {
        let survived = one.tried - one.failures.len() as u64;
        println!("{:<12} {:>5} points, {:>5} deaths, {survived:>5} survived", one.name, one.points, one.tried);
        assert!(one.points > 30 && one.tried > 2, "{one:?}");
    }
    assert!(tried.iter().all(|one| one.failures.is_empty()), "{tried:#?}");
}
