use crate::progress::Progress;
use crate::release::{Meta, Records, Status};
use crate::session::{Session, What};
use crate::steps;
use crate::stop::{Done, Step, Stop};
use async_trait::async_trait;
use serde_json::json;
use std::sync::Arc;
use windlass_cluster::{Apply, Cluster, ClusterError, Clusters, FenceError, Held, Holder, LeaseError, Lock};
use windlass_model::Millis;
use windlass_model::failure::{Failure, FailureType};
use windlass_model::task::kubernetes::{KubernetesStep, KubernetesWork};
use windlass_model::task::{Outcome, Task, Work};
use windlass_render::Renderer;
use windlass_task::{Handler, TaskContext};

/// Does every step on a Kubernetes cluster.
#[derive(Debug)]
pub struct KubernetesHandler {
    clusters: Arc<Clusters>,
    renderer: Renderer,
}

/// How long a stopped step may take to close its record and give its lock back (kubernetes-deploy §4.4: ten seconds).
const LAST_WORDS: Millis = Millis::from_secs(8);

/// How the work of a step came to its end.
enum Ended {
    Step(Step<Done>),
    Lost(FenceError),
    Cancelled,
    Late,
}

impl KubernetesHandler {
    pub fn new(clusters: Arc<Clusters>, renderer: Renderer) -> Self {
        Self { clusters, renderer }
    }

    async fn prepare<'a>(
        &'a self,
        cx: &'a TaskContext,
        task: &'a Task,
        work: &'a KubernetesWork,
        progress: &'a Progress,
    ) -> Step<(Session<'a>, Option<Held>)> {
        progress.doing(format!("connecting to {}", work.target.connector));
        let cluster = self.clusters.get(&work.target.connector, &work.target.access).await?;
        let session = Session::open(cx, task, work, &self.renderer, progress, cluster).await?;
        if !work.step.changes_cluster() {
            return Ok((session, None));
        }
        let held = lock(&session).await?;
        let own = cx.clone();
        held.fence().only_while(move || own.holds());
        let session = session.behind(held.fence()).await?;
        Ok((session, Some(held)))
    }

    async fn work(&self, cx: &TaskContext, task: &Task, work: &KubernetesWork, progress: &Progress) -> Outcome {
        let stop = async {
            tokio::select! {
                biased;
                () = cx.cancelled().cancelled() => Ended::Cancelled,
                () = cx.clock().sleep_until(task.deadline) => Ended::Late,
            }
        };
        tokio::pin!(stop);
        let prepared = tokio::select! {
            biased;
            ended = &mut stop => return self.outcome(cx, task, ended, progress),
            prepared = self.prepare(cx, task, work, progress) => prepared,
        };
        let (session, held) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return self.outcome(cx, task, Ended::Step(Err(error)), progress),
        };
        let kept = async {
            match &held {
                Some(held) => held.keep().await,
                None => std::future::pending().await,
            }
        };
        let mut step = Box::pin(steps::run(&session));
        let ended = tokio::select! {
            biased;
            ended = &mut stop => ended,
            done = &mut step => Ended::Step(done),
            why = kept => Ended::Lost(why),
        };
        let records = session.records.clone();
        let closing = async {
            if let (Some(held), false) = (&held, matches!(ended, Ended::Step(_))) {
                held.fence().halt(&mut step).await;
            }
            if let (Some(meta), false) = (progress.open_record(), matches!(ended, Ended::Lost(_))) {
                close_record(&records, meta, &ended, cx).await;
            }
            if let Some(held) = held {
                held.release().await;
            }
        };
        // What does not end in time is left to whoever takes the lock when it expires: what is under way then has arrived.
        let _ = cx.clock().real().timeout(LAST_WORDS, closing).await;
        self.outcome(cx, task, ended, progress)
    }

    fn outcome(&self, cx: &TaskContext, task: &Task, ended: Ended, progress: &Progress) -> Outcome {
        let done = json!({"done": progress.summary()});
        let outcome = match ended {
            Ended::Step(Ok(Done::Succeeded(output))) => return Outcome::Succeeded { output },
            Ended::Step(Ok(Done::Skipped(reason, output))) => {
                cx.log().info(format!("Skipped: {reason}"));
                return Outcome::Skipped { reason, output };
            }
            Ended::Step(Err(stop)) => {
                let stop = stop.with(done);
                Outcome::Failed { failure: stop.failure, output: stop.output }
            }
            Ended::Lost(why) => {
                let failure = Failure::new(FailureType::DelegateRestart, format!("the step stopped: {why}"));
                Outcome::Failed { failure, output: done }
            }
            Ended::Cancelled => {
                let done = progress.summary();
                cx.log().warn(format!("Stopped while {}; done so far: {done}", progress.current()));
                return Outcome::Aborted { done };
            }
            Ended::Late => {
                let message = format!("the step's time was up ({}) while {}", task.deadline, progress.current());
                let failure = Failure::new(FailureType::Timeout, message)
                    .hint("this is the step's `timeout`, not the workload's progressDeadlineSeconds: raise it when the workload needs longer");
                Outcome::Failed { failure, output: done }
            }
        };
        if let Outcome::Failed { failure, .. } = &outcome {
            cx.log().error(&failure.message);
            for hint in &failure.hints {
                cx.log().info(format!("Hint: {hint}"));
            }
        }
        outcome
    }
}

#[async_trait]
impl Handler for KubernetesHandler {
    fn types(&self) -> &'static [&'static str] {
        &["kubernetes"]
    }

    async fn run(&self, cx: &TaskContext, task: &Task) -> Outcome {
        let Work::Kubernetes(work) = &task.work else {
            let message = format!("a `{}` task is no Kubernetes step", task.work.type_name());
            return Outcome::Failed {
                failure: Failure::new(FailureType::ConfigurationFailure, message),
                output: serde_json::Value::Null,
            };
        };
        let progress = Progress::default();
        self.work(cx, task, work, &progress).await
    }
}

async fn close_record(records: &Records, mut meta: Meta, ended: &Ended, cx: &TaskContext) {
    meta.reason = Some(match ended {
        Ended::Step(Err(stop)) => stop.failure.message.clone(),
        Ended::Late => "the step's time was up".to_owned(),
        _ => "the step was stopped".to_owned(),
    });
    meta.finished_at = Some(cx.clock().now().to_string());
    if let Err(error) = records.set_status(&meta, Status::Failed).await {
        cx.log().warn(format!("release {} stays marked as in progress: {error}", meta.number));
    }
}

/// Takes the lock of the release. Others may be at work: whoever waits says for whom.
async fn lock(session: &Session<'_>) -> Step<Held> {
    let target = &session.work.target;
    let lock = Lock { namespace: target.namespace.clone(), name: format!("windlass.lock.{}", target.release) };
    let origin = &session.task.origin;
    let holder = Holder { run: origin.run.to_string(), task: session.task_id(), attempt: session.task.attempt };
    let waiting = |by: &str| {
        session.log().info(format!("Release {} is being changed by {by}: waiting", target.release));
        session.progress.doing(format!("waiting for {by}, which changes release {}", target.release));
    };
    match session.cluster.lock(&lock, &holder, waiting).await {
        Ok(held) => {
            if let Some(by) = &held.taken_from {
                session.log().warn(format!("{by} held the lock of the release and is gone: taken over"));
            }
            Ok(held)
        }
        Err(LeaseError::Cluster(error)) if error.is_not_found() => {
            if !brings_namespace(session).await? {
                return Err(no_namespace(&session.cluster, &target.namespace, &error));
            }
            Ok(session.cluster.lock(&lock, &holder, waiting).await?)
        }
        Err(error) => Err(error.into()),
    }
}

/// Makes the namespace of the release when it is part of what the step deploys: the lock has to live somewhere.
async fn brings_namespace(session: &Session<'_>) -> Step<bool> {
    let renders = matches!(
        session.work.step,
        KubernetesStep::K8sRollingDeploy(_)
            | KubernetesStep::K8sCanaryDeploy(_)
            | KubernetesStep::K8sBlueGreenDeploy(_)
    );
    if !renders {
        return Ok(false);
    }
    let name = session.namespace();
    let set = session.render(What::default()).await?;
    let Some(namespace) = set.objects.iter().find(|object| object.is("", "Namespace") && object.name() == name) else {
        return Ok(false);
    };
    let address = session.cluster.address(&namespace.gvk(), None, name).await?;
    session.cluster.apply(&address, namespace.json(), &Apply::default()).await?;
    session.log().info(format!("created {address}, which the manifests bring"));
    session.progress.did(format!("created {address}"));
    Ok(true)
}

fn no_namespace(cluster: &Cluster, namespace: &str, error: &ClusterError) -> Box<Stop> {
    let message =
        format!("{}: the namespace `{namespace}` of the infrastructure is not there ({error})", cluster.name());
    Stop::configuration(message).hint(format!("create it: kubectl create namespace {namespace}"))
}
