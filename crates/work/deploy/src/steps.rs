//! One file for each step (kubernetes-deploy §2).

mod apply;
mod blue_green;
mod canary;
mod canary_delete;
mod delete;
mod diff;
mod dry_run;
mod progressive;
mod rollback;
mod rolling;
mod rollout;
mod scale;
mod scale_down;
mod steady_state;
mod swap;

use crate::session::Session;
use crate::stop::{Done, Step};
use windlass_model::task::kubernetes::KubernetesStep;

pub(crate) async fn run(session: &Session<'_>) -> Step<Done> {
    match &session.work.step {
        KubernetesStep::K8sApply(spec) => apply::run(session, spec).await,
        KubernetesStep::K8sRollingDeploy(spec) => rolling::run(session, spec).await,
        KubernetesStep::K8sRollingRollback(spec) => rollback::run(session, spec).await,
        KubernetesStep::K8sCanaryDeploy(spec) if spec.is_progressive() => progressive::run(session, spec).await,
        KubernetesStep::K8sCanaryDeploy(spec) => canary::run(session, spec).await,
        KubernetesStep::K8sProgressiveCanaryRollback(_) => progressive::rollback(session).await,
        KubernetesStep::K8sCanaryDelete(_) => canary_delete::run(session).await,
        KubernetesStep::K8sBlueGreenDeploy(spec) => blue_green::run(session, spec).await,
        KubernetesStep::K8sBGSwapServices(_) => swap::run(session).await,
        KubernetesStep::K8sBlueGreenStageScaleDown(_) => scale_down::run(session).await,
        KubernetesStep::K8sScale(spec) => scale::run(session, spec).await,
        KubernetesStep::K8sDelete(spec) => delete::run(session, spec).await,
        KubernetesStep::K8sDryRun(spec) => dry_run::run(session, spec).await,
        KubernetesStep::K8sDiff(_) => diff::run(session).await,
        KubernetesStep::K8sRollout(spec) => rollout::run(session, spec).await,
        KubernetesStep::SteadyStateCheck(_) => steady_state::run(session).await,
    }
}
