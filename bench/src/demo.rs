//! The story that `make demo` tells, once the binary is there.

use crate::figure::{Budget, Report};
use std::time::Instant;
use windlass_tests::World;

pub(crate) fn measure(report: &mut Report) {
    let samples = (0..report.times)
        .map(|_| {
            let world = World::bare();
            let start = Instant::now();
            world.run(&["demo"]).ok();
            start.elapsed().as_secs_f64()
        })
        .collect();
    report.tell("the whole story of the demo", "s", Some(Budget::AtMost(60.0)), samples);
}
