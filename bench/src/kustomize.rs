//! `windlass kustomize build` against `kustomize build`: one overlay, small and large.

use crate::figure::{Budget, Report};
use crate::pairs;
use crate::reference::Reference;
use windlass_bench_inputs::{overlay, write};
use windlass_tests::World;

/// How many objects, how much faster at least, and how often it is measured each time.
const SIZES: [(usize, f64, usize); 3] = [(3, 5.0, 10), (41, 15.0, 5), (401, 50.0, 1)];

pub(crate) fn measure(report: &mut Report) {
    let Some(reference) = Reference::kustomize() else { return };
    println!("against kustomize {}", reference.version);
    for (objects, faster, pairs) in SIZES {
        let world = World::bare();
        write(&overlay(objects), world.folder()).unwrap();
        let folder = world.folder().join("overlay").display().to_string();
        let line = ["build", &folder];
        let ours = || {
            let mut command = world.command();
            command.arg("kustomize").args(line);
            command
        };
        let [our, their, ratios] = pairs::in_turn(pairs * report.times, &ours, &|| reference.command(&line));
        let what = format!("an overlay of {objects} objects");
        report.tell(&format!("{what}, `kustomize build`"), "ms", None, their);
        report.tell(&format!("{what}, `windlass kustomize build`"), "ms", None, our);
        report.tell(&format!("{what}, faster"), "times", Some(Budget::AtLeast(faster)), ratios);
    }
}
