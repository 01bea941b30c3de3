//! `windlass render --all` against the reference, started for each overlay and as a library in one process.

mod library;

use crate::figure::{Budget, Report};
use crate::pairs::{self, same};
use crate::reference::Reference;
use std::path::Path;
use std::process::Command;
use windlass_bench_inputs::{ENVIRONMENTS, REGIONS, catalogue, write};
use windlass_tests::World;

const SERVICES: usize = 100;
const OUTPUT: &str = "manifests.yaml";

pub(crate) fn measure(report: &mut Report) {
    let Some(reference) = Reference::kustomize() else { return };
    println!("against kustomize {}", reference.version);
    let world = World::bare();
    let folder = |name: &str| world.folder().join(name);
    write(&catalogue(SERVICES), &folder("catalogue")).unwrap();
    let targets = targets();
    let library = library::build();
    let [mut ours, mut again, mut one, mut peaks] = [const { Vec::new() }; 4];
    let [mut started, mut linked, mut faster_started, mut faster_linked] = [const { Vec::new() }; 4];
    for time in 0..report.times {
        let out = folder(&format!("ours-{time}"));
        let (first, peak) = pairs::peak(&render(&world, &out));
        let (second, _) = pairs::peak(&render(&world, &out));
        // A person changes one overlay.
        let overlay = folder("catalogue").join("service-042/int/euw1/kustomization.yaml");
        let text = std::fs::read_to_string(&overlay).unwrap();
        std::fs::write(&overlay, format!("{text}nameSuffix: -at-{time}\n")).unwrap();
        let (third, _) = pairs::peak(&render(&world, &out));
        std::fs::write(&overlay, text).unwrap();
        pairs::peak(&render(&world, &out));
        let each = |target: &str| reference.command(&["build", folder("catalogue").join(target).to_str().unwrap()]);
        let mut theirs = 0.0;
        for target in &targets {
            let ran = pairs::run(each(target));
            theirs += ran.time;
            same(&std::fs::read(out.join(target).join(OUTPUT)).unwrap(), &ran.output, target);
        }
        started.push(theirs);
        faster_started.push(theirs / first);
        if let Some(program) = &library {
            let linked_out = folder(&format!("library-{time}"));
            let ran = pairs::run(all(program, &folder("catalogue"), &linked_out, &targets));
            for target in &targets {
                let read = |out: &Path| std::fs::read(out.join(target).join(OUTPUT)).unwrap();
                same(&read(&out), &read(&linked_out), target);
            }
            linked.push(ran.time);
            faster_linked.push(ran.time / first);
        }
        for (samples, value) in [(&mut ours, first), (&mut again, second), (&mut one, third), (&mut peaks, peak)] {
            samples.push(value);
        }
    }
    let what = format!("a catalogue of {} overlays", targets.len());
    report.tell(&format!("{what}, `kustomize build` of each"), "ms", None, started);
    if library.is_some() {
        report.tell(&format!("{what}, the reference as a library"), "ms", None, linked);
    }
    report.tell(&format!("{what}, `windlass render --all`"), "ms", None, ours);
    report.tell(&format!("{what}, memory at its peak"), "MiB", Some(Budget::AtMost(256.0)), peaks);
    report.tell(&format!("{what}, faster than starts"), "times", Some(Budget::AtLeast(30.0)), faster_started);
    if library.is_some() {
        report.tell(&format!("{what}, faster than the library"), "times", Some(Budget::AtLeast(3.0)), faster_linked);
    }
    report.tell(&format!("{what}, again"), "ms", Some(Budget::AtMost(200.0)), again);
    report.tell(&format!("{what}, again after one has changed"), "ms", Some(Budget::AtMost(200.0)), one);
}

/// The overlays of the catalogue, by their folders.
fn targets() -> Vec<String> {
    let mut targets = Vec::new();
    for service in 0..SERVICES {
        for environment in ENVIRONMENTS {
            targets.extend(REGIONS.map(|region| format!("service-{service:03}/{environment}/{region}")));
        }
    }
    targets
}

fn render(world: &World, out: &Path) -> Command {
    let mut command = world.command();
    command.args(["render", "--all", "catalogue", "--out"]).arg(out);
    command
}

fn all(program: &Path, root: &Path, out: &Path, targets: &[String]) -> Command {
    let mut command = Command::new(program);
    command.arg(root).arg(out).args(targets);
    command
}
