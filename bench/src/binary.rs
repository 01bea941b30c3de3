//! The binary itself: its size, and how soon it is there.

use crate::figure::{Budget, Report};
use crate::process::Observed;
use std::time::Instant;
use windlass_tests::{World, send, until};

pub(crate) fn measure(report: &mut Report) {
    let mut world = World::new();
    let program = world.command().get_program().to_owned();
    let size = std::fs::metadata(&program).unwrap().len() as f64 / (1 << 20) as f64;
    report.tell("binary, stripped", "MiB", Some(Budget::AtMost(60.0)), vec![size]);
    let samples = (0..20)
        .map(|_| {
            let start = Instant::now();
            world.run(&["--version"]).ok();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    report.tell("binary, start and end of `windlass --version`", "ms", Some(Budget::AtMost(100.0)), samples);
    let (mut starts, mut residents) = (Vec::new(), Vec::new());
    for _ in 0..report.times.max(5) {
        assert!(world.server().stop().success());
        let start = Instant::now();
        world.start_server();
        let ready = format!("{}/readyz", world.url());
        until("the server to be ready", || (send("GET", &ready, &[], "").status == 200).then_some(()));
        starts.push(start.elapsed().as_secs_f64() * 1e3);
        residents.push(Observed(world.server().id()).resident());
    }
    report.tell("server, from its start to the first answer", "ms", Some(Budget::AtMost(100.0)), starts);
    report.tell("server, resident after its start", "MiB", None, residents);
}
