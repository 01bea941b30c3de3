//! `windlass helm template` against `helm template`: a chart with forty templates.

use crate::figure::{Budget, Report};
use crate::pairs;
use crate::reference::Reference;
use windlass_bench_inputs::{chart, write};
use windlass_tests::World;

pub(crate) fn measure(report: &mut Report) {
    let Some(reference) = Reference::helm() else { return };
    println!("against helm {}", reference.version);
    let world = World::bare();
    write(&chart(), world.folder()).unwrap();
    let folder = world.folder().display().to_string();
    let line = ["template", "shop", &folder];
    let ours = || {
        let mut command = world.command();
        command.arg("helm").args(line);
        command
    };
    let [our, their, ratios] = pairs::in_turn(10 * report.times, &ours, &|| reference.command(&line));
    let what = "a chart of 40 templates";
    report.tell(&format!("{what}, `helm template`"), "ms", None, their);
    report.tell(&format!("{what}, `windlass helm template`"), "ms", None, our);
    report.tell(&format!("{what}, faster"), "times", Some(Budget::AtLeast(10.0)), ratios);
}
