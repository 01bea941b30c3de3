//! The statuses of pods and nodes in their stages, as templates of kwok.

macro_rules! conditions {
    ($status:literal, $reason:literal) => {
        concat!(
            "conditions:\n",
            "- {type: PodReadyToStartContainers, status: \"True\", lastTransitionTime: {{ Now | Quote }}}\n",
            "- {type: Initialized, status: \"True\", lastTransitionTime: {{ Now | Quote }}}\n",
            "- {type: Ready, status: \"",
            $status,
            "\", ",
            $reason,
            "lastTransitionTime: {{ Now | Quote }}}\n",
            "- {type: ContainersReady, status: \"",
            $status,
            "\", ",
            $reason,
            "lastTransitionTime: {{ Now | Quote }}}\n",
        )
    };
}

macro_rules! waiting {
    ($($more:tt)*) => {
        concat!(
            "{{ $root := . }}\n",
            conditions!("False", "reason: ContainersNotReady, "),
            "containerStatuses:\n",
            "{{ range $i, $c := .spec.containers }}\n",
            "- name: {{ $c.name | Quote }}\n",
            "  image: {{ $c.image | Quote }}\n",
            "  imageID: \"\"\n",
            "  ready: false\n",
            "  started: false\n",
            $($more)*,
            "{{ end }}\n",
        )
    };
}

macro_rules! running {
    ($condition:literal, $reason:literal, $ready:literal) => {
        concat!(
            "{{ $root := . }}\n",
            conditions!($condition, $reason),
            "containerStatuses:\n",
            "{{ range $i, $c := .spec.containers }}\n",
            "{{ $was := index $root.status.containerStatuses $i }}\n",
            "- name: {{ $c.name | Quote }}\n",
            "  image: {{ $c.image | Quote }}\n",
            "  imageID: {{ $c.image | Quote }}\n",
            "  ready: ",
            $ready,
            "\n",
            "  started: true\n",
            "  restartCount: {{ $was.restartCount }}\n",
            "  state: {running: {startedAt: {{ Now | Quote }}}}\n",
            "{{ end }}\n",
            "phase: Running\n",
        )
    };
}

pub(super) const CREATING: &str = concat!(
    waiting!("  restartCount: 0\n  state: {waiting: {reason: ContainerCreating}}\n"),
    "{{ if .spec.initContainers }}\n",
    "initContainerStatuses:\n",
    "{{ range .spec.initContainers }}\n",
    "- name: {{ .name | Quote }}\n",
    "  image: {{ .image | Quote }}\n",
    "  imageID: {{ .image | Quote }}\n",
    "  ready: true\n",
    "  restartCount: 0\n",
    "  state: {terminated: {exitCode: 0, reason: Completed, startedAt: {{ Now | Quote }}, finishedAt: {{ Now | Quote }}}}\n",
    "{{ end }}\n",
    "{{ end }}\n",
    "hostIP: {{ NodeIPWith .spec.nodeName | Quote }}\n",
    "podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid \"\" ) ( or .metadata.name \"\" ) ( or .metadata.namespace \"\" ) | Quote }}\n",
    "phase: Pending\n",
    "startTime: {{ Now | Quote }}\n",
);

pub(super) const PULL_FAILED: &str =
    waiting!("  restartCount: 0\n  state: {waiting: {reason: ErrImagePull, message: ANSWER}}\n");

pub(super) const BACK_OFF: &str = waiting!(
    "  restartCount: 0\n  state: {waiting: {reason: ImagePullBackOff, message: {{ printf \"Back-off pulling image %q\" $c.image | Quote }}}}\n"
);

pub(super) const RUNNING: &str = running!("False", "reason: ContainersNotReady, ", "false");

pub(super) const RUNNING_READY: &str = running!("True", "", "true");

pub(super) const READY: &str = RUNNING_READY;

pub(super) const NOT_READY: &str = RUNNING;

pub(super) const CRASHED: &str = concat!(
    waiting!(concat!(
        "  {{ $was := index $root.status.containerStatuses $i }}\n",
        "  restartCount: {{ add $was.restartCount 1 }}\n",
        "  state: {waiting: {reason: CrashLoopBackOff, message: back-off restarting failed container}}\n",
        "  lastState: {terminated: {exitCode: CODE, reason: Error, startedAt: {{ Now | Quote }}, finishedAt: {{ Now | Quote }}}}\n",
    )),
    "phase: Running\n",
);

pub(super) const ENDED: &str = concat!(
    "{{ $root := . }}\n",
    conditions!("False", "reason: PodCompleted, "),
    "containerStatuses:\n",
    "{{ range $i, $c := .spec.containers }}\n",
    "{{ $was := index $root.status.containerStatuses $i }}\n",
    "- name: {{ $c.name | Quote }}\n",
    "  image: {{ $c.image | Quote }}\n",
    "  imageID: {{ $c.image | Quote }}\n",
    "  ready: false\n",
    "  started: false\n",
    "  restartCount: {{ $was.restartCount }}\n",
    "  state: {terminated: {exitCode: CODE, reason: REASON, startedAt: {{ Now | Quote }}, finishedAt: {{ Now | Quote }}}}\n",
    "{{ end }}\n",
    "phase: PHASE\n",
);

/// The conditions of a node that is well, as of now.
macro_rules! node_conditions {
    () => {
        concat!(
            "{{ $now := Now }}\n",
            "{{ $since := or .metadata.creationTimestamp $now }}\n",
            "conditions:\n",
            "{{ range NodeConditions }}\n",
            "- lastHeartbeatTime: {{ $now | Quote }}\n",
            "  lastTransitionTime: {{ $since | Quote }}\n",
            "  message: {{ .message | Quote }}\n",
            "  reason: {{ .reason | Quote }}\n",
            "  status: {{ .status | Quote }}\n",
            "  type: {{ .type | Quote }}\n",
            "{{ end }}\n",
        )
    };
}

pub(super) const NODE_BEATS: &str = node_conditions!();

pub(super) const NODE: &str = concat!(
    node_conditions!(),
    "addresses:\n",
    "- {type: InternalIP, address: {{ NodeIP | Quote }}}\n",
    "- {type: Hostname, address: {{ .metadata.name | Quote }}}\n",
    "daemonEndpoints: {kubeletEndpoint: {Port: {{ NodePort }}}}\n",
    "nodeInfo:\n",
    "  architecture: amd64\n",
    "  bootID: \"\"\n",
    "  containerRuntimeVersion: kwok\n",
    "  kernelVersion: kwok\n",
    "  kubeProxyVersion: kwok\n",
    "  kubeletVersion: kwok\n",
    "  machineID: \"\"\n",
    "  operatingSystem: linux\n",
    "  osImage: \"\"\n",
    "  systemUUID: \"\"\n",
    "phase: Running\n",
);
