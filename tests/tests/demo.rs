//! The story that `make demo` tells: from the webhook to production and back (pipelines §11.9).

use windlass_tests::World;

#[test]
fn the_demo_tells_its_whole_story() {
    let world = World::bare();
    let told = world.run(&["demo", "--folder", "demo", "--time-scale", "50"]).ok();
    for part in [
        "3 × v2.3.0",
        "eve, of no team: error:",
        "payment-service:v2.3.2",
        "from Monday to Thursday",
        "its executor may not approve",
        "verification failed",
        "handed over from delegate-prod-euw1",
        "5 × v2.3.4",
    ] {
        assert!(told.contains(part), "{part}:\n{told}");
    }
}
