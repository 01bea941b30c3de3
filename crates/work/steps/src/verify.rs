//! Whether what was deployed is as good as what was there before (kubernetes-deploy §3).
//!
//! Here values are collected; whether they are worse is decided by `windlass-analysis` alone. Health sources are asked for
//! whole stretches of time at every look, so a gap in the connection costs nothing. What the cluster says is only known while
//! somebody looks: counts are taken every few seconds and are part of the checkpoint, with which a twin of this delegate goes
//! on where this one stopped. All times are business time.
//!
//! Every minute there is an interim look, which can only end the verification early; the verdict is that of the last one.

mod exposition;
mod pod;
mod progress;
mod prometheus;
mod scene;
mod scrape;
mod sides;
mod sources;
mod stored;
mod usage;
mod verdict;
mod watch;

use crate::answer::{aborted, failed, misdirected};
use async_trait::async_trait;
use progress::Progress;
use scene::Scene;
use sides::{Side, survey};
use sources::{Pods, Sources};
use std::sync::Arc;
use stored::{Stored, without_control};
use windlass_analysis::control::{Comparison, Control};
use windlass_analysis::{Evaluation, Look, Observed, OnNoData, Report, Sensitivity, Settings, Verdict, evaluate};
use windlass_cluster::Clusters;
use windlass_http::Client;
use windlass_model::task::verify::VerifyWork;
use windlass_model::task::{Outcome, Task, Work};
use windlass_model::{Failure, Millis, Timestamp};
use windlass_task::{Handler, TaskContext};

/// How often there is a verdict.
const LOOK: Millis = Millis::from_secs(60);

/// Runs tasks of the type `verify`.
#[derive(Clone, Debug)]
pub struct VerifyHandler {
    clusters: Arc<Clusters>,
    client: Client,
}

impl VerifyHandler {
    /// `client` asks monitoring systems.
    pub fn new(clusters: Arc<Clusters>, client: Client) -> Self {
        Self { clusters, client }
    }

    async fn perform(&self, cx: &TaskContext, task: &Task, work: &VerifyWork) -> Result<Outcome, Failure> {
        let sources = Sources { client: &self.client, clock: cx.clock(), work };
        let stored = Stored::read(work.baseline.as_ref());
        let mut scene = Scene::open(&self.clusters, &work.target).await?;
        let mut progress = match cx.restore(task.checkpoint.as_ref()) {
            Some(progress) => resume(cx, &scene, progress),
            None => {
                sources.check(cx.clock().now()).await?;
                match begin(cx, &scene, work, stored.is_some()).await? {
                    Some(progress) => progress,
                    None => return Ok(verdict::nothing(work)),
                }
            }
        };
        cx.clock().sleep(progress.begin.since(scene.now())).await;
        let tick = Millis(work.duration.0 / 40).max(Millis::from_secs(15)).min(LOOK);
        let mut next_look = scene.now() + LOOK;
        loop {
            scene.look(cx, work, &mut progress).await;
            let now = scene.now();
            let look = if now >= progress.end { Look::Final } else { Look::Interim };
            if look == Look::Final || now >= next_look {
                let judge = Judge { sources: &sources, stored: stored.as_ref(), work };
                let (report, observed) = judge.look(&progress, look, now).await;
                if matches!(report.verdict, Verdict::Fail) || look == Look::Final {
                    tell(cx, &report);
                    return Ok(verdict::outcome(&report, &observed, work, (progress.begin, now)));
                }
                cx.note(progress.note(now, &verdict::note(&report)));
                progress.previous = (work.sensitivity == Sensitivity::Low).then_some(report);
                cx.checkpoint(&progress);
                next_look = now + LOOK;
            }
            let next = (now + tick).min(next_look).min(progress.end);
            cx.clock().sleep(next.since(scene.now())).await;
        }
    }
}

#[async_trait]
impl Handler for VerifyHandler {
    fn types(&self) -> &'static [&'static str] {
        &["verify"]
    }

    async fn run(&self, cx: &TaskContext, task: &Task) -> Outcome {
        let Work::Verify(work) = &task.work else { return misdirected("verify", task) };
        tokio::select! {
            outcome = self.perform(cx, task, work) => outcome.unwrap_or_else(failed),
            () = cx.cancelled().cancelled() => aborted("the verification was given up; it changes nothing"),
        }
    }
}

/// Finds the two sides and says so. Nothing when there is nothing that could be measured.
async fn begin(cx: &TaskContext, scene: &Scene, work: &VerifyWork, stored: bool) -> Result<Option<Progress>, Failure> {
    let found = survey(&scene.pods().await.map_err(|error| error.to_failure())?, work.kind);
    let now = scene.now();
    let progress = Progress::new(work, &found, stored, now);
    let log = cx.log();
    log.section("Verify");
    let (test, control) = (found.count(Side::Test), found.count(Side::Control));
    if test == 0 && work.health_sources.is_empty() {
        return Ok(None);
    }
    log.info(format!("release {}: {test} pods to verify, {control} others", work.target.release));
    log.info(format!("compared with: {}", progress.comparison(now).reason));
    log.info(format!("from {} to {}, {:?} sensitivity", progress.begin, progress.end, work.sensitivity));
    if test == 0 {
        log.warn("no pod of the release runs: only what health sources say of the whole can be verified");
    }
    cx.note(progress.note(now, "no metric is worse so far"));
    cx.checkpoint(&progress);
    Ok(Some(progress))
}

fn resume(cx: &TaskContext, scene: &Scene, progress: Progress) -> Progress {
    cx.log().section("Verify");
    let now = scene.now();
    cx.log().info(format!("another delegate had verified for {}; going on until {}", progress.told(now), progress.end));
    progress
}

fn tell(cx: &TaskContext, report: &Report) {
    let log = cx.log();
    log.section("Verdict");
    let text = report.to_string();
    match report.verdict {
        Verdict::Pass | Verdict::Skipped => log.info(text),
        Verdict::Warn | Verdict::Inconclusive | Verdict::Continue => log.warn(text),
        Verdict::Fail => log.error(text),
    }
}

/// What a look needs besides the progress.
struct Judge<'a> {
    sources: &'a Sources<'a>,
    stored: Option<&'a Stored>,
    work: &'a VerifyWork,
}

impl Judge<'_> {
    async fn look(&self, progress: &Progress, look: Look, now: Timestamp) -> (Report, Vec<Observed>) {
        let comparison = progress.comparison(now);
        let configured = self.sources.names();
        let pods = Pods::seen(&progress.watch);
        let mut observed = self.sources.observed(progress, &comparison, &pods).await;
        observed.extend(self.of_the_cluster(progress, &comparison));
        if let (Control::Stored, Some(stored)) = (comparison.control, self.stored) {
            observed = stored.against(observed);
        }
        scrape::judge_only_compared(&mut observed);
        let settings = Settings {
            sensitivity: self.work.sensitivity,
            // A health source that is silent is another matter, see `of_health_sources`.
            on_no_data: Some(if self.work.fail_on_no_analysis { OnNoData::Fail } else { OnNoData::Warn }),
            on_inconclusive: self.work.on_inconclusive,
            health_sources: !configured.is_empty(),
            ..Settings::default()
        };
        let evaluation = Evaluation {
            settings: &settings,
            look,
            comparison: &comparison,
            metrics: &observed,
            logs: None,
            previous: progress.previous.as_ref(),
        };
        let report = evaluate(&evaluation);
        let report = match look {
            Look::Final => verdict::of_health_sources(report, &configured, self.work),
            Look::Interim => report,
        };
        (report, observed)
    }

    fn of_the_cluster(&self, progress: &Progress, comparison: &Comparison) -> Vec<Observed> {
        let mut observed = progress.watch.observed();
        observed.extend(progress.scrapes.observed(|pod| progress.watch.ready_at(pod)));
        observed.extend(progress.usage.observed(|pod| progress.watch.ready_at(pod)));
        if !matches!(comparison.control, Control::StablePods | Control::BaselinePods) {
            observed.iter_mut().for_each(|one| without_control(&mut one.data));
        }
        observed
    }
}
