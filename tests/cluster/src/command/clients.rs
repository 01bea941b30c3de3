use super::build;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use windlass_clock::Clock;
use windlass_model::Millis;
use windlass_test_cluster::clients::{Desk, Difference, IMAGES, Line, Scenario, SimulatedCluster, same, scenarios};
use windlass_test_cluster::{Error, HELM, Options, RealCluster};
use windlass_workloads::Catalog;

/// Which clients.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A further `kubectl`, of another version than the one that belongs to the cluster. Repeatable.
    #[arg(long, value_name = "PROGRAM")]
    kubectl: Vec<PathBuf>,
    /// Another helm than the one that was built with the cluster.
    #[arg(long, env = "HELM", value_name = "PROGRAM")]
    helm: Option<PathBuf>,
    /// Only this scenario.
    #[arg(long)]
    only: Option<String>,
}

pub(crate) async fn run(arguments: Arguments) -> Result<ExitCode, Error> {
    let binaries = build()?;
    let images = Catalog::parse("images.yaml", IMAGES).map_err(|told| Error::Catalogue(told.to_string()))?;
    let options = Options { images: images.clone(), said: "web is up".to_owned(), ..Options::default() };
    let mut real = RealCluster::start(&binaries, &options).await?;
    let simulated = SimulatedCluster::start(&options.name, &images).await?;
    let helm = arguments.helm.unwrap_or_else(|| binaries.path(HELM));
    let mut kubectls = vec![binaries.path("kubectl")];
    kubectls.extend(arguments.kubectl);
    let (mut differing, mut counts) = (Vec::new(), Counts::default());
    for (n, kubectl) in kubectls.iter().enumerate() {
        for scenario in scenarios() {
            let with_helm = scenario.lines.iter().any(|line| line.program == "helm");
            let unwanted = arguments.only.as_ref().is_some_and(|only| *only != scenario.name);
            // Helm needs no second kubectl.
            if unwanted || with_helm && n > 0 {
                continue;
            }
            let clusters =
                Clusters { kubectl, helm: &helm, real: real.kubeconfig(), simulated: simulated.kubeconfig() };
            let namespace = format!("c{n}-{}", scenario.name);
            let mut different = clusters.play(&scenario, &namespace, &mut counts).await?;
            if !different.is_empty() {
                println!("{namespace}: once more; a controller that was faster once is no difference");
                let again = clusters.play(&scenario, &format!("{namespace}-again"), &mut Counts::default()).await?;
                different.retain(|line| again.contains(line));
            }
            differing.extend(different.into_iter().map(|line| format!("{}: {line}", scenario.name)));
        }
    }
    real.check()?;
    for (reason, times) in counts.accepted {
        println!("{times:5} accepted: {reason}");
    }
    println!(
        "{} of {} command lines agree, with {} kubectl",
        counts.compared - differing.len(),
        counts.compared,
        kubectls.len()
    );
    for line in &differing {
        println!("differs: {line}");
    }
    Ok(if differing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[derive(Default)]
struct Counts {
    compared: usize,
    /// Differences that are told in the documentation, by their reason.
    accepted: BTreeMap<&'static str, u32>,
}

/// Both clusters, and what is typed before them.
struct Clusters<'a> {
    kubectl: &'a Path,
    helm: &'a Path,
    real: &'a Path,
    simulated: &'a Path,
}

impl Clusters<'_> {
    /// Types every line of a scenario before both clusters. Those whose outputs differ.
    async fn play(
        &self,
        scenario: &Scenario,
        namespace: &str,
        counts: &mut Counts,
    ) -> Result<Vec<&'static str>, Error> {
        let wanted = Desk::new(self.kubectl, self.helm, self.real, namespace).await?;
        let got = Desk::new(self.kubectl, self.helm, self.simulated, namespace).await?;
        let mut differing = Vec::new();
        for line in &scenario.lines {
            counts.compared += 1;
            let Some(difference) = compare(line, namespace, &wanted, &got).await? else { continue };
            if let Some(reason) = difference.known() {
                *counts.accepted.entry(reason).or_default() += 1;
                continue;
            }
            println!("{namespace}: {}", line.text);
            println!("-- real\n{}\n-- simulated\n{}\n", difference.wanted, difference.got);
            differing.push(line.text);
        }
        Ok(differing)
    }
}

/// How often what only reads is asked again while the answers differ: how fast a cluster gets somewhere is not compared.
const TRIES: u32 = 10;
const PAUSE: Millis = Millis::from_secs(1);

async fn compare(line: &Line, namespace: &str, wanted: &Desk, got: &Desk) -> Result<Option<Difference>, Error> {
    let mut tries = 0;
    loop {
        let (wanted, got) = tokio::try_join!(wanted.run(line), got.run(line))?;
        tries += 1;
        match same(line, namespace, &wanted, &got) {
            Some(difference) if line.only_reads() && tries < TRIES && difference.known().is_none() => {
                Clock::system().sleep(PAUSE).await;
            }
            result => return Ok(result),
        }
    }
}
