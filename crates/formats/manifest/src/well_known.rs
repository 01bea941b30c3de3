//! Annotations, labels and kinds by which people and we speak to each other (kubernetes-deploy §1.9, §1.10).

/// No version suffix for this ConfigMap or Secret.
pub const SKIP_VERSIONING: &str = "harness.io/skip-versioning";
/// Applied, and neither waited for nor rolled back nor counted as a managed workload.
pub const DIRECT_APPLY: &str = "harness.io/direct-apply";
/// The Service that has the traffic in blue/green.
pub const PRIMARY_SERVICE: &str = "harness.io/primary-service";
/// The Service of the new color in blue/green.
pub const STAGE_SERVICE: &str = "harness.io/stage-service";
/// Never pruned, also after it left the manifests.
pub const SKIP_PRUNING: &str = "harness.io/skipPruning";
/// A custom kind that is a managed workload.
pub const MANAGED_WORKLOAD: &str = "harness.io/managed-workload";
/// An expression over the live object: ready when true.
pub const STEADY_STATE: &str = "harness.io/steadyStateCondition";
/// An expression over the live object: failed when true.
pub const FAILURE: &str = "harness.io/failureCondition";
/// As [`STEADY_STATE`], in CEL.
pub const READY_WHEN: &str = "windlass.io/ready-when";
/// As [`FAILURE`], in CEL.
pub const FAILED_WHEN: &str = "windlass.io/failed-when";
/// `true`: a Service of type LoadBalancer is ready when it has an address.
pub const WAIT_FOR_LOAD_BALANCER: &str = "windlass.io/wait-lb";
/// `true`: a pod that shall end counts as ready when it runs.
pub const RUNNING_IS_READY: &str = "windlass.io/running-is-ready";
/// `recreate`: an immutable field is changed by deleting and creating the object.
pub const ON_IMMUTABLE: &str = "windlass.io/on-immutable";
/// On pod templates: changes when a ConfigMap or Secret that they use does.
pub const CONFIG_HASH: &str = "windlass.io/config-hash";

/// On pod templates: the release they belong to.
pub const RELEASE_NAME: &str = "harness.io/release-name";
/// `canary` or `stable`.
pub const TRACK: &str = "harness.io/track";
/// `blue` or `green`.
pub const COLOR: &str = "harness.io/color";

/// Which of two workloads that share their pods: `v5` (progressive canary).
pub const VERSION: &str = "windlass.io/version";

/// On every object we apply.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// The value of [`MANAGED_BY`], and our field manager.
pub const WINDLASS: &str = "windlass";
pub const RELEASE: &str = "windlass.io/release";
pub const RELEASE_NUMBER: &str = "windlass.io/release-number";
pub const EXECUTION: &str = "windlass.io/execution";
pub const SERVICE: &str = "windlass.io/service";
pub const ENVIRONMENT: &str = "windlass.io/env";

/// The group of OpenShift's DeploymentConfig.
pub const OPENSHIFT_APPS: &str = "apps.openshift.io";
