//! Random charts and templates, rendered here and by the reference: `differential [templates|charts] [SEED] [COUNT] [FREEZE]`.
//!
//! It needs `go`, which builds the reference from its module. Every difference is printed with its seed; a file named by
//! FREEZE keeps the cases with the reference's answers, for tests without it. The shares of what the reference accepts and of
//! what the templates use are measured, and too small ones are errors.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for developers")]

use std::collections::BTreeMap;

mod chance;
mod charts;
mod coverage;
mod reference;
mod rules;
mod templates;
mod vocabulary;

use chance::Chance;
use coverage::Coverage;
use reference::{Answer, Case, Reference};
use windlass_helm::{Chart, HelmError, Isolated, Options, Sources, Values};

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |index: usize, otherwise: u64| arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let charts = arguments.first().is_some_and(|what| what == "charts");
    let (seed, count) = (number(1, 1), number(2, 1000));
    let mut reference = Reference::start()?;
    let (mut different, mut refused, mut unanswered) = (0_u64, 0_u64, 0_u64);
    let mut known: BTreeMap<u8, usize> = BTreeMap::new();
    let mut coverage = Coverage::default();
    let mut kept = Vec::new();
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    for seed in seed..seed + count {
        let mut chance = Chance::new(seed);
        let case = if charts { charts::case(&mut chance) } else { templates::case(&mut chance) };
        if let Some(text) = case.files.get("templates/NOTES.txt").filter(|_| !charts) {
            coverage.add(text);
        }
        let ours = render(&case);
        let Some(theirs) = reference.ask(&case)? else {
            unanswered += 1;
            println!(
                "seed {seed}: the reference comes to no end; ours: {}",
                if ours.error.is_empty() { "rendered" } else { &ours.error }
            );
            continue;
        };
        if !theirs.error.is_empty() {
            *reasons
                .entry(
                    theirs
                        .error
                        .split_whitespace()
                        .filter(|word| !word.contains(['/', '.']))
                        .take(9)
                        .collect::<Vec<_>>()
                        .join(" "),
                )
                .or_default() += 1;
        }
        refused += u64::from(!theirs.error.is_empty());
        if !ours.agrees(&theirs) {
            match rules::explains(&case, &ours, &theirs) {
                Some(rule) => *known.entry(rule).or_default() += 1,
                None => {
                    different += 1;
                    show(seed, &case, &ours, &theirs);
                }
            }
        }
        kept.push(serde_json::json!({ "seed": seed, "case": case, "answer": theirs }));
    }
    if let Some(path) = arguments.get(3) {
        let lines: Vec<String> = kept.iter().map(ToString::to_string).collect();
        std::fs::write(path, lines.join("\n") + "\n")?;
    }
    for (reason, count) in reasons.iter().filter(|(_, count)| **count * 50 > refused) {
        println!("{count} times: {reason}");
    }
    let accepted = count - refused - unanswered;
    let percent = accepted * 100 / count.max(1);
    println!(
        "{count} cases: the reference renders {accepted} ({percent} %) refuses {refused} and does not answer {unanswered}"
    );
    println!("{different} different, {} by a documented rule: {known:?}", known.values().sum::<usize>());
    let mut failed = different > 0 || unanswered * 100 > count;
    if !charts {
        println!("{}", coverage.summary());
        if count >= 300 && !coverage.rare().is_empty() {
            println!("in too few: {:?}", coverage.rare());
            failed = true;
        }
    }
    if count >= 300 && percent < 60 {
        println!("the reference accepts too few");
        failed = true;
    }
    if failed { Err(std::io::Error::other("see above")) } else { Ok(()) }
}

fn show(seed: u64, case: &Case, ours: &Answer, theirs: &Answer) {
    println!("=== seed {seed}");
    for (name, text) in case.files.iter().filter(|(name, _)| *name != "values.yaml" || case.files.len() > 3) {
        println!("--- {name}\n{text}");
    }
    let sets = [&case.values, &case.set, &case.set_string, &case.set_json, &case.set_literal];
    println!("--- values {sets:?}");
    println!("--- reference {} | ours {}", theirs.error, ours.error);
    for (theirs, ours) in [(&theirs.text, &ours.text), (&theirs.notes, &ours.notes)] {
        let mut lines = theirs.lines().zip(ours.lines()).filter(|(theirs, ours)| theirs != ours);
        if let Some((theirs, ours)) = lines.next() {
            println!("--- reference {theirs:?}\n--- ours      {ours:?}");
        }
    }
}

fn render(case: &Case) -> Answer {
    let run = || -> Result<Answer, HelmError> {
        let files = case.files.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes())).collect();
        let sources = Sources {
            files: case.values.iter().map(|text| ("values.yaml".to_owned(), text.clone())).collect(),
            set: case.set.clone(),
            string: case.set_string.clone(),
            json: case.set_json.clone(),
            literal: case.set_literal.clone(),
            ..Sources::default()
        };
        let values = Values::merge(&sources, &|path| Err(format!("{path} is not read here")))?;
        let mut options = Options {
            release_name: "rel".to_owned(),
            include_crds: case.include_crds,
            is_upgrade: case.is_upgrade,
            no_hooks: case.no_hooks,
            skip_tests: case.skip_tests,
            ..Options::default()
        };
        options.capabilities.api_versions.extend(case.apis.iter().cloned());
        let rendered = windlass_helm::template(&Chart::load(files)?, &values, &options, &Isolated, None)?;
        Ok(Answer { error: String::new(), text: rendered.text, notes: rendered.notes })
    };
    run().unwrap_or_else(|problem| Answer { error: format!("{problem} "), ..Answer::default() })
}
