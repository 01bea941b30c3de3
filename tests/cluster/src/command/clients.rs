use super::build;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use windlass_test_cluster::clients::{IMAGES, Line, Output, Scenario, Seat, SimulatedCluster, same, scenarios, write};
use windlass_test_cluster::{Error, Options, RealCluster};
use windlass_workloads::Catalog;

/// Which clients.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A further `kubectl`, of another version than the one that belongs to the cluster. Repeatable.
    #[arg(long, value_name = "PROGRAM")]
    kubectl: Vec<PathBuf>,
    /// The program for helm's command lines; without it they are left out, which is said.
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
    let mut kubectls = vec![binaries.path("kubectl")];
    kubectls.extend(arguments.kubectl);
    let (mut compared, mut differing, mut accepted) = (0, Vec::new(), BTreeMap::new());
    for (n, kubectl) in kubectls.iter().enumerate() {
        for scenario in scenarios() {
            let with_helm = scenario.lines.iter().any(|line| line.program == "helm");
            let unwanted = arguments.only.as_ref().is_some_and(|only| *only != scenario.name);
            // Helm needs no second kubectl.
            if unwanted || with_helm && n > 0 {
                continue;
            }
            if with_helm && arguments.helm.is_none() {
                println!("skipped: {} (HELM names no program)", scenario.name);
                continue;
            }
            let helm = arguments.helm.clone().unwrap_or_default();
            let namespace = format!("c{n}-{}", scenario.name);
            let at = |kubeconfig: &std::path::Path| play(kubectl, &helm, kubeconfig, &scenario, &namespace);
            let (wanted, got) = (at(real.kubeconfig()), at(simulated.kubeconfig()));
            let (wanted, got) = (wanted.await?, got.await?);
            for (line, (wanted, got)) in scenario.lines.iter().zip(wanted.iter().zip(&got)) {
                compared += 1;
                if let Some(difference) = same(line, &namespace, wanted, got) {
                    if let Some(reason) = difference.known() {
                        *accepted.entry(reason).or_insert(0_u32) += 1;
                        continue;
                    }
                    println!("{namespace}: {}", line.text);
                    println!("-- real\n{}\n-- simulated\n{}\n", difference.wanted, difference.got);
                    differing.push(format!("{}: {}", scenario.name, line.text));
                }
            }
        }
    }
    real.check()?;
    for (reason, times) in accepted {
        println!("{times:5} accepted: {reason}");
    }
    println!("{} of {compared} command lines agree, with {} kubectl", compared - differing.len(), kubectls.len());
    Ok(if differing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Plays a scenario on one cluster, beside this thread: the simulated cluster lives in it.
fn play(
    kubectl: &std::path::Path,
    helm: &std::path::Path,
    kubeconfig: &std::path::Path,
    scenario: &Scenario,
    namespace: &str,
) -> impl Future<Output = Result<Vec<Output>, Error>> + use<> {
    let (kubectl, helm, kubeconfig) = (kubectl.to_owned(), helm.to_owned(), kubeconfig.to_owned());
    let (lines, namespace) = (scenario.lines.clone(), namespace.to_owned());
    let task = tokio::task::spawn_blocking(move || {
        let folder = tempfile::tempdir().map_err(|source| Error::File { path: std::env::temp_dir(), source })?;
        write(folder.path())?;
        let seat = Seat { kubectl, helm, kubeconfig, folder: folder.path().to_owned() };
        seat.namespace(&namespace)?;
        lines.iter().map(|line: &Line| seat.run(line, &namespace)).collect()
    });
    async { task.await.map_err(|error| Error::Simulation(error.to_string()))? }
}
