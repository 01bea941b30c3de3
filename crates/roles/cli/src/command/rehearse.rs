//! `windlass rehearse`: what a run would do, before it does it.

mod files;

use super::pretend;
use crate::Common;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use std::path::PathBuf;
use std::process::ExitCode;
use windlass_model::{Identifier, Scope, Timestamp};
use windlass_rehearsal::{Approvals, Fault, Rehearsal, RehearseError, rehearse};

/// Run a pipeline in a simulated installation, in virtual time: minutes of waiting take no time, and nothing real is touched.
///
/// Clusters are simulated, starting from manifests (--cluster), from what is live now (--live, read only), or from an earlier
/// run of the same pipeline (--deployed). Repositories are folders. Images do what --workloads says. Scripts and HTTP calls
/// are noted and not made; approvers and secrets are invented. The report tells each step with its reason, what would be
/// asked of whom, and what is different in the clusters afterwards. The same command gives the same report.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Faults of what is released now (images that no cluster runs yet):
  image-pull, error-rate=8%, latency=2s, slow-start=5m, never-ready, crash=10s
Faults of the clusters:
  node-lost=30s (from then on), api-429, api-500, api-503 (three calls in ten), api-slow=2s

Exit code: 0 the run succeeds, 1 it fails, is refused or waits for somebody, 2 usage, 3 a live cluster cannot be read.

Example, in examples/payment-service:
  windlass rehearse -f setup -f pipeline.yaml --pipeline payment-service_cd \\
    --set SERVICE_NAME=payment-service --set ARCHETYPE=api --set TEAM=payments_team \\
    --set GIT_URL=https://git.example --set PROMETHEUS_URL=https://metrics.example \\
    --setting manifests.placeholderTag=PLACEHOLDER_TAG \\
    --repository https://git.example/acme/platform-catalog=repositories/platform-catalog \\
    --cluster k8s_prod_euw1=clusters/prod.yaml --workloads workloads.yaml --at 2026-03-02T10:30:00Z \\
    -i imageTag=v2.3.3 -i targetEnvironment=prod -i targetRegion=euw1 --deployed imageTag=v2.3.0 --fault error-rate=8%")]
pub(crate) struct Args {
    /// Documents of any kind, the pipeline among them; of a folder the YAML files that lie directly in it.
    #[arg(short, long, required = true, value_name = "FILE|FOLDER")]
    file: Vec<PathBuf>,
    /// Replaces `{{NAME}}` in the documents.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Settings that are different from their defaults.
    #[arg(long, value_name = "NAME=VALUE")]
    setting: Vec<String>,
    /// Which pipeline runs.
    #[arg(long, value_name = "ID")]
    pipeline: String,
    /// Values of pipeline variables.
    #[arg(short, long, value_name = "NAME=VALUE")]
    input: Vec<String>,
    /// Values that were different in the run before, which made what is deployed today: it goes first, without faults.
    /// Repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    deployed: Vec<String>,
    /// When that run started. Default: a week before --at.
    #[arg(long, value_name = "TIME", requires = "deployed")]
    deployed_at: Option<String>,
    /// What images do: how long they start, how many requests they serve and fail.
    #[arg(long, value_name = "FILE")]
    workloads: Option<PathBuf>,
    /// The folder that stands for a repository. Repeatable.
    #[arg(long, value_name = "URL=FOLDER")]
    repository: Vec<String>,
    /// Manifests of what is in the cluster of a connector at the start. Repeatable.
    #[arg(long, value_name = "CONNECTOR=FILE")]
    cluster: Vec<String>,
    /// Start from what is in a real cluster now. It is only read; values of Secrets are replaced by their hashes. Repeatable.
    #[arg(long, value_name = "CONNECTOR=KUBECONFIG[#CONTEXT]")]
    live: Vec<String>,
    /// Read only these namespaces of live clusters. Default: all but those of the cluster itself.
    #[arg(long, value_name = "NAME", requires = "live")]
    live_namespace: Vec<String>,
    /// What goes wrong, see below. Repeatable.
    #[arg(long, value_name = "FAULT")]
    fault: Vec<Fault>,
    /// What goes wrong in the clusters in detail, as `windlass kube-sim --faults` takes it; times count from the run's start.
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
    /// `auto`: invented members of the right groups approve after a minute. `none`: stop at the first question.
    #[arg(long, value_enum, default_value_t = Answering::Auto)]
    approve: Answering,
    /// When the run starts, for policies and change windows. Default: now.
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// Decides generated names and what happens by chance.
    #[arg(long, default_value_t = 1, value_name = "N")]
    random_seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Answering {
    Auto,
    None,
}

pub(crate) async fn run(common: &Common, args: Args) -> Result<ExitCode, CliFailure> {
    let rehearsal = prepare(common, &args).await?;
    // It has a runtime of its own, in which time does not pass by itself.
    let report = tokio::task::spawn_blocking(move || rehearse(&rehearsal)).await;
    let report = report.map_err(|e| CliFailure::internal(format!("the rehearsal broke off: {e}")))?.map_err(told)?;
    match common.output {
        Format::Table => output::line(report.to_string().trim_end()),
        format => output::value(format, &serde_json::to_value(&report).unwrap_or_default()),
    }
    Ok(if report.success { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn told(error: RehearseError) -> CliFailure {
    let text = error.to_string();
    match error {
        RehearseError::Document { failure, .. } | RehearseError::Refused(failure) => {
            let hints = failure.hints.clone();
            hints.into_iter().fold(CliFailure::failed(text).problems(failure.problems), CliFailure::hint)
        }
        RehearseError::Pipeline { .. } | RehearseError::Connector { .. } => {
            CliFailure::usage(text).hint("give all documents with -f: files, or folders of them")
        }
        RehearseError::Setting { failure, .. } => {
            failure.hints.into_iter().fold(CliFailure::usage(text), CliFailure::hint)
        }
        RehearseError::Seed { .. } => CliFailure::usage(text),
        _ => CliFailure::failed(text),
    }
}

async fn prepare(common: &Common, args: &Args) -> Result<Rehearsal, CliFailure> {
    let pairs = |given: &[String]| -> Result<_, CliFailure> {
        Ok(super::pairs(given)?.into_iter().map(|(name, value)| (name, value.into())).collect())
    };
    let mut clusters = files::seeds(&args.cluster)?;
    for given in &args.live {
        let (connector, objects) = files::live(given, &args.live_namespace).await?;
        clusters.entry(connector).or_default().extend(objects);
    }
    Ok(Rehearsal {
        documents: files::documents(&args.file)?,
        set: super::pairs(&args.set)?,
        settings: super::pairs(&args.setting)?,
        scope: scope(common)?,
        pipeline: args.pipeline.clone(),
        inputs: pairs(&args.input)?,
        deployed: pairs(&args.deployed)?,
        deployed_at: args.deployed_at.as_deref().map(|text| at(Some(text))).transpose()?,
        images: super::kube_sim::files::catalog(args.workloads.as_deref())?,
        repositories: files::repositories(&args.repository)?,
        clusters,
        faults: args.fault.clone(),
        plan: args.faults.as_deref().map(super::kube_sim::files::faults).transpose()?.unwrap_or_default(),
        approvals: if args.approve == Answering::Auto { Approvals::Auto } else { Approvals::None },
        at: at(args.at.as_deref())?,
        seed: args.random_seed,
    })
}

fn scope(common: &Common) -> Result<Scope, CliFailure> {
    let part = |text: &Option<String>| {
        let text = text.as_deref().filter(|text| !text.is_empty());
        text.map(Identifier::parse).transpose().map_err(|e| CliFailure::usage(e.to_string()))
    };
    Scope::of(part(&common.org)?, part(&common.project)?)
        .ok_or_else(|| CliFailure::usage("a project belongs to an organization: --org is missing"))
}

/// To the second, so that what is told does not depend on the rest.
fn at(text: Option<&str>) -> Result<Timestamp, CliFailure> {
    let at = match text {
        None => windlass_clock::Clock::system().now(),
        Some(text) => Timestamp::parse(text)
            .ok_or_else(|| CliFailure::usage(format!("`{text}` is not a time: write 2026-03-02T10:30:00Z")))?,
    };
    Ok(Timestamp::from_secs(at.secs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_to_the_second() {
        assert_eq!(at(Some("2026-03-02T10:30:00.9Z")).unwrap(), Timestamp::parse("2026-03-02T10:30:00Z").unwrap());
        assert!(at(Some("soon")).is_err());
    }
}
