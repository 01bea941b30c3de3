//! Speed and memory, measured against what the architecture promises (§10): `make bench`, `make bench ONLY="webhooks fleet"`.
//!
//! Processes are the real ones of a release build, started as a user would, looked at from outside. Where a thousand of them would
//! measure the machine and not the server, their side of the wire is played over real sockets.
// A program for a terminal that measures real time; what cannot be set up ends it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement"
)]

mod binary;
mod catalogue;
mod chart;
mod decisions;
mod delegate;
mod demo;
mod estate;
mod figure;
mod fleet;
mod kustomize;
mod machine;
mod on_postgresql;
mod pairs;
mod pipeline;
mod process;
mod reference;
mod rehearsal;
mod runs;
mod transitions;
mod webhooks;
mod worker;

use figure::Report;
use std::process::ExitCode;

/// What is measured, and how.
type Measurement = (&'static str, fn(&mut Report));

/// Those that need the least first.
const MEASUREMENTS: &[Measurement] = &[
    ("binary", binary::measure),
    ("decisions", decisions::measure),
    ("transitions", transitions::measure),
    ("kustomize", kustomize::measure),
    ("catalogue", catalogue::measure),
    ("chart", chart::measure),
    ("rehearsal", rehearsal::measure),
    ("webhooks", webhooks::measure),
    ("fleet", fleet::measure),
    ("delegate", delegate::measure),
    ("runs", runs::measure),
    ("demo", demo::measure),
];

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if let [word, program, arguments @ ..] = names.as_slice()
        && word == pairs::PEAK_OF
    {
        pairs::peak_of(program, arguments);
        return ExitCode::SUCCESS;
    }
    let known = |name: &String| MEASUREMENTS.iter().any(|(known, _)| known == name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        let known: Vec<&str> = MEASUREMENTS.iter().map(|(name, _)| *name).collect();
        println!("there is no measurement `{unknown}`; there are {}", known.join(", "));
        return ExitCode::from(2);
    }
    if std::env::var("STORE").is_ok_and(|store| store == "postgresql") {
        return on_postgresql::measure(&names);
    }
    let times = std::env::var("TIMES").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let mut report = Report::new(times);
    println!("{}", machine::describe());
    println!("what | middle (least / middle / most) of {times} | budget | met");
    for (name, measure) in MEASUREMENTS {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            println!("# {name}, load {}", machine::load());
            measure(&mut report);
        }
    }
    report.table();
    if cfg!(debug_assertions) {
        println!("\nan unoptimised build: what was promised is not judged, only that all of it works");
        return ExitCode::SUCCESS;
    }
    if report.is_met() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
