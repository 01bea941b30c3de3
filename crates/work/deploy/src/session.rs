//! What every step works with: its task, the cluster, the records of the release, and its words for people.

mod checkpoint;
mod record;
mod render;

pub(crate) use checkpoint::{Checkpoint, Phase};
pub(crate) use record::New;
pub(crate) use render::What;

use crate::progress::Progress;
use crate::release::Records;
use crate::stop::{Step, Stop};
use std::sync::{Mutex, PoisonError};
use windlass_clock::Clock;
use windlass_cluster::{Cluster, Discovery, Fence};
use windlass_diagnostic::{Diagnostics, Severity};
use windlass_manifest::stamp::Release;
use windlass_model::task::Task;
use windlass_model::task::kubernetes::KubernetesWork;
use windlass_model::{Millis, Timestamp};
use windlass_render::Renderer;
use windlass_task::{Log, TaskContext};

pub(crate) struct Session<'a> {
    pub cx: &'a TaskContext,
    pub task: &'a Task,
    pub work: &'a KubernetesWork,
    pub progress: &'a Progress,
    renderer: &'a Renderer,
    /// Behind the fence of the lock once there is one.
    pub cluster: Cluster,
    pub records: Records,
    checkpoint: Mutex<Checkpoint>,
}

impl<'a> Session<'a> {
    pub(crate) async fn open(
        cx: &'a TaskContext,
        task: &'a Task,
        work: &'a KubernetesWork,
        renderer: &'a Renderer,
        progress: &'a Progress,
        cluster: Cluster,
    ) -> Step<Self> {
        check_release(&work.target.release)?;
        let records = Records::open(&cluster, &work.target.namespace, &work.target.release).await?;
        let checkpoint = cx.restore::<Checkpoint>(task.checkpoint.as_ref()).unwrap_or_default();
        if checkpoint != Checkpoint::default() {
            cx.log().info(format!("Attempt {} goes on where another one stopped", task.attempt));
        }
        Ok(Self { cx, task, work, progress, renderer, cluster, records, checkpoint: Mutex::new(checkpoint) })
    }

    /// From now on writes stop when the lock is lost.
    pub(crate) async fn behind(mut self, fence: Fence) -> Step<Self> {
        self.cluster = self.cluster.fenced(fence);
        self.records = Records::open(&self.cluster, &self.work.target.namespace, &self.work.target.release).await?;
        Ok(self)
    }

    pub(crate) fn log(&self) -> Log<'_> {
        self.cx.log()
    }

    /// Writes what was noticed about the manifests.
    pub(crate) fn tell(&self, diagnostics: &Diagnostics) {
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Info => self.log().info(diagnostic.to_string()),
                _ => self.log().warn(diagnostic.to_string()),
            }
        }
    }

    pub(crate) fn clock(&self) -> &Clock {
        self.cx.clock()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.cx.clock().now()
    }

    /// Waits for a length of the cluster's time.
    pub(crate) async fn pause(&self, length: Millis) {
        self.clock().sleep(length).await;
    }

    pub(crate) fn namespace(&self) -> &str {
        &self.work.target.namespace
    }

    pub(crate) fn task_id(&self) -> String {
        self.task.id.to_string()
    }

    pub(crate) async fn discovery(&self) -> Step<std::sync::Arc<Discovery>> {
        Ok(self.cluster.discovery().await?)
    }

    /// How objects of this release are marked.
    pub(crate) fn release(&self, number: u64) -> Release {
        Release {
            name: self.work.target.release.clone(),
            number,
            execution: self.task.origin.run.to_string(),
            service: self.work.target.service.clone(),
            environment: self.work.target.environment.clone(),
        }
    }

    pub(crate) fn checkpoint(&self) -> Checkpoint {
        self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Remembers how far this is, for another worker.
    pub(crate) fn remember(&self, change: impl FnOnce(&mut Checkpoint)) {
        let checkpoint = {
            let mut checkpoint = self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
            change(&mut checkpoint);
            checkpoint.clone()
        };
        self.cx.checkpoint(&checkpoint);
    }

    pub(crate) fn reached(&self, phase: Phase) {
        self.remember(|checkpoint| checkpoint.phase = Some(phase));
    }

    pub(crate) fn has_reached(&self, phase: Phase) -> bool {
        self.checkpoint().phase.is_some_and(|reached| reached >= phase)
    }
}

/// The name of a release names objects of the cluster (kubernetes-deploy §1.1).
fn check_release(release: &str) -> Step<()> {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    let ends_well = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let fits = release.chars().all(is_name)
        && ends_well(release.chars().next())
        && ends_well(release.chars().last())
        && release.len() <= 200;
    if fits {
        return Ok(());
    }
    Err(Stop::configuration(format!("the release name `{release}` cannot name objects of a cluster"))
        .hint("use lower-case letters, digits, `-` and `.`, at most 200, beginning and ending with a letter or digit"))
}

#[cfg(test)]
mod tests {
    use super::check_release;

    #[test]
    fn a_release_names_objects() {
        for good in ["release-1a2b3c", "shop", "shop.prod", "1"] {
            assert!(check_release(good).is_ok(), "{good}");
        }
        for bad in ["", "Shop", "-a", "a-", "a/b", "a_b", &"r".repeat(201)] {
            assert!(check_release(bad).is_err(), "{bad}");
        }
    }
}
