//! Random objects as text.

use crate::random::Random;

pub(crate) const NAMES: [&str; 6] = ["web", "api", "db", "settings", "web-1", "team.io"];
pub(crate) const NAMESPACES: [&str; 4] = ["default", "prod", "kube-system", "dev"];

/// Texts that YAML readers disagree about.
const VALUES: [&str; 34] = [
    "plain",
    "'yes'",
    "yes",
    "on",
    "12",
    "'12'",
    "1.5",
    "1.0",
    "1e3",
    "010",
    "0x1F",
    "null",
    "~",
    "''",
    "\"\"",
    "true",
    "'true'",
    "2020-01-01",
    "12:30",
    "1_000",
    "'- x'",
    "'a: b'",
    "a#b",
    "'a #b'",
    "\"tab\\there\"",
    "\"line\\nbreak\\n\"",
    "'  padded '",
    "ünïcode",
    "\"\\U0001F600\"",
    "$(VAR_A)",
    "'$(VAR_A)-x'",
    "123456789012345678901234",
    ".5",
    "'@at'",
];

const LONG: &str =
    "a rather long text that goes on and on until it is longer than the eighty columns at which the writer breaks";

pub(crate) fn value(random: &mut Random) -> String {
    match random.below(12) {
        0 => LONG.to_owned(),
        1 => "|-\n      first line\n       second line".to_owned(),
        2 => "|\n      first line\n\n      last line".to_owned(),
        _ => random.pick(&VALUES).to_owned(),
    }
}

/// What others may say of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) namespace: Option<String>,
    pub(crate) text: String,
}

impl Known {
    fn of(text: String) -> Self {
        let field = |prefix: &str| text.lines().find_map(|line| line.strip_prefix(prefix)).map(str::to_owned);
        Self {
            version: field("apiVersion: ").unwrap_or_default(),
            kind: field("kind: ").unwrap_or_default(),
            name: field("  name: ").unwrap_or_default(),
            namespace: field("  namespace: "),
            text,
        }
    }

    /// The start of a patch for it.
    pub(crate) fn head(&self) -> String {
        let namespace = self.namespace.as_ref().map(|ns| format!("  namespace: {ns}\n")).unwrap_or_default();
        format!("apiVersion: {}\nkind: {}\nmetadata:\n  name: {}\n{namespace}", self.version, self.kind, self.name)
    }

    pub(crate) fn is_workload(&self) -> bool {
        matches!(&*self.kind, "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet")
    }
}

/// Objects that nobody has yet.
pub(crate) fn objects(random: &mut Random, count: usize, others: &[Known]) -> Vec<Known> {
    let mut made: Vec<Known> = Vec::new();
    for _ in 0..count * 3 {
        if made.len() == count {
            break;
        }
        let known = Known::of(object(random));
        let clashes = others.iter().chain(&made).any(|other| other.kind == known.kind && other.name == known.name);
        if !clashes || random.percent(1) {
            made.push(known);
        }
    }
    made
}

fn metadata(random: &mut Random, name: &str, cluster: bool) -> String {
    let mut out = format!("metadata:\n  name: {name}\n");
    if !cluster && random.percent(20) {
        out.push_str(&format!("  namespace: {}\n", random.pick(&NAMESPACES)));
    }
    if random.percent(50) {
        out.push_str(&format!("  labels:\n    app: {}\n", random.pick(&["web", "api", "'1'", "x"])));
        if random.percent(30) {
            out.push_str("    tier: 1.0\n");
        }
    }
    if random.percent(30) {
        out.push_str(&format!(
            "  annotations:\n    note: {}\n",
            random.pick(&["hello", "'1'", "1", "yes", "~", "a.b"])
        ));
    }
    out
}

fn container(random: &mut Random, name: &str) -> String {
    let image = random.pick(&[
        "nginx",
        "nginx:1.2",
        "registry:5000/team/app:v1",
        "app@sha256:aaaabbbb",
        "busybox:1.0@sha256:cccc",
        "'nginx:1'",
    ]);
    let mut out = format!("- name: {name}\n  image: {image}\n");
    if random.percent(50) {
        out.push_str("  ports:\n  - containerPort: 80\n");
        if random.percent(50) {
            out.push_str("    protocol: TCP\n    name: http\n  - containerPort: 80\n    protocol: UDP\n");
        }
    }
    if random.percent(60) {
        out.push_str("  env:\n  - name: A\n    value: '1'\n  - name: B\n    value: $(VAR_A)\n");
        out.push_str(&format!(
            "  - name: C\n    valueFrom:\n      configMapKeyRef:\n        name: {}\n        key: k\n",
            random.pick(&NAMES)
        ));
    }
    if random.percent(40) {
        out.push_str(&format!("  envFrom:\n  - secretRef:\n      name: {}\n", random.pick(&NAMES)));
    }
    if random.percent(30) {
        out.push_str("  args: [--a, '$(VAR_B)', \"c\"]\n");
    }
    if random.percent(30) {
        out.push_str("  volumeMounts:\n  - mountPath: /data\n    name: data\n");
    }
    if random.percent(20) {
        out.push_str("  resources: {}\n  command: []\n  securityContext: null\n");
    }
    out
}

fn indent(text: &str, by: usize) -> String {
    text.lines().map(|line| format!("{}{line}\n", " ".repeat(by))).collect()
}

fn pod(random: &mut Random) -> String {
    let mut out = String::from("containers:\n");
    out.push_str(&container(random, "main"));
    if random.percent(30) {
        out.push_str(&container(random, "side"));
    }
    if random.percent(20) {
        out.push_str("initContainers:\n");
        out.push_str(&container(random, "init"));
    }
    if random.percent(40) {
        out.push_str(&format!("serviceAccountName: {}\n", random.pick(&NAMES)));
    }
    if random.percent(40) {
        out.push_str(&format!("volumes:\n- name: data\n  configMap:\n    name: {}\n", random.pick(&NAMES)));
        out.push_str(&format!("- name: claim\n  persistentVolumeClaim:\n    claimName: {}\n", random.pick(&NAMES)));
    }
    if random.percent(15) {
        out.push_str("topologySpreadConstraints:\n- topologyKey: zone\n  whenUnsatisfiable: DoNotSchedule\n  labelSelector:\n    matchLabels: {app: web}\n");
    }
    if random.percent(15) {
        out.push_str(&format!("imagePullSecrets:\n- name: {}\n", random.pick(&NAMES)));
    }
    out
}

fn template(random: &mut Random) -> String {
    let mut out = String::from("template:\n");
    if random.percent(60) {
        out.push_str("  metadata:\n    labels:\n      app: web\n");
    }
    out.push_str("  spec:\n");
    out.push_str(&indent(&pod(random), 4));
    out
}

/// One object.
fn object(random: &mut Random) -> String {
    let name = random.pick(&NAMES);
    let head = |version: &str, kind: &str| format!("apiVersion: {version}\nkind: {kind}\n");
    let namespaced = |random: &mut Random, version: &str, kind: &str, rest: &str| {
        format!("{}{}{rest}", head(version, kind), metadata(random, name, false))
    };
    match random.below(24) {
        0..=4 => {
            let mut spec = String::from("spec:\n");
            if random.percent(40) {
                spec.push_str(&format!("  replicas: {}\n", random.pick(&["1", "2", "'3'", "null"])));
            }
            if random.percent(60) {
                spec.push_str("  selector:\n    matchLabels:\n      app: web\n");
            }
            spec.push_str(&indent(&template(random), 2));
            let kind = random.pick(&["Deployment", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"]);
            if kind == "StatefulSet" && random.percent(60) {
                spec.push_str("  serviceName: web\n  volumeClaimTemplates:\n  - metadata:\n      name: data\n    spec:\n      storageClassName: db\n");
            }
            namespaced(random, "apps/v1", kind, &spec)
        }
        5 => {
            let pod = indent(&pod(random), 2);
            namespaced(random, "v1", "Pod", &format!("spec:\n{pod}"))
        }
        6 => {
            let template = indent(&template(random), 2);
            namespaced(random, "batch/v1", "Job", &format!("spec:\n{template}"))
        }
        7 => {
            let template = indent(&template(random), 6);
            let spec = format!("spec:\n  schedule: '* * * * *'\n  jobTemplate:\n    spec:\n{template}");
            namespaced(random, "batch/v1", "CronJob", &spec)
        }
        8..=10 => {
            let mut data = String::from("data:\n");
            for key in ["a", "b", "z10", "z2"] {
                if random.percent(50) {
                    data.push_str(&format!("  {key}: {}\n", value(random)));
                }
            }
            if data == "data:\n" {
                data = "data: {}\n".into();
            }
            namespaced(random, "v1", "ConfigMap", &data)
        }
        11 => namespaced(random, "v1", "Secret", "data:\n  a: YQ==\nstringData:\n  b: text\n"),
        12 | 13 => {
            let protocol = random.pick(&["", "    protocol: TCP\n"]);
            let spec =
                format!("spec:\n  selector:\n    app: web\n  ports:\n  - port: 80\n    targetPort: 8080\n{protocol}");
            namespaced(random, "v1", "Service", &spec)
        }
        14 => namespaced(random, "v1", "ServiceAccount", ""),
        15 => {
            let spec = format!(
                "spec:\n  tls:\n  - secretName: {}\n    hosts: [a.example.com]\n  rules:\n  - host: a.example.com\n    http:\n      paths:\n      - path: /\n        backend:\n          service:\n            name: {}\n            port: {{number: 80}}\n",
                random.pick(&NAMES),
                random.pick(&NAMES)
            );
            namespaced(random, "networking.k8s.io/v1", "Ingress", &spec)
        }
        16 => {
            let kind = random.pick(&["Role", "ClusterRole"]);
            let rules = format!(
                "rules:\n- apiGroups: ['']\n  resources: [secrets]\n  resourceNames: [{}, {}]\n  verbs: [get]\n",
                random.pick(&NAMES),
                random.pick(&NAMES)
            );
            let metadata = metadata(random, name, kind == "ClusterRole");
            format!("{}{metadata}{rules}", head("rbac.authorization.k8s.io/v1", kind))
        }
        17 => {
            let kind = random.pick(&["RoleBinding", "ClusterRoleBinding"]);
            let mut subject =
                format!("subjects:\n- kind: ServiceAccount\n  name: {}\n", random.pick(&["web", "default", "api"]));
            if random.percent(60) {
                subject.push_str(&format!("  namespace: {}\n", random.pick(&NAMESPACES)));
            }
            let role = format!(
                "roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: {}\n  name: {}\n",
                random.pick(&["Role", "ClusterRole"]),
                random.pick(&NAMES)
            );
            let metadata = metadata(random, name, kind == "ClusterRoleBinding");
            format!("{}{metadata}{role}{subject}", head("rbac.authorization.k8s.io/v1", kind))
        }
        18 => {
            let spec = format!(
                "spec:\n  scaleTargetRef:\n    apiVersion: apps/v1\n    kind: Deployment\n    name: {}\n  maxReplicas: 3\n",
                random.pick(&NAMES)
            );
            namespaced(random, "autoscaling/v2", "HorizontalPodAutoscaler", &spec)
        }
        19 => namespaced(
            random,
            "example.com/v1",
            "Widget",
            "spec:\n  list:\n  - name: a\n    v: 1\n  - name: b\n  ref: {name: web}\n  containers:\n  - image: nginx:1.2\n",
        ),
        20 => format!("{}metadata:\n  name: {}\n", head("v1", "Namespace"), random.pick(&NAMESPACES)),
        21 => {
            let metadata = metadata(random, name, true);
            format!(
                "{}{metadata}provisioner: x\nparameters: {{secretName: web}}\n",
                head("storage.k8s.io/v1", "StorageClass")
            )
        }
        22 => namespaced(
            random,
            "networking.k8s.io/v1",
            "NetworkPolicy",
            "spec:\n  podSelector:\n    matchLabels: {app: web}\n  ingress:\n  - from:\n    - podSelector:\n        matchLabels: {app: api}\n",
        ),
        _ => namespaced(random, "v1", "PersistentVolumeClaim", "spec:\n  storageClassName: db\n  volumeName: web\n"),
    }
}
