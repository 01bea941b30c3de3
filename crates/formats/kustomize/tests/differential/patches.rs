//! `patches`, `patchesStrategicMerge` and `patchesJson6902`.

use crate::objects::{Known, value};
use crate::project::{Maker, block, known};
use crate::random::Random;

const CONTAINERS: [&str; 17] = [
    "      containers:\n      - name: main\n        $patch: delete\n",
    "      containers:\n      - name: added\n        image: new:1\n      - name: main\n        env:\n        - name: A\n          value: two\n        - name: Z\n          value: z\n",
    "      containers:\n      - name: main\n        ports:\n        - containerPort: 80\n          name: patched\n        - containerPort: 90\n",
    "      $patch: replace\n      containers:\n      - name: only\n        image: only\n",
    "      volumes:\n      - name: data\n        emptyDir: {}\n        configMap: null\n      serviceAccountName: null\n",
    "      containers:\n      - $patch: replace\n      - name: only\n        image: only\n",
    "      containers:\n      - name: main\n        env:\n        - name: B\n          $patch: delete\n        - name: C\n          valueFrom: null\n          value: plain\n",
    "      containers:\n      - name: main\n        env:\n        - $patch: delete\n",
    "      containers:\n      - name: main\n        args: [patched]\n        command: null\n        envFrom: []\n        resources: {limits: {cpu: 1, memory: 64Mi}}\n",
    "      containers:\n      - name: main\n        volumeMounts:\n        - mountPath: /data\n          readOnly: true\n        - mountPath: /more\n          name: more\n",
    "      tolerations:\n      - key: a\n        operator: Exists\n      hostAliases:\n      - ip: 127.0.0.1\n        hostnames: [x]\n",
    "      topologySpreadConstraints:\n      - topologyKey: zone\n        whenUnsatisfiable: DoNotSchedule\n        maxSkew: 2\n      - topologyKey: host\n        whenUnsatisfiable: ScheduleAnyway\n",
    "      initContainers:\n      - name: init\n        image: init:2\n      - name: first\n        image: first\n      imagePullSecrets:\n      - name: extra\n",
    "      volumes:\n      - $retainKeys: [name, emptyDir]\n        name: data\n        emptyDir: {}\n",
    "      containers:\n      - name: main\n        ports:\n        - containerPort: 80\n          protocol: UDP\n          $patch: delete\n",
    "      containers:\n      - image: unnamed\n",
    "      affinity: {nodeAffinity: {}}\n      nodeSelector: {disk: ssd}\n      securityContext: {runAsUser: 1000}\n",
];

const ANYTHING: [&str; 8] = [
    "$patch: delete\n",
    "  labels:\n    app: patched\n    tier: null\n  annotations:\n    note: patched\n",
    "  annotations: null\n",
    "  labels:\n    $patch: replace\n    only: this\n",
    "  finalizers: [a, b]\n",
    "  ownerReferences:\n  - uid: u1\n    name: x\n",
    "  annotations:\n    $patch: delete\n",
    "extra:\n  list: [1, 1.0, yes, '010', 2020-01-01, null]\n  map: {}\n  text: \"a\\nb\"\n",
];

/// A strategic merge patch for an object of a kind.
fn strategic(random: &mut Random, of: &Known) -> String {
    let head = of.head();
    let body = match &*of.kind {
        "ConfigMap" if random.percent(60) => format!("data:\n  a: {}\n  b: null\n", value(random)),
        "Service" if random.percent(60) => random
            .pick(&[
                "spec:\n  ports:\n  - port: 443\n    targetPort: 8443\n",
                "spec:\n  ports:\n  - port: 80\n    name: http\n",
                "spec:\n  ports:\n  - port: 80\n    protocol: TCP\n    name: http\n",
                "spec:\n  selector:\n    $patch: replace\n    only: this\n  type: LoadBalancer\n",
            ])
            .to_owned(),
        "Widget" if random.percent(60) => random
            .pick(&[
                "spec:\n  list:\n  - name: b\n    v: 2\n  selector: null\n",
                "spec:\n  list:\n  - name: a\n    $patch: delete\n",
                "spec:\n  ref: null\n  deep: {er: {est: [1]}}\n",
            ])
            .to_owned(),
        _ if of.is_workload() && random.percent(75) => match random.below(5) {
            0 => "spec:\n  replicas: 5\n  template:\n    metadata:\n      labels:\n        app: patched\n".into(),
            1 => "spec:\n  selector:\n    matchLabels:\n      app: other\n  paused: yes\n".into(),
            _ => format!("spec:\n  template:\n    spec:\n{}", random.pick(&CONTAINERS)),
        },
        _ => random.pick(&ANYTHING).to_owned(),
    };
    head + &body
}

fn operations(random: &mut Random, of: &Known) -> &'static str {
    let everywhere = [
        "- op: add\n  path: /metadata/annotations\n  value: {new: added}\n",
        "- op: replace\n  path: /metadata/name\n  value: renamed\n",
        "- op: add\n  path: /metadata/labels\n  value: {app: json, num: '1'}\n",
        "- op: add\n  path: /extra\n  value: [1, 1.0, 1e3, yes, 2020-01-01, '010', null]\n",
        "- op: test\n  path: /spec\n  value: {}\n",
        "- op: copy\n  from: /metadata/name\n  path: /metadata/copy\n",
        "- op: add\n  path: /metadata/annotations/a.b~1c\n  value: escaped\n",
        "[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"j\": \"son\"}}]\n",
        "- {op: add, path: /metadata/namespace, value: prod}\n",
        "- {op: add, path: /a, value: {b: [1]}}\n- {op: add, path: /a/b/0, value: 0}\n- {op: move, from: /a/b, path: /c}\n",
    ];
    let workload = [
        "- op: add\n  path: /spec/replicas\n  value: 4\n",
        "- {op: replace, path: /spec/template/spec/containers/0/image, value: 'json:1'}\n",
        "- op: add\n  path: /spec/template/spec/containers/-\n  value: {name: json, image: nginx}\n",
        "- op: remove\n  path: /spec/template/spec/containers/-1\n",
        "- op: replace\n  path: /spec/template/spec/containers/0/env/0/value\n  value: two\n",
        "- op: add\n  path: /spec/template/spec/containers/0\n  value: {name: first, image: first}\n",
        "- op: remove\n  path: /spec/template/spec\n",
        "- op: test\n  path: /spec/template/spec/containers/0/name\n  value: main\n- op: add\n  path: /spec/paused\n  value: true\n",
    ];
    // What is tested or replaced is mostly there.
    for _ in 0..3 {
        let text =
            if of.is_workload() && random.percent(70) { random.pick(&workload) } else { random.pick(&everywhere) };
        let needs = |path: &str, field: &str| text.contains(path) && !of.text.contains(field);
        if !text.contains("op: test") && !needs("/env/0/value", "  env:") {
            return text;
        }
    }
    everywhere[1]
}

fn target(random: &mut Random) -> &'static str {
    random.pick(&[
        "kind: Deployment",
        "kind: ConfigMap",
        "name: web.*",
        "labelSelector: app=web",
        "kind: .*Set",
        "group: apps, version: v1",
        "namespace: prod",
        "annotationSelector: note",
        "name: web, kind: Deployment",
        "labelSelector: 'app in (web, api),!tier'",
        "labelSelector: 'app!=web'",
        "labelSelector: 'app notin (web)'",
        "annotationSelector: note=hello",
        "kind: Deployment|StatefulSet",
        "name: 'web|api', namespace: default",
        "version: v1",
    ])
}

pub(crate) fn patches(maker: &mut Maker<'_>, all: &[Known]) {
    let any = |known: &Known| !matches!(&*known.kind, "Namespace");
    if maker.random.percent(14)
        && let Some(of) = known(maker.random, all, any)
    {
        let text = strategic(maker.random, of);
        if maker.random.percent(30) {
            maker.k.push_str("patchesStrategicMerge: [merge.yaml]\n");
            maker.file("merge.yaml", text);
        } else {
            maker.k.push_str(&format!("patchesStrategicMerge:\n- |-\n{}", block(&text, 2)));
        }
    }
    if maker.random.percent(16)
        && let Some(of) = known(maker.random, all, any)
    {
        json6902(maker, of);
    }
    if maker.random.percent(50) {
        list(maker, all);
    }
}

fn json6902(maker: &mut Maker<'_>, of: &Known) {
    let (group, version) = of.version.split_once('/').unwrap_or(("", &of.version));
    let name = if maker.random.percent(10) { "nobody" } else { &of.name };
    let namespace = match &of.namespace {
        Some(namespace) => format!(", namespace: {namespace}"),
        None => String::new(),
    };
    let text = operations(maker.random, of);
    let head = format!(
        "patchesJson6902:\n- target: {{group: '{group}', version: {version}, kind: {}, name: {name}{namespace}}}\n",
        of.kind
    );
    maker.k.push_str(&head);
    if maker.random.percent(35) {
        maker.k.push_str("  path: operations.yaml\n");
        maker.file("operations.yaml", text);
    } else {
        maker.k.push_str(&format!("  patch: |-\n{}", block(text, 4)));
    }
}

fn list(maker: &mut Maker<'_>, all: &[Known]) {
    let any = |known: &Known| !matches!(&*known.kind, "Namespace");
    let random = &mut *maker.random;
    let mut list = String::new();
    for _ in 0..=random.below(2) {
        let Some(of) = known(random, all, any) else { break };
        match random.below(5) {
            0 => {
                let mut text = strategic(random, of);
                if random.percent(20)
                    && let Some(more) = known(random, all, any).filter(|more| more.text != of.text)
                {
                    text.push_str(&format!("---\n{}", strategic(random, more)));
                }
                list.push_str(&format!("- patch: |-\n{}", block(&text, 4)));
            }
            1 | 2 => {
                let text = strategic(random, of);
                let target = if random.percent(60) { format!("kind: {}", of.kind) } else { target(random).to_owned() };
                list.push_str(&format!("- target: {{{target}}}\n  patch: |-\n{}", block(&text, 4)));
                list.push_str(random.pick(&[
                    "",
                    "",
                    "",
                    "  options: {allowNameChange: true}\n",
                    "  options: {allowKindChange: true}\n",
                    "  options: {allowKindChange: true, allowNameChange: true}\n",
                ]));
            }
            _ => {
                let target = if random.percent(15) {
                    target(random).to_owned()
                } else {
                    format!("kind: {}, name: {}", of.kind, of.name)
                };
                list.push_str(&format!("- target: {{{target}}}\n  patch: |-\n{}", block(operations(random, of), 4)));
            }
        }
    }
    let in_file = known(random, all, any).filter(|_| random.percent(25)).map(|of| strategic(random, of));
    if in_file.is_some() {
        list.push_str("- path: patch.yaml\n");
    }
    if !list.is_empty() {
        maker.k.push_str(&format!("patches:\n{list}"));
    }
    if let Some(text) = in_file {
        maker.file("patch.yaml", text);
    }
}
