//! Waiting until workloads are steady, with the reason while they are not (kubernetes-deploy §2.3).
//!
//! Events only wake; what counts is read again each time, and at least every five seconds. A verdict must hold for two looks in a
//! row.

mod explain;
mod look;

use crate::release::Workload;
use crate::session::Session;
use crate::stop::Step;
use look::Look;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;
use windlass_cluster::{Address, Changes, Json, Query, Watched};
use windlass_manifest::Gvk;
use windlass_manifest::health::{self, JsonSelect, Settings, Verdict};
use windlass_model::Millis;
use windlass_model::task::Note;
use windlass_model::task::kubernetes::DeploySettings;

/// What a wait has found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steady {
    /// The pods of the newest revisions, as outputs tell them.
    pub instances: Json,
    pub workloads: Vec<Workload>,
    /// Jobs that were waited for: `{name, succeeded, failed, durationSeconds}`.
    pub jobs: Vec<Json>,
}

const LOOK_AGAIN: Millis = Millis::from_secs(5);
/// The second look, when the first one is content.
const CONFIRM: Millis = Millis::from_secs(1);
/// Changes come in swarms.
const GATHER: Millis = Millis(200);
const EACH: Millis = Millis(20);

/// Waits until every object is steady.
///
/// # Errors
/// When one of them will not become steady by waiting, with pod, reason, log and events.
pub(crate) async fn steady(session: &Session<'_>, targets: &[Address]) -> Step<Steady> {
    session.log().section("Wait for Steady State");
    if targets.is_empty() {
        session.log().info("nothing to wait for");
        return Ok(Steady { instances: json!([]), ..Steady::default() });
    }
    let settings = settings(&session.work.settings);
    let mut changes = session.cluster.changes(watched(session, targets).await?);
    let mut waiting: Vec<Waiting> = targets.iter().map(Waiting::new).collect();
    loop {
        for one in waiting.iter_mut().filter(|one| !one.is_steady()) {
            one.look(session, &settings).await?;
        }
        let ready = waiting.iter().filter(|one| one.is_steady()).count();
        session.cx.note(note(&waiting, ready));
        if ready == waiting.len() {
            break;
        }
        let reasons: Vec<String> = waiting.iter().filter(|one| !one.is_steady()).map(|one| one.told.clone()).collect();
        session.progress.doing(format!("waiting: {}", reasons.join("; ")));
        let soon = waiting.iter().any(|one| one.is_near() && !one.is_steady());
        pause(session, &mut changes, if soon { CONFIRM } else { LOOK_AGAIN }, waiting.len() - ready).await;
    }
    let looks: Vec<Look> = waiting.into_iter().filter_map(|one| one.last).collect();
    let pods: Vec<&Json> = looks.iter().flat_map(Look::new_pods).collect();
    Ok(Steady {
        instances: health::instances(&pods),
        workloads: looks.iter().filter_map(Look::workload).collect(),
        jobs: looks.iter().filter_map(Look::job).collect(),
    })
}

/// `2 of 3 pods are ready`, or how many workloads are steady where there are no pods to count.
fn note(waiting: &[Waiting], steady: usize) -> Note {
    let pods = waiting.iter().filter_map(|one| one.last.as_ref()?.pods_ready());
    let (ready, wanted) = pods.fold((0, 0), |(ready, wanted), pods| (ready + pods.0.min(pods.1), wanted + pods.1));
    if wanted > 0 && steady < waiting.len() {
        return Note::measured(format!("{ready} of {wanted} pods are ready"), ready, wanted);
    }
    let text = format!("{steady} of {} workloads are steady", waiting.len());
    Note::measured(text, steady as u64, waiting.len() as u64)
}

async fn pause(session: &Session<'_>, changes: &mut Changes, longest: Millis, waiting: usize) {
    // Nothing came: look again anyway.
    if session.clock().timeout(longest, changes.next()).await.is_ok() {
        // Many workloads are looked at less often: the API server has others to serve.
        let many = u64::try_from(waiting).unwrap_or(u64::MAX).saturating_mul(EACH.0);
        session.pause(Millis(GATHER.0.saturating_add(many).min(LOOK_AGAIN.0))).await;
        while session.clock().timeout(Millis(1), changes.next()).await.is_ok() {}
    }
}

/// The collections that tell of changes: those of the objects, and pods.
async fn watched(session: &Session<'_>, targets: &[Address]) -> Step<Vec<Watched>> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for target in targets {
        let pods = session.cluster.address(&Gvk::new("", "v1", "Pod"), target.namespace.as_deref(), "").await?;
        for of in [target.named(""), pods] {
            if seen.insert((of.gvk.clone(), of.namespace.clone())) {
                out.push(Watched { of, query: Query::default() });
            }
        }
    }
    Ok(out)
}

pub(crate) fn settings(own: &DeploySettings) -> Settings {
    Settings {
        container_grace: Duration::from_secs(own.image_pull_grace_seconds.into()),
        crash_restarts: own.crash_restarts,
        unschedulable: Duration::from_secs(own.unschedulable_seconds.into()),
        ..Settings::default()
    }
}

/// One object that is waited for.
struct Waiting {
    address: Address,
    /// What was said last.
    told: String,
    /// Looks in a row that found it steady, or beyond hope.
    steady: u32,
    hopeless: u32,
    last: Option<Look>,
}

impl Waiting {
    fn new(address: &Address) -> Self {
        Self { address: address.clone(), told: address.to_string(), steady: 0, hopeless: 0, last: None }
    }

    fn is_steady(&self) -> bool {
        self.steady >= 2
    }

    /// Whether the next look decides.
    fn is_near(&self) -> bool {
        self.steady + self.hopeless > 0
    }

    async fn look(&mut self, session: &Session<'_>, settings: &Settings) -> Step<()> {
        let look = Look::take(session, &self.address, self.hopeless > 0).await?;
        let verdict = match (&look.object, self.last.as_ref().and_then(|last| last.object.as_ref())) {
            (Some(object), _) => {
                health::assess(object, &look.related(), settings, &JsonSelect, session.cluster.now().to_jiff())
            }
            (None, Some(seen)) if self.address.gvk.kind == "Job" => health::vanished(seen),
            (None, _) => Verdict::failed(health::Cause::Gone, format!("{} is not there any more", self.address)),
        };
        let text = verdict.to_string();
        if text != self.told {
            match &verdict {
                Verdict::Ready { .. } => session.log().info(format!("{}: {text}", self.address)),
                Verdict::Suspended { .. } => session.log().warn(&text),
                _ => session.log().info(&text),
            }
            self.told = text;
        }
        let (steady, hopeless) = (self.steady + 1, self.hopeless + 1);
        (self.steady, self.hopeless) = (0, 0);
        match verdict {
            Verdict::Progressing { .. } => {}
            Verdict::Ready { .. } | Verdict::Suspended { .. } => self.steady = steady,
            Verdict::Failed(failed) if hopeless >= 2 => {
                return Err(explain::stop(session, &self.address, *failed).await);
            }
            Verdict::Failed(_) => self.hopeless = hopeless,
        }
        // A job that vanished is still known by what was seen last.
        if look.object.is_some() || self.last.is_none() {
            self.last = Some(look);
        }
        Ok(())
    }
}
