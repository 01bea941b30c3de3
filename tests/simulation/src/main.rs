//! Plays seeds: `simulation --seeds 10000 --from 1`, or one of them with its whole history: `simulation --seed 4711`.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program for tests")]

use clap::Parser;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use windlass_test_simulation::crash::{Scenario, Tried};
use windlass_test_simulation::plan::Plan;
use windlass_test_simulation::{Death, Report, play, play_seed};

/// As in the product.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Plays whole installations in virtual time.
#[derive(Parser)]
struct Arguments {
    /// How many seeds.
    #[arg(long, default_value_t = 300)]
    seeds: u64,
    /// The first of them.
    #[arg(long, default_value_t = 1)]
    from: u64,
    /// Only this one, with everything that happens.
    #[arg(long)]
    seed: Option<u64>,
    /// Instead: lets the server die at every so-manieth point of each scenario.
    #[arg(long, value_name = "EVERY")]
    crash: Option<u64>,
    /// One death of the scenario that is named, with everything that happens: `rolling:before:17`.
    #[arg(long, value_name = "SCENARIO:WHEN:POINT")]
    death: Option<String>,
    /// Plays each a second time: the history must be the same.
    #[arg(long)]
    twice: bool,
    /// How many at once; as many as there are processors when not given.
    #[arg(long)]
    threads: Option<usize>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(seed) = arguments.seed {
        return show(seed);
    }
    if let Some(every) = arguments.crash {
        return crash(every);
    }
    if let Some(death) = arguments.death {
        return show_death(&death);
    }
    let threads = arguments.threads.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
    let (next, failed, points) = (AtomicU64::new(arguments.from), AtomicU64::new(0), AtomicU64::new(0));
    let end = arguments.from + arguments.seeds;
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Relaxed);
                    if seed >= end {
                        return;
                    }
                    match played(seed, arguments.twice) {
                        Ok(report) if report.wrongs.is_empty() => {
                            points.fetch_add(report.count, Relaxed);
                        }
                        Ok(report) => {
                            failed.fetch_add(1, Relaxed);
                            println!("seed {seed} FAILED: {}", report.wrongs.join("; "));
                            println!("  replay: cargo run -p windlass-test-simulation -- --seed {seed}");
                        }
                        Err(_) => {
                            failed.fetch_add(1, Relaxed);
                            println!("seed {seed} PANICKED");
                            println!("  replay: cargo run -p windlass-test-simulation -- --seed {seed}");
                        }
                    }
                }
            });
        }
    });
    let (failed, points) = (failed.into_inner(), points.into_inner());
    println!("{} seeds, {points} events, {failed} failed", arguments.seeds);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// In a thread of its own: nothing of one seed is left to the next.
fn played(seed: u64, twice: bool) -> std::thread::Result<Report> {
    let play = || std::thread::spawn(move || play_seed(seed, twice)).join();
    let mut first = play()?;
    if twice {
        let second = play()?;
        if first.digest != second.digest {
            let same = first.lines.iter().zip(&second.lines).take_while(|(one, other)| one == other).count();
            let line = |report: &Report| report.lines.get(same).cloned().unwrap_or_else(|| "the end".to_owned());
            let (one, other) = (line(&first), line(&second));
            first.wrongs.push(format!("another history the second time, from line {same}: `{one}` became `{other}`"));
        }
    }
    Ok(first)
}

/// Every scenario with deaths at every `every`-th point.
fn crash(every: u64) -> ExitCode {
    let tried: Vec<Tried> = std::thread::scope(|scope| {
        let scenarios = Scenario::all();
        let half = scenarios.len().div_ceil(2);
        let threads = scenarios.chunks(half).map(|scenarios| {
            let scenarios = scenarios.to_vec();
            scope.spawn(move || scenarios.iter().map(|scenario| tried(scenario, every)).collect::<Vec<_>>())
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    println!("{:<12} {:>7} {:>7} {:>9}", "scenario", "points", "deaths", "survived");
    for one in &tried {
        let survived = one.tried - one.failures.len() as u64;
        println!("{:<12} {:>7} {:>7} {survived:>9}", one.name, one.points, one.tried);
    }
    let failed = tried.iter().any(|one| !one.failures.is_empty());
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn tried(scenario: &Scenario, every: u64) -> Tried {
    scenario.everywhere(every, |death, why| {
        let (when, point) = match death {
            Death::Before(point) => ("before", point),
            Death::After(point) => ("after", point),
        };
        println!("{} dead {when} {point}: {why}", scenario.name);
        println!("  replay: cargo run -p windlass-test-simulation -- --death {}:{when}:{point}", scenario.name);
    })
}

fn show_death(text: &str) -> ExitCode {
    let mut parts = text.split(':');
    let scenario = Scenario::all().into_iter().find(|one| Some(one.name) == parts.clone().next());
    let when = parts.nth(1).unwrap_or_default();
    let point = parts.next().and_then(|point| point.parse().ok());
    let (Some(scenario), Some(point)) = (scenario, point) else {
        println!("`{text}` is none: write rolling:before:17");
        return ExitCode::from(2);
    };
    let death = if when == "after" { Death::After(point) } else { Death::Before(point) };
    let report = play(1, &scenario.plan, Some(death), true);
    let why = scenario.with(death, &scenario.undisturbed());
    told(&report);
    println!("{}", why.as_deref().unwrap_or("survived"));
    if why.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn show(seed: u64) -> ExitCode {
    println!("{:#?}", Plan::of(seed));
    let report = play_seed(seed, true);
    told(&report);
    println!("seed {seed}: {} events in {}, digest {}", report.count, report.lasted, report.digest);
    if report.wrongs.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn told(report: &Report) {
    for line in &report.lines {
        println!("{line}");
    }
    for run in &report.runs {
        println!("{run:#?}");
    }
    for wrong in &report.wrongs {
        println!("WRONG: {wrong}");
    }
}
