mod expiry;

use super::build;
use futures::StreamExt as _;
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use windlass_clock::{Clock, virtual_runtime};
use windlass_kube_sim::{Config, KubeSim};
use windlass_test_cluster::differential::{self, Normal, Played, Server, Step, differences, known, play};
use windlass_test_cluster::{Client, Error, Options, RealCluster};

/// Which sequences.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The kept seeds, from 1 on.
    #[arg(long, default_value_t = 1_000)]
    kept: u64,
    /// How many fresh ones.
    #[arg(long, default_value_t = 200)]
    fresh: u64,
    /// The first of the fresh seeds, behind the kept ones at least; the time when it is not given.
    #[arg(long)]
    seed: Option<u64>,
    /// How many sequences in whose middle the servers forget the past.
    #[arg(long, default_value_t = 60)]
    expiring: u64,
    /// Only this seed, with every request and difference.
    #[arg(long)]
    only: Option<u64>,
    /// Tells how often differences of the same kind occur, instead of the sequences.
    #[arg(long)]
    summary: bool,
    /// How many of a hundred fresh sequences must agree. Of the kept ones all but those in `differing.txt`.
    #[arg(long, default_value_t = 96)]
    at_least: usize,
    /// Sequences on their way at once.
    #[arg(long, default_value_t = 8)]
    at_once: usize,
}

/// A sequence with its name for people.
struct Named {
    name: String,
    seed: u64,
    steps: Vec<Step>,
    /// Not one of the kept ones.
    is_fresh: bool,
}

/// One place where the two servers differ.
struct Difference {
    step: usize,
    place: String,
    told: String,
}

pub(crate) async fn run(arguments: Arguments) -> Result<ExitCode, Error> {
    let mut cluster = RealCluster::start(&build()?, &Options { controllers: false, ..Options::default() }).await?;
    let client = cluster.client().clone();
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    client.done("POST", definitions, Some(&differential::beforehand())).await?;
    let widgets = "/apis/example.test/v1/widgets";
    let clock = Clock::system();
    let known_by = clock.now() + windlass_model::Millis::from_secs(30);
    while !client.answers(widgets).await && clock.now() < known_by {
        clock.sleep(windlass_model::Millis(50)).await;
    }
    let sequences = sequences(&arguments);
    let count = sequences.len();
    let fresh = sequences.iter().filter(|sequence| sequence.is_fresh).count();
    let mut results = futures::stream::iter(sequences)
        .map(|sequence| {
            let client = client.clone();
            async move {
                let found = compare(&client, &sequence).await;
                found.map(|(found, excused)| (sequence, found, excused))
            }
        })
        .buffered(arguments.at_once);
    let listed = differing();
    let (mut fresh_differ, mut news) = (0, Vec::new());
    let (mut agree, mut requests, mut reasons) = (0, 0, BTreeMap::<&str, u32>::new());
    let mut kinds = BTreeMap::<String, (u32, String)>::new();
    while let Some(result) = results.next().await {
        let (sequence, found, excused) = result?;
        requests += sequence.steps.len();
        excused.into_iter().for_each(|reason| *reasons.entry(reason).or_default() += 1);
        let is_listed = !sequence.is_fresh && listed.contains(&*sequence.name);
        if found.is_empty() {
            agree += 1;
            if is_listed {
                news.push(format!("{} agrees now: take it out of differing.txt", sequence.name));
            }
            continue;
        }
        match sequence.is_fresh {
            true => fresh_differ += 1,
            false if is_listed => {}
            false => news.push(format!("{} differs and is not listed", sequence.name)),
        }
        if arguments.summary {
            // What follows the first may follow from it.
            let first = found[0].step;
            let step = &sequence.steps[first];
            let differences = found.iter().filter(|difference| difference.step == first);
            let told: Vec<String> = differences.map(|d| format!("{}: {}", generic(&d.place), d.told)).collect();
            let kind = format!("{} {}", step.method, told.join("\n         "));
            let entry = kinds.entry(kind).or_insert_with(|| (0, format!("{} step {first}: {step}", sequence.name)));
            entry.0 += 1;
        } else {
            tell(&sequence, &found, arguments.only.is_some());
        }
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, (times, _))| std::cmp::Reverse(*times));
    for (kind, (times, example)) in kinds {
        println!("{times:5}  {kind}\n       {example}");
    }
    println!("{agree} of {count} sequences agree, {requests} requests");
    for (reason, times) in reasons {
        println!("{times:5} accepted: {reason}");
    }
    if arguments.only.is_none() {
        news.extend(expiry::run(&mut cluster, &arguments).await?);
    }
    news.iter().for_each(|news| println!("{news}"));
    let too_many = fresh_differ * 100 > fresh * 100_usize.saturating_sub(arguments.at_least);
    let failed = match arguments.only {
        Some(_) => agree < count,
        None => too_many || !news.is_empty(),
    };
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The kept sequences that are known to differ, one a line with its reason behind a colon.
fn differing() -> BTreeSet<&'static str> {
    let lines = include_str!("../../differing.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(':').map(|(name, _)| name.trim())).collect()
}

fn sequences(arguments: &Arguments) -> Vec<Named> {
    let random = |seed: u64, is_fresh: bool| Named {
        name: format!("seed {seed}"),
        seed,
        steps: differential::generate(seed),
        is_fresh,
    };
    if let Some(seed) = arguments.only {
        return vec![random(seed, false)];
    }
    let fixed = differential::fixed().into_iter();
    let fixed = fixed.enumerate().map(|(i, (name, steps))| Named {
        name: name.to_owned(),
        seed: i as u64,
        steps,
        is_fresh: false,
    });
    // The real server would still have what a kept sequence of the same seed made.
    let first = arguments.seed.unwrap_or_else(|| Clock::system().now().secs().unsigned_abs()).max(arguments.kept + 1);
    let kept = (1..=arguments.kept).map(|seed| random(seed, false));
    let fresh = (first..first + arguments.fresh).map(|seed| random(seed, true));
    fixed.chain(kept).chain(fresh).collect()
}

/// What differs, and the reasons of what differs and may.
async fn compare(client: &Client, sequence: &Named) -> Result<(Vec<Difference>, Vec<&'static str>), Error> {
    let namespace = format!("d-{:08x}-{}", sequence.seed, u64::from(sequence.name.starts_with("seed")));
    let real = Server::Real(client.clone());
    real.namespace(&namespace).await?;
    let wanted = play(&real, &namespace, &sequence.steps).await?;
    let steps = sequence.steps.clone();
    let inner = namespace.clone();
    // Virtual time has a runtime of its own.
    let got = tokio::task::spawn_blocking(move || simulate(&inner, &steps)).await;
    let got = got.map_err(|error| Error::Simulation(error.to_string()))??;
    Ok(judge(&namespace, &sequence.steps, &wanted, &got))
}

/// Where the answers of two servers differ, and the reasons of what differs and may.
fn judge(namespace: &str, steps: &[Step], wanted: &[Played], got: &[Played]) -> (Vec<Difference>, Vec<&'static str>) {
    let (mut theirs, mut ours) = (Normal::new(namespace), Normal::new(namespace));
    let (mut found, mut excused) = (Vec::new(), Vec::new());
    'steps: for (i, (step, (wanted, got))) in steps.iter().zip(wanted.iter().zip(got)).enumerate() {
        let (wanted, got) = (theirs.answer(&wanted.answer), ours.answer(&got.answer));
        for (place, told) in differences(&wanted, &got) {
            match known(step, &place, &told) {
                Some(known) => {
                    excused.push(known.reason);
                    if known.ends {
                        break 'steps;
                    }
                }
                None => found.push(Difference { step: i, place, told }),
            }
        }
    }
    (found, excused)
}

fn simulate(namespace: &str, steps: &[Step]) -> Result<Vec<Played>, Error> {
    simulated(namespace, async |server, _| play(&server, namespace, steps).await)
}

/// What is done with a simulated server in virtual time.
fn simulated<T>(namespace: &str, work: impl AsyncFnOnce(Server, KubeSim) -> Result<T, Error>) -> Result<T, Error> {
    let failed = |told: String| Error::Simulation(told);
    let runtime = virtual_runtime().map_err(|error| failed(error.to_string()))?;
    runtime.block_on(async {
        let clock = Clock::simulated(Clock::system().now());
        let mut config = Config::new(clock).admin_token("admin").user_token("limited", "limited");
        config.controllers = false;
        config.objects = vec![differential::beforehand()];
        let sim = KubeSim::new(config).map_err(|error| failed(error.to_string()))?;
        let server = Server::Simulated(sim.router());
        server.namespace(namespace).await?;
        work(server, sim).await
    })
}

/// The shortest beginning of the sequence that shows it.
fn tell(sequence: &Named, found: &[Difference], all: bool) {
    let last = if all { sequence.steps.len() } else { found[0].step + 1 };
    println!("{} differs at step {}:", sequence.name, found[0].step);
    for (i, step) in sequence.steps.iter().enumerate().take(last) {
        println!("  {i}: {step}");
        for difference in found.iter().filter(|difference| difference.step == i) {
            println!("       {}: {}", difference.place, difference.told);
        }
    }
}

/// A place without its numbers.
fn generic(place: &str) -> String {
    let part = |part: &str| if part.parse::<u32>().is_ok() { "*".to_owned() } else { part.to_owned() };
    place.split('/').map(part).collect::<Vec<_>>().join("/")
}
