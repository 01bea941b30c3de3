//! The cluster that a verification looks at.

use super::pod::label;
use super::progress::Progress;
use super::scrape::{Target, targets};
use super::sides::{Survey, survey};
use futures::future::join_all;
use windlass_cluster::{Address, Cluster, ClusterError, Clusters, Query};
use windlass_manifest::Gvk;
use windlass_model::task::ClusterTarget;
use windlass_model::task::verify::VerifyWork;
use windlass_model::{Failure, Json, Timestamp};
use windlass_task::TaskContext;

const RELEASE: &str = "harness.io/release-name";

/// One release in one cluster.
#[derive(Debug)]
pub(super) struct Scene {
    cluster: Cluster,
    pods: Address,
    /// Where pods are measured, if anywhere.
    usage: Option<Address>,
    release: String,
    /// The last trouble that was told: the same is not told again.
    told: String,
}

impl Scene {
    pub(super) async fn open(clusters: &Clusters, target: &ClusterTarget) -> Result<Self, Failure> {
        let cluster = clusters.get(&target.connector, &target.access).await.map_err(|error| error.to_failure())?;
        let pods = cluster.address(&Gvk::new("", "v1", "Pod"), Some(&target.namespace), "").await;
        let pods = pods.map_err(|error| error.to_failure())?;
        let measured = cluster.discovery().await.ok();
        let measured = measured.as_ref().and_then(|found| found.preferred("metrics.k8s.io", "PodMetrics"));
        let usage = measured.map(|kind| Address::new(kind, Some(&target.namespace), ""));
        Ok(Self { cluster, pods, usage, release: target.release.clone(), told: String::new() })
    }

    /// What time it is where the pods are: what they say of themselves is compared with it.
    pub(super) fn now(&self) -> Timestamp {
        self.cluster.now()
    }

    /// The pods of the release.
    pub(super) async fn pods(&self) -> Result<Vec<Json>, ClusterError> {
        let pods = self.cluster.list(&self.pods, &self.query()).await?.items;
        Ok(pods.into_iter().filter(|pod| label(pod, RELEASE) == self.release).collect())
    }

    fn query(&self) -> Query {
        Query::labels(format!("{RELEASE}={}", self.release))
    }

    /// Takes another look at everything. A look that fails is a gap in the values and nothing more.
    pub(super) async fn look(&mut self, cx: &TaskContext, work: &VerifyWork, progress: &mut Progress) {
        let pods = match self.pods().await {
            Ok(pods) => pods,
            Err(error) => return self.tell(cx, &error),
        };
        let found = survey(&pods, work.kind);
        progress.watch.pods(&pods, &found, self.now());
        match self.cluster.events(self.pods.namespace.as_deref().unwrap_or_default(), "type=Warning").await {
            Ok(events) => progress.watch.events(&events, &pods, progress.begin),
            Err(error) if is_forbidden(&error) => progress.watch.without_events(format!("forbidden: {error}")),
            Err(error) => self.tell(cx, &error),
        }
        // A monitoring system knows better.
        if work.health_sources.is_empty() {
            self.scrapes(cx, &pods, &found, progress).await;
            self.measure(cx, &found, progress).await;
        }
    }

    async fn measure(&mut self, cx: &TaskContext, found: &Survey, progress: &mut Progress) {
        let Some(usage) = self.usage.as_ref().filter(|_| !progress.usage.is_refused()) else { return };
        match self.cluster.list(usage, &self.query()).await {
            Ok(list) => progress.usage.take(&list.items, found, self.now()),
            Err(error) if is_forbidden(&error) => progress.usage.refuse(format!("forbidden: {error}")),
            Err(error) => self.tell(cx, &error),
        }
    }

    async fn scrapes(&mut self, cx: &TaskContext, pods: &[Json], found: &Survey, progress: &mut Progress) {
        if progress.scrapes.is_refused() {
            return;
        }
        let answers = targets(pods, found).into_iter().map(|target| async {
            let answer = self.scrape(&target).await;
            (target, answer)
        });
        for (target, answer) in join_all(answers).await {
            match answer {
                Ok(text) => {
                    let Some(side) = found.sides.get(&target.pod) else { continue };
                    progress.scrapes.take(&target.pod, *side, &text, self.now());
                }
                Err(error) if is_forbidden(&error) => progress.scrapes.refuse(format!("forbidden: {error}")),
                Err(error) => self.tell(cx, &error),
            }
        }
    }

    async fn scrape(&self, target: &Target) -> Result<String, ClusterError> {
        let namespace = self.pods.namespace.as_deref().unwrap_or_default();
        self.cluster.pod_text(namespace, &target.pod, target.port, &target.path).await
    }

    fn tell(&mut self, cx: &TaskContext, error: &ClusterError) {
        let text = error.to_failure().message;
        if text != self.told {
            cx.log().warn(format!("a look at the cluster failed: {text}"));
            self.told = text;
        }
    }
}

fn is_forbidden(error: &ClusterError) -> bool {
    error.refusal().is_some_and(|refusal| refusal.status == 403)
}
