//! Random kustomizations: folders of files.

use crate::objects::{Known, NAMESPACES, objects, value};
use crate::random::Random;

/// Files by path.
pub(crate) type Files = Vec<(String, String)>;

pub(crate) const FIELDS: [&str; 30] = [
    "resources",
    "components",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "labels",
    "commonLabels",
    "commonAnnotations",
    "patchesStrategicMerge",
    "patchesJson6902",
    "patches",
    "images",
    "imageTags",
    "replacements",
    "replicas",
    "vars",
    "sortOptions",
    "crds",
    "bases",
    "configMapGenerator",
    "secretGenerator",
    "generatorOptions",
    "configurations",
    "generators",
    "transformers",
    "validators",
    "buildMetadata",
    "openapi",
    "metadata",
    "helmGlobals",
];

pub(crate) fn project(random: &mut Random) -> Files {
    let mut files = Files::new();
    let mut known = Vec::new();
    let bases = 1 + random.below(2);
    let mut named = Vec::new();
    for number in 0..bases {
        let mut maker = Maker { random, files: &mut files, at: format!("base{number}"), k: String::new() };
        let made = maker.folder(&known, &[], None, false);
        known.extend(made);
        named.push(format!("../base{number}"));
    }
    let component = random.percent(25).then(|| {
        let mut maker = Maker { random, files: &mut files, at: "component".into(), k: String::new() };
        let made = maker.folder(&known, &[], None, true);
        known.extend(made);
        "../component".to_owned()
    });
    let mut maker = Maker { random, files: &mut files, at: "root".into(), k: String::new() };
    maker.folder(&known, &named, component.as_deref(), false);
    files
}

/// Makes one kustomization with its files.
struct Maker<'m> {
    random: &'m mut Random,
    files: &'m mut Files,
    at: String,
    k: String,
}

impl Maker<'_> {
    fn file(&mut self, name: &str, text: impl Into<String>) {
        self.files.push((format!("{}/{name}", self.at), text.into()));
    }

    /// Gives the objects that it adds. `below` are those that it finds or that others have.
    fn folder(&mut self, below: &[Known], bases: &[String], component: Option<&str>, is_component: bool) -> Vec<Known> {
        if is_component {
            self.k.push_str("apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n");
        }
        let mut resources: Vec<String> = Vec::new();
        if self.random.percent(15) && !bases.is_empty() {
            self.k.push_str(&format!("bases: [{}]\n", bases.join(", ")));
        } else {
            resources.extend(bases.iter().cloned());
        }
        let is_leaf = bases.is_empty() && !is_component;
        let count = if is_leaf { 2 + self.random.below(5) } else { self.random.below(3) };
        let made = objects(self.random, count, below);
        if !made.is_empty() {
            let texts: Vec<&str> = made.iter().map(|known| &*known.text).collect();
            self.file("objects.yaml", texts.join("---\n"));
            resources.push("objects.yaml".into());
        }
        if !resources.is_empty() {
            self.k.push_str(&format!("resources: [{}]\n", resources.join(", ")));
        }
        if let Some(component) = component {
            self.k.push_str(&format!("components: [{component}]\n"));
        }
        let mut all = if is_leaf { Vec::new() } else { below.to_vec() };
        all.extend(made.iter().cloned());
        simple(self.random, &mut self.k, &all);
        self.generators(&all);
        self.patches(&all);
        replacements(self.random, &mut self.k, &all);
        self.plugins();
        if self.k.is_empty() {
            self.k.push_str("namePrefix: x-\n");
        }
        let k = std::mem::take(&mut self.k);
        self.file("kustomization.yaml", k);
        made
    }
}

fn known<'k>(random: &mut Random, all: &'k [Known], passes: impl Fn(&Known) -> bool) -> Option<&'k Known> {
    let found: Vec<&Known> = all.iter().filter(|known| passes(known)).collect();
    (!found.is_empty()).then(|| found[random.below(found.len())])
}

fn simple(random: &mut Random, k: &mut String, all: &[Known]) {
    if random.percent(30) {
        k.push_str(&format!("namePrefix: {}\n", random.pick(&["pre-", "'1'", "a-"])));
    }
    if random.percent(20) {
        k.push_str(&format!("nameSuffix: {}\n", random.pick(&["-suf", "'-2'"])));
    }
    if random.percent(30) {
        k.push_str(&format!("namespace: {}\n", random.pick(&NAMESPACES)));
    }
    if random.percent(30) {
        let options = random.pick(&["", "  includeSelectors: true\n", "  includeTemplates: true\n"]);
        let fields = random.pick(&["", "", "  fields:\n  - path: spec/extra\n    create: true\n    kind: Widget\n"]);
        k.push_str(&format!(
            "labels:\n- pairs:\n    team: core\n    app: {}\n{options}{fields}",
            random.pick(&["new", "'2'"])
        ));
    }
    if random.percent(15) {
        k.push_str("commonLabels:\n  common: label\n");
    }
    if random.percent(20) {
        k.push_str(&format!("commonAnnotations:\n  who: {}\n", random.pick(&["me", "'1'", "'yes'"])));
    }
    if random.percent(30) {
        let field = random.pick(&["images", "images", "imageTags"]);
        let change = random.pick(&[
            "newTag: v2",
            "newName: other/image",
            "digest: sha256:dddd",
            "newTag: '9'\n  digest: sha256:eeee",
            "tagSuffix: -x",
            "newName: r:1/x\n  newTag: latest",
        ]);
        k.push_str(&format!(
            "{field}:\n- name: {}\n  {change}\n",
            random.pick(&["nginx", "registry:5000/team/app", ".*box", "app"])
        ));
    }
    if random.percent(25)
        && let Some(known) = known(random, all, |known| known.is_workload() && known.kind != "DaemonSet")
    {
        k.push_str(&format!("replicas:\n- name: {}\n  count: 7\n", known.name));
    }
    if random.percent(15) {
        k.push_str(random.pick(&[
            "sortOptions: {order: fifo}\n",
            "sortOptions: {order: legacy}\n",
            "sortOptions:\n  order: legacy\n  legacySortOptions:\n    orderFirst: [Service, Deployment]\n    orderLast: [ConfigMap]\n",
        ]));
    }
    if random.percent(10) {
        k.push_str(random.pick(&[
            "buildMetadata: [originAnnotations]\n",
            "buildMetadata: [originAnnotations, transformerAnnotations]\n",
            "buildMetadata: [managedByLabel]\n",
        ]));
    }
    if random.percent(7) {
        k.push_str("metadata:\n  name: it\n  annotations: {a: b}\n");
    }
    if random.percent(6) {
        k.push_str("openapi: {version: v1.21.2}\n");
    }
    if random.percent(6) {
        k.push_str("helmGlobals: {chartHome: charts}\n");
    }
    if random.percent(20)
        && let Some(known) = known(random, all, |known| matches!(&*known.kind, "Service" | "ConfigMap" | "Deployment"))
    {
        let port = if known.kind == "Service" { "  fieldref: {fieldPath: 'spec.ports[0].port'}\n" } else { "" };
        k.push_str(&format!(
            "vars:\n- name: VAR_{}\n  objref: {{apiVersion: {}, kind: {}, name: {}}}\n{}",
            random.below(4),
            known.version,
            known.kind,
            known.name,
            random.pick(&["", "  fieldref: {fieldPath: metadata.name}\n", port])
        ));
    }
}

impl Maker<'_> {
    fn generators(&mut self, all: &[Known]) {
        let random = &mut *self.random;
        let (mut data, mut env) = (None, None);
        for (field, kind, chance) in [("configMapGenerator", "ConfigMap", 30), ("secretGenerator", "Secret", 20)] {
            if !random.percent(chance) {
                continue;
            }
            let there = known(random, all, |known| known.kind == kind).filter(|_| random.percent(30));
            let name = match there {
                Some(there) => there.name.clone(),
                None => format!("gen-{}-{}", self.at, random.below(3)),
            };
            let k = &mut self.k;
            k.push_str(&format!("{field}:\n- name: {name}\n"));
            if there.is_some() {
                k.push_str(&format!("  behavior: {}\n", random.pick(&["merge", "replace"])));
            }
            if let Some(namespace) = there.and_then(|there| there.namespace.as_ref()) {
                k.push_str(&format!("  namespace: {namespace}\n"));
            } else if there.is_none() && random.percent(15) {
                k.push_str(&format!("  namespace: {}\n", random.pick(&NAMESPACES)));
            }
            if random.percent(70) {
                k.push_str("  literals: [a=1, 'b=\"quoted\"', c=x=y, 'd=']\n");
            }
            if random.percent(40) {
                data = Some(random.pick(&["one\ntwo\n", "no end", "", "tab\there\n", " lead\n"]));
                k.push_str(random.pick(&["  files: [data.txt]\n", "  files: [other=data.txt]\n"]));
            }
            if random.percent(30) {
                env = Some("# comment\nE1=1\n  E2 = two \nE3\n");
                k.push_str(random.pick(&["  envs: [vars.env]\n", "  env: vars.env\n"]));
            }
            if random.percent(25) {
                k.push_str("  options:\n    labels: {gen: 'yes'}\n    disableNameSuffixHash: true\n");
            }
            if field == "secretGenerator" && random.percent(30) {
                k.push_str("  type: kubernetes.io/tls\n");
            }
        }
        if random.percent(12) {
            self.k.push_str(random.pick(&[
                "generatorOptions: {disableNameSuffixHash: true}\n",
                "generatorOptions: {labels: {all: 'true'}, annotations: {note: x}}\n",
                "generatorOptions: {immutable: true}\n",
            ]));
        }
        for (name, text) in [("data.txt", data), ("vars.env", env)] {
            if let Some(text) = text {
                self.file(name, text);
            }
        }
    }
}

/// A strategic merge patch for an object of a kind.
fn strategic(random: &mut Random, of: &Known) -> String {
    let head = of.head();
    let body = match (&*of.kind, random.below(12)) {
        ("ConfigMap", _) => format!("data:\n  a: {}\n  b: null\n", value(random)),
        ("Service", _) => random.pick(&[
            "spec:\n  ports:\n  - port: 443\n    targetPort: 8443\n",
            "spec:\n  ports:\n  - port: 80\n    name: http\n",
            "spec:\n  ports:\n  - port: 80\n    protocol: TCP\n    name: http\n",
        ]).to_owned(),
        (kind, number) if number > 2 && number != 10 && !matches!(kind, "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" | "Widget") => {
            "  labels:\n    app: patched\n".into()
        }
        (_, 0) => "$patch: delete\n".into(),
        (_, 1) => "  labels:\n    app: patched\n    tier: null\n  annotations:\n    note: patched\n".into(),
        (_, 2) => "spec:\n  replicas: 5\n  template:\n    metadata:\n      labels:\n        app: patched\n".into(),
        (_, 3) => "spec:\n  template:\n    spec:\n      containers:\n      - name: main\n        $patch: delete\n".into(),
        (_, 4) => "spec:\n  template:\n    spec:\n      containers:\n      - name: added\n        image: new:1\n      - name: main\n        env:\n        - name: A\n          value: two\n        - name: Z\n          value: z\n".into(),
        (_, 5) => "spec:\n  template:\n    spec:\n      containers:\n      - name: main\n        ports:\n        - containerPort: 80\n          name: patched\n        - containerPort: 90\n".into(),
        (_, 6) => "spec:\n  template:\n    spec:\n      $patch: replace\n      containers:\n      - name: only\n        image: only\n".into(),
        (_, 7) => "spec:\n  template:\n    spec:\n      volumes:\n      - name: data\n        emptyDir: {}\n        configMap: null\n      serviceAccountName: null\n".into(),
        (_, 8) => "spec:\n  template:\n    spec:\n      containers:\n      - $patch: replace\n      - name: only\n        image: only\n".into(),
        (_, 9) => "spec:\n  list:\n  - name: b\n    v: 2\n  selector: null\n".into(),
        (_, 10) => "  annotations: null\n".into(),
        _ => "spec:\n  selector:\n    matchLabels:\n      app: other\n  paused: yes\n".into(),
    };
    head + &body
}

fn operations(random: &mut Random, of: &Known) -> &'static str {
    let everywhere = [
        "- op: add\n  path: /metadata/annotations/new\n  value: added\n",
        "- op: replace\n  path: /metadata/name\n  value: renamed\n",
        "- op: add\n  path: /metadata/labels\n  value: {app: json, num: '1'}\n",
        "- op: add\n  path: /extra\n  value: [1, 1.0, 1e3, yes, 2020-01-01, '010', null]\n",
        "- op: test\n  path: /kind\n  value: Service\n",
        "- op: copy\n  from: /metadata/name\n  path: /metadata/copy\n",
    ];
    let workload = [
        "- op: add\n  path: /spec/replicas\n  value: 4\n",
        "- op: move\n  from: /spec/template\n  path: /data\n",
        "- {op: replace, path: /spec/template/spec/containers/0/image, value: 'json:1'}\n",
        "- op: add\n  path: /spec/template/spec/containers/-\n  value: {name: json, image: nginx}\n",
        "- op: remove\n  path: /spec/template/spec/containers/-1\n",
        "- op: replace\n  path: /spec/template/spec/containers/0/env/0/value\n  value: two\n",
    ];
    if of.is_workload() && random.percent(70) { random.pick(&workload) } else { random.pick(&everywhere) }
}

fn block(text: &str, by: usize) -> String {
    text.lines().map(|line| format!("{}{line}\n", " ".repeat(by))).collect()
}

fn target(random: &mut Random) -> String {
    random
        .pick(&[
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
        ])
        .to_owned()
}

impl Maker<'_> {
    fn patches(&mut self, all: &[Known]) {
        let random = &mut *self.random;
        let any = |known: &Known| !matches!(&*known.kind, "Namespace");
        if random.percent(12)
            && let Some(of) = known(random, all, any)
        {
            let text = block(&strategic(random, of), 2);
            self.k.push_str(&format!("patchesStrategicMerge:\n- |-\n{text}"));
        }
        if random.percent(12)
            && let Some(of) = known(random, all, any)
        {
            let (group, version) = of.version.split_once('/').unwrap_or(("", &of.version));
            self.k.push_str(&format!(
                "patchesJson6902:\n- target: {{group: '{group}', version: {version}, kind: {}, name: {}}}\n  patch: |-\n{}",
                of.kind,
                random.pick(&[&*of.name, "nobody"]),
                block(operations(random, of), 4)
            ));
        }
        if !random.percent(45) {
            return;
        }
        let mut list = String::new();
        for _ in 0..=random.below(2) {
            let Some(of) = known(random, all, any) else { break };
            match random.below(5) {
                0 => list.push_str(&format!("- patch: |-\n{}", block(&strategic(random, of), 4))),
                1 | 2 => {
                    let text = strategic(random, of);
                    let target = if random.percent(60) { format!("kind: {}", of.kind) } else { target(random) };
                    list.push_str(&format!("- target: {{{target}}}\n  patch: |-\n{}", block(&text, 4)));
                    if random.percent(15) {
                        list.push_str("  options: {allowNameChange: true}\n");
                    }
                }
                _ => {
                    let target = format!("kind: {}, name: {}", of.kind, of.name);
                    list.push_str(&format!(
                        "- target: {{{target}}}\n  patch: |-\n{}",
                        block(operations(random, of), 4)
                    ));
                }
            }
        }
        let in_file = known(random, all, any).filter(|_| random.percent(20)).map(|of| strategic(random, of));
        if in_file.is_some() {
            list.push_str("- path: patch.yaml\n");
        }
        if !list.is_empty() {
            self.k.push_str(&format!("patches:\n{list}"));
        }
        if let Some(text) = in_file {
            self.file("patch.yaml", text);
        }
    }
}

fn replacements(random: &mut Random, k: &mut String, all: &[Known]) {
    if !random.percent(20) {
        return;
    }
    let Some(from) = known(random, all, |_| true) else { return };
    let Some(to) = known(random, all, |_| true) else { return };
    let path = match &*from.kind {
        "ConfigMap" if from.text.contains("  a: ") => "data.a",
        "Service" => "spec.ports.0.port",
        "Widget" => "spec.list.[name=a].v",
        _ => random.pick(&["metadata.name", "kind", "apiVersion"]),
    };
    let field = if to.is_workload() {
        random.pick(&[
            "spec.template.metadata.labels.app",
            "spec.replicas",
            "spec.template.spec.containers.[name=main].image",
            "spec.template.spec.containers.*.image",
            "spec.template.spec.containers.0.image",
        ])
    } else {
        random.pick(&["metadata.annotations.note", "metadata.annotations.[a.b/c]", "data.b", "metadata.labels.app"])
    };
    let options = random.pick(&[
        "    options: {create: true}\n",
        "    options: {create: true}\n",
        "",
        "    options: {delimiter: ':', index: 1, create: true}\n",
        "    options: {delimiter: '-', index: -1, create: true}\n",
    ]);
    let reject = random.pick(&["", "", "    reject: [{name: nobody}]\n", "    reject: [{labelSelector: app=web}]\n"]);
    let source = format!("kind: {}, name: {}, fieldPath: '{path}'", from.kind, from.name);
    let from = if random.percent(15) { "- sourceValue: literal\n".into() } else { format!("- source: {{{source}}}\n") };
    let select = format!("kind: {}", to.kind);
    k.push_str(&format!(
        "replacements:\n{from}  targets:\n  - select: {{{select}}}\n{reject}    fieldPaths: ['{field}']\n{options}"
    ));
}

impl Maker<'_> {
    fn plugins(&mut self) {
        if self.random.percent(10) {
            let text = self.random.pick(&[
                "nameReference:\n- kind: ConfigMap\n  fieldSpecs:\n  - path: spec/ref/name\n    kind: Widget\n",
                "commonLabels:\n- path: spec/selector\n  kind: Widget\n  create: true\n",
                "images:\n- path: spec/containers[]/image\n  kind: Widget\n  create: true\n",
                "namePrefix:\n- path: metadata/name\n  kind: Deployment\n",
                "varReference:\n- path: data\n  kind: ConfigMap\n",
                "namespace:\n- path: spec/ns\n  create: true\n  kind: Widget\n",
            ]);
            self.file("config.yaml", text);
            self.k.push_str("configurations: [config.yaml]\n");
        }
        if self.random.percent(7) {
            self.file("crd.json", "{\"com.example.v1.Widget\": {\"Schema\": {\"properties\": {\"kind\": {\"type\": \"string\"}, \"apiVersion\": {\"type\": \"string\"}, \"metadata\": {}, \"spec\": {\"$ref\": \"com.example.v1.WidgetSpec\"}}}}, \"com.example.v1.WidgetSpec\": {\"Schema\": {\"properties\": {\"ref\": {\"x-kubernetes-object-ref-api-version\": \"v1\", \"x-kubernetes-object-ref-kind\": \"ConfigMap\"}}}}}");
            self.k.push_str("crds: [crd.json]\n");
        }
        if self.random.percent(7) {
            self.k.push_str("generators:\n- |-\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n  metadata:\n    name: made\n  literals: [x=1]\n");
        }
        if self.random.percent(12) {
            let text = self.random.pick(&[
            "apiVersion: builtin\nkind: LabelTransformer\nmetadata:\n  name: l\nlabels:\n  by: plugin\nfieldSpecs:\n- path: metadata/labels\n  create: true\n",
            "apiVersion: builtin\nkind: PrefixTransformer\nmetadata:\n  name: p\nprefix: plug-\nfieldSpecs:\n- path: metadata/name\n",
            "apiVersion: builtin\nkind: NamespaceTransformer\nmetadata:\n  name: n\n  namespace: plug\nunsetOnly: true\nsetRoleBindingSubjects: allServiceAccounts\n",
            "apiVersion: builtin\nkind: AnnotationsTransformer\nmetadata:\n  name: a\nannotations:\n  bool: true\n  num: 1\nfieldSpecs:\n- path: metadata/annotations\n  create: true\n",
            "apiVersion: builtin\nkind: ImageTagTransformer\nmetadata:\n  name: i\nimageTag:\n  name: nginx\n  newTag: plug\n",
            "apiVersion: builtin\nkind: ValueAddTransformer\nmetadata:\n  name: v\nvalue: added\ntargets:\n- selector: {kind: Widget}\n  fieldPath: spec/value\n",
            "apiVersion: builtin\nkind: PatchTransformer\nmetadata:\n  name: pt\ntarget: {kind: Service}\npatch: '[{\"op\": \"add\", \"path\": \"/spec/type\", \"value\": \"LoadBalancer\"}]'\n",
        ]);
            self.file("transformer.yaml", text);
            self.k.push_str("transformers: [transformer.yaml]\n");
        }
        if self.random.percent(6) {
            self.k.push_str(
                "validators:\n- |-\n  apiVersion: builtin\n  kind: LabelTransformer\n  metadata:\n    name: check\n",
            );
        }
    }
}
