//! `configurations`, `crds`, `openapi`, `generators`, `transformers` and `validators`.

use crate::project::Maker;
use crate::random::Random;

const CONFIGURATIONS: [&str; 12] = [
    "nameReference:\n- kind: ConfigMap\n  fieldSpecs:\n  - path: spec/ref/name\n    kind: Widget\n",
    "nameReference:\n- kind: Widget\n  group: example.com\n  fieldSpecs:\n  - path: metadata/annotations/note\n  - {path: data/a, kind: ConfigMap}\n",
    "commonLabels:\n- path: spec/selector\n  kind: Widget\n  create: true\n",
    "images:\n- path: spec/containers[]/image\n  kind: Widget\n  create: true\n",
    "images:\n- path: data/a\n  kind: ConfigMap\n",
    "namePrefix:\n- path: metadata/name\n  kind: Deployment\n",
    "namePrefix:\n- path: spec/ref/name\n  kind: Widget\n",
    "varReference:\n- path: data\n  kind: ConfigMap\n",
    "namespace:\n- path: spec/ns\n  create: true\n  kind: Widget\n",
    "commonAnnotations:\n- path: spec/notes\n  create: true\n  kind: Widget\n",
    "replicas:\n- path: spec/size\n  create: true\n  kind: Widget\n",
    "templateLabels:\n- path: spec/labels\n  create: true\n  kind: Widget\nlabels:\n- path: spec/more\n  create: true\n  kind: Widget\n",
];

const CRD: &str = r#"{"com.example.v1.Widget": {"Schema": {"properties": {"kind": {"type": "string"}, "apiVersion": {"type": "string"}, "metadata": {}, "spec": {"$ref": "com.example.v1.WidgetSpec"}}}}, "com.example.v1.WidgetSpec": {"Schema": {"properties": {"ref": {"x-kubernetes-object-ref-api-version": "v1", "x-kubernetes-object-ref-kind": "ConfigMap"}}}}}"#;

const OPENAPI: &str = r#"{"definitions": {"v1.Widget": {"type": "object", "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Widget"}], "properties": {"spec": {"type": "object", "properties": {"list": {"type": "array", "x-kubernetes-patch-merge-key": "name", "x-kubernetes-patch-strategy": "merge", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}}}}}}}"#;

const TRANSFORMERS: [&str; 18] = [
    "apiVersion: builtin\nkind: LabelTransformer\nmetadata:\n  name: l\nlabels:\n  by: plugin\nfieldSpecs:\n- path: metadata/labels\n  create: true\n",
    "apiVersion: builtin\nkind: PrefixTransformer\nmetadata:\n  name: p\nprefix: plug-\nfieldSpecs:\n- path: metadata/name\n",
    "apiVersion: builtin\nkind: SuffixTransformer\nmetadata:\n  name: s\nsuffix: -plug\nfieldSpecs:\n- path: metadata/name\n  kind: Service\n",
    "apiVersion: builtin\nkind: PrefixSuffixTransformer\nmetadata:\n  name: s\nprefix: b-\nsuffix: -e\nfieldSpecs:\n- path: metadata/name\n",
    "apiVersion: builtin\nkind: NamespaceTransformer\nmetadata:\n  name: n\n  namespace: plug\nunsetOnly: true\nsetRoleBindingSubjects: allServiceAccounts\n",
    "apiVersion: builtin\nkind: NamespaceTransformer\nmetadata:\n  name: n\n  namespace: plug\nsetRoleBindingSubjects: none\nfieldSpecs:\n- path: metadata/namespace\n  create: true\n",
    "apiVersion: builtin\nkind: NamespaceTransformer\nmetadata:\n  name: n\n  namespace: plug\nsetRoleBindingSubjects: defaultOnly\nfieldSpecs:\n- path: metadata/namespace\n  create: true\n",
    "apiVersion: builtin\nkind: AnnotationsTransformer\nmetadata:\n  name: a\nannotations:\n  bool: true\n  num: 1\nfieldSpecs:\n- path: metadata/annotations\n  create: true\n",
    "apiVersion: builtin\nkind: ImageTagTransformer\nmetadata:\n  name: i\nimageTag:\n  name: nginx\n  newTag: plug\n",
    "apiVersion: builtin\nkind: ImageTagTransformer\nmetadata:\n  name: i\nimageTag:\n  name: nginx\n  newName: by/plug\nfieldSpecs:\n- path: spec/containers[]/image\n",
    "apiVersion: builtin\nkind: ValueAddTransformer\nmetadata:\n  name: v\nvalue: added\ntargets:\n- selector: {kind: Widget}\n  fieldPath: spec/value\n",
    "apiVersion: builtin\nkind: PatchTransformer\nmetadata:\n  name: pt\ntarget: {kind: Service}\npatch: '[{\"op\": \"add\", \"path\": \"/spec/type\", \"value\": \"LoadBalancer\"}]'\n",
    "apiVersion: builtin\nkind: PatchTransformer\nmetadata:\n  name: pt\ntarget: {kind: ConfigMap}\npatch: |-\n  kind: ConfigMap\n  metadata: {name: any}\n  data: {plug: in}\n",
    "apiVersion: builtin\nkind: PatchJson6902Transformer\nmetadata:\n  name: pj\ntarget: {version: v1, kind: Service, name: web}\njsonOp: '[{\"op\": \"add\", \"path\": \"/x\", \"value\": 1}]'\n",
    "apiVersion: builtin\nkind: ReplicaCountTransformer\nmetadata:\n  name: r\nreplica: {name: web, count: 3}\nfieldSpecs:\n- path: spec/replicas\n  create: true\n  kind: Deployment\n",
    "apiVersion: builtin\nkind: ReplacementTransformer\nmetadata:\n  name: rt\nreplacements:\n- sourceValue: plugged\n  targets:\n  - select: {kind: ConfigMap}\n    fieldPaths: [metadata.annotations.plug]\n    options: {create: true}\n",
    "apiVersion: builtin\nkind: HashTransformer\nmetadata:\n  name: h\n",
    "apiVersion: builtin\nkind: LabelTransformer\nmetadata:\n  name: l\nlabels: {app: plug}\nfieldSpecs:\n- path: spec/selector/matchLabels\n- path: spec/template/metadata/labels\n  create: true\n  kind: Deployment\n  group: apps\n",
];

const GENERATORS: [&str; 4] = [
    "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata:\n  name: made\nliterals: [x=1]\n",
    "apiVersion: builtin\nkind: SecretGenerator\nmetadata:\n  name: made\n  namespace: prod\nliterals: [x=1]\noptions: {disableNameSuffixHash: true}\n",
    "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata:\n  name: made\n  annotations: {a: b}\nbehavior: create\noptions:\n  labels: {app: web}\n",
    "apiVersion: builtin\nkind: IAMPolicyGenerator\nmetadata:\n  name: iam\ncloud: gke\nkubernetesService:\n  namespace: prod\n  name: web\nserviceAccount:\n  name: gsa\n  projectId: p-1\n",
];

const VALIDATORS: [&str; 2] = [
    "apiVersion: builtin\nkind: LabelTransformer\nmetadata:\n  name: check\n",
    "apiVersion: builtin\nkind: PatchTransformer\nmetadata:\n  name: check\ntarget: {kind: Nothing}\npatch: '[{\"op\": \"remove\", \"path\": \"/spec\"}]'\n",
];

pub(crate) fn plugins(maker: &mut Maker<'_>) {
    if maker.random.percent(12) {
        let text = maker.random.pick(&CONFIGURATIONS);
        maker.file("config.yaml", text);
        let more = maker.random.percent(20).then(|| maker.random.pick(&CONFIGURATIONS)).filter(|more| *more != text);
        if let Some(more) = more {
            maker.file("more-config.yaml", more);
        }
        let list = if more.is_some() { "config.yaml, more-config.yaml" } else { "config.yaml" };
        maker.k.push_str(&format!("configurations: [{list}]\n"));
    }
    if maker.random.percent(7) {
        maker.file("crd.json", CRD);
        maker.k.push_str("crds: [crd.json]\n");
    }
    if !maker.k.contains("openapi:") && maker.random.percent(6) {
        maker.file("schema.json", OPENAPI);
        maker.k.push_str("openapi: {path: schema.json}\n");
    }
    for (field, chance, all) in [
        ("generators", 8, &GENERATORS[..]),
        ("transformers", 14, &TRANSFORMERS[..]),
        ("validators", 6, &VALIDATORS[..]),
    ] {
        if maker.random.percent(chance) {
            let text = pick(maker.random, all);
            plugin(maker, field, text);
        }
    }
}

fn pick(random: &mut Random, all: &[&'static str]) -> &'static str {
    random.pick(all)
}

/// In the kustomization, in a file, or in a folder.
fn plugin(maker: &mut Maker<'_>, field: &str, text: &str) {
    match maker.random.below(4) {
        0 => {
            let inline = crate::project::block(text, 2);
            maker.k.push_str(&format!("{field}:\n- |-\n{inline}"));
        }
        1 => {
            maker.file(&format!("{field}/kustomization.yaml"), "resources: [plugin.yaml]\n");
            maker.file(&format!("{field}/plugin.yaml"), text);
            maker.k.push_str(&format!("{field}: [{field}]\n"));
        }
        _ => {
            maker.file(&format!("{field}.yaml"), text);
            maker.k.push_str(&format!("{field}: [{field}.yaml]\n"));
        }
    }
}
