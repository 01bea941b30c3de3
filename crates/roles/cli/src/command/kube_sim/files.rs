//! What a cluster is told by files: its objects, its images, its faults.

use crate::command::{pretend, read_text};
use crate::failure::CliFailure;
use std::path::Path;
use windlass_kube_sim::faults::FaultPlan;
use windlass_kube_sim::{Cluster, KubeSim};
use windlass_manifest::object::expand_lists;
use windlass_workloads::Catalog;
use windlass_yaml::{NumberStyle, Options, parse_one};

fn unreadable(path: &Path, problems: windlass_diagnostic::Diagnostics) -> CliFailure {
    CliFailure::usage(format!("{} cannot be used", path.display())).problems(problems)
}

pub(in crate::command) fn catalog(path: Option<&Path>) -> Result<Catalog, CliFailure> {
    let Some(path) = path else { return Ok(Catalog::default()) };
    Catalog::parse(&path.display().to_string(), &read_text(path)?).map_err(|problems| unreadable(path, problems))
}

pub(in crate::command) fn faults(path: &Path) -> Result<FaultPlan, CliFailure> {
    let document = parse_one(path.display().to_string(), &read_text(path)?, &Options::OBJECTS)
        .map_err(|problems| unreadable(path, problems))?;
    let value = document.root.to_json(NumberStyle::Typed);
    if value.is_null() {
        return Ok(FaultPlan::default());
    }
    FaultPlan::from_json(&value).map_err(|error| {
        CliFailure::usage(format!("{} is {}", path.display(), pretend::chain(&error)))
            .hint("the keys are api, watches, pods and nodes: see docs/compatibility/kube-sim.md")
    })
}

/// Adds the objects of a file of manifests, in its order.
pub(super) fn plant(sim: &KubeSim, path: &Path) -> Result<(), CliFailure> {
    let file = path.display().to_string();
    let documents =
        windlass_manifest::parse::documents(&file, &read_text(path)?).map_err(|problems| unreadable(path, problems))?;
    for (document, place) in documents {
        for object in expand_lists(document).map_err(|problems| unreadable(path, problems))? {
            let text = |pointer| object.pointer(pointer).and_then(serde_json::Value::as_str).unwrap_or_default();
            let name = format!("{}/{}", text("/kind"), text("/metadata/name"));
            let place = place.as_ref().map_or_else(|| file.clone(), ToString::to_string);
            sim.add(object).map_err(|e| CliFailure::usage(format!("{place}: {name}: {}", pretend::chain(&e))))?;
        }
    }
    Ok(())
}

/// Reads the faults again at each SIGHUP. A file that cannot be used changes nothing.
pub(super) async fn follow_faults(path: Option<&Path>, cluster: &Cluster) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Some(path), Ok(mut hangup)) = (path, signal(SignalKind::hangup())) else {
        return std::future::pending().await;
    };
    while hangup.recv().await.is_some() {
        match faults(path) {
            Ok(plan) => {
                cluster.faults().replace(plan, cluster.now());
                tracing::info!(file = %path.display(), "the faults were read again");
            }
            Err(failure) => tracing::error!(?failure, "the faults stay as they were"),
        }
    }
}
