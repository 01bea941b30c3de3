//! Random kustomizations, built here and by the reference, when the variable `KUSTOMIZE` names its program.
//!
//! `HELM` names the program that the reference starts for charts; without it kustomizations with charts are left out.
//! `KUSTOMIZE_SEEDS=from..to` chooses the seeds, `KUSTOMIZE_KEEP=folder` writes those that differ there, and
//! `KUSTOMIZE_FREEZE=file` writes them all with the reference's answers. Without the program the seeds are built here alone:
//! nothing may panic, and every value has an origin.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests may fail by panic, their helpers too"
)]

mod charts;
mod charts_in_memory;
mod coverage;
mod fields;
mod frozen;
mod generators;
mod mistakes;
mod objects;
#[path = "../support/origins.rs"]
mod origins;
mod ours;
mod patches;
mod plugins;
mod project;
mod random;
mod reference;
mod replacements;
mod rules;
mod style;

use coverage::Coverage;
use ours::build_in_memory;
use project::{Files, project};
use random::Random;
use reference::{Reference, stem, write};
use std::collections::BTreeMap;
use std::ops::Range;

/// Seeds that are always tried.
const SEEDS: Range<u64> = 0..300;

#[test]
fn nothing_panics_and_every_value_has_an_origin() {
    for seed in SEEDS {
        let _ = build_in_memory(&project(&mut Random::new(seed)), true);
    }
}

/// Random kustomizations are worth something when most of them can be built and they use everything.
#[test]
fn every_field_is_used() {
    let mut coverage = Coverage::default();
    for seed in 0..2000 {
        coverage.add(&project(&mut Random::new(seed)));
    }
    println!("{} fields, the least used is {}", Coverage::fields(), coverage.least());
    assert!(coverage.rare().is_empty(), "{:?}", coverage.rare());
}

/// One seed, both answers.
struct Compared {
    seed: u64,
    files: Files,
    ours: Result<String, String>,
    theirs: Result<String, String>,
}

impl Compared {
    fn agrees(&self) -> bool {
        match (&self.ours, &self.theirs) {
            (Ok(ours), Ok(theirs)) => ours == theirs,
            (ours, theirs) => ours.is_err() == theirs.is_err(),
        }
    }
}

#[test]
fn the_reference_agrees() {
    if Reference::from_environment(0).is_none() {
        println!("skipped: KUSTOMIZE does not name the reference");
        return;
    }
    let seeds = seeds().unwrap_or(SEEDS);
    println!("seeds {}..{}", seeds.start, seeds.end);
    let mut all: Vec<Compared> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2)
            .map(|worker| {
                scope.spawn({
                    let seeds = seeds.clone();
                    move || compare(worker, seeds)
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker")).collect()
    });
    all.sort_by_key(|compared| compared.seed);
    let mut coverage = Coverage::default();
    let (mut wrong, mut known, mut refused) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    for compared in &all {
        coverage.add(&compared.files);
        if let Err(why) = &compared.theirs {
            *refused.entry(stem(why)).or_insert(0) += 1;
        }
        if compared.agrees() {
            continue;
        }
        if let Some(rule) = rules::explains(&compared.files, &compared.ours, &compared.theirs) {
            *known.entry(rule).or_insert(0) += 1;
            continue;
        }
        if let Some(folder) = std::env::var_os("KUSTOMIZE_KEEP") {
            write(&std::path::Path::new(&folder).join(compared.seed.to_string()), &compared.files);
        }
        wrong.push(format!("seed {}: {}", compared.seed, describe(&compared.ours, &compared.theirs)));
    }
    let accepted = all.iter().filter(|compared| compared.theirs.is_ok()).count();
    let (total, errors) = (all.len(), all.len() - accepted);
    println!(
        "{total} kustomizations: the reference builds {accepted} ({} %) and refuses {errors}",
        accepted * 100 / total.max(1)
    );
    println!("{} fields of rendering §1.1, the least used is {}", Coverage::fields(), coverage.least());
    println!("{} different, {} by a documented rule: {known:?}", wrong.len(), known.values().sum::<usize>());
    if std::env::var_os("KUSTOMIZE_REASONS").is_some() {
        println!("refused because of: {refused:#?}");
    }
    if let Some(file) = std::env::var_os("KUSTOMIZE_FREEZE") {
        frozen::write(file.as_ref(), &all);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if total >= 300 {
        assert!(accepted * 100 >= total * 60, "the reference accepts too few");
        assert!(coverage.rare().is_empty(), "fields in too few: {:?}", coverage.rare());
    }
}

fn seeds() -> Option<Range<u64>> {
    let text = std::env::var_os("KUSTOMIZE_SEEDS")?;
    let (from, to) = text.to_str()?.split_once("..")?;
    Some(from.parse().ok()?..to.parse().ok()?)
}

fn compare(worker: usize, seeds: Range<u64>) -> Vec<Compared> {
    let reference = Reference::from_environment(worker).expect("it was there before");
    let mut out = Vec::new();
    for seed in seeds.skip(worker).step_by(2) {
        let files = project(&mut Random::new(seed));
        let has_charts = files.iter().any(|(path, _)| path.contains("/little/"));
        if has_charts && !reference.has_helm() {
            continue;
        }
        let theirs = reference.build(&files);
        let ours = build_in_memory(&files, reference.has_helm());
        out.push(Compared { seed, files, ours, theirs });
    }
    out
}

fn describe(ours: &Result<String, String>, theirs: &Result<String, String>) -> String {
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            let (mut a, mut b) = (theirs.lines(), ours.lines());
            for number in 1.. {
                match (a.next(), b.next()) {
                    (None, None) => break,
                    (a, b) if a == b => {}
                    (a, b) => return format!("line {number}: the reference says {a:?}, we say {b:?}"),
                }
            }
            "different line ends".into()
        }
        (Err(ours), Ok(_)) => format!("we refuse it: {ours}"),
        (Ok(_), Err(theirs)) => {
            let line = theirs.lines().rfind(|line| line.starts_with("Error: ")).unwrap_or(theirs);
            format!("the reference refuses it: {line}")
        }
        (Err(_), Err(_)) => String::new(),
    }
}
