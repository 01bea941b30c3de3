//! What people get wrong: one change to a kustomization or to an object.

use crate::project::Files;
use crate::random::Random;

pub(crate) fn mistake(random: &mut Random, files: &mut Files) {
    if random.percent(12) {
        let gone = random.below(files.len());
        files.remove(gone);
        return;
    }
    let number = random.below(files.len());
    let (path, content) = &mut files[number];
    let Ok(text) = String::from_utf8(content.clone()) else { return };
    let is_kustomization = path.to_lowercase().contains("kustomization");
    let changed =
        if is_kustomization && random.percent(60) { kustomization(random, &text) } else { anything(random, &text) };
    *content = changed.into_bytes();
}

fn kustomization(random: &mut Random, text: &str) -> String {
    let added = random.pick(&[
        "commonLabels: {app: common, '1': one}\n",
        "configMapGenerator:\n- name: broken\n  options: {annotations: {note: y}}\n",
        "replacements:\n- sourceValue: yes\n  targets: []\n",
        "nameprefix: lower-\n",
        "NamePrefix: upper-\n",
        "unknown: field\n",
        "resources:\n- nowhere.yaml\n",
        "namePrefix: [a]\n",
        "commonLabels: {a: yes}\n",
        "commonLabels: {a: 1}\n",
        "images:\n- nme: nginx\n",
        "images: {name: nginx}\n",
        "images:\n",
        "labels: []\n",
        "patches: null\n",
        "replicas:\n- name: web\n  count: many\n",
        "replicas:\n- name: nobody\n  count: 2\n",
        "patches:\n- path: nowhere.yaml\n",
        "patches:\n- target: {kind: Deployment}\n",
        "patches:\n- patch: '- op: remove'\n  target: {kind: Service}\n",
        "patches:\n- patch: '{}'\n  target: {kind: Service}\n",
        "patches:\n- patch: 'not yaml: ['\n",
        "patches:\n- target: {kind: '(['}\n  patch: |-\n    kind: X\n    metadata: {name: x}\n    a: b\n",
        "configMapGenerator:\n- name: broken\n  literals: [novalue]\n",
        "configMapGenerator:\n- name: broken\n  literals: [a=1, a=2]\n",
        "configMapGenerator:\n- literals: [a=1]\n",
        "configMapGenerator:\n- name: broken\n  behavior: merge\n",
        "configMapGenerator:\n- name: broken\n  behavior: mrge\n",
        "configMapGenerator:\n- name: broken\n  files: [a=b=c]\n",
        "secretGenerator:\n- name: broken\n  envs: [nowhere.env]\n",
        "vars:\n- name: A\n  objref: {kind: ConfigMap, name: nobody, apiVersion: v1}\n",
        "vars:\n- name: ''\n",
        "sortOptions: {order: random}\n",
        "sortOptions: {order: fifo, legacySortOptions: {orderFirst: [A]}}\n",
        "buildMetadata: [everything]\n",
        "openapi: {version: v1.99.0}\n",
        "openapi: {path: nowhere.json}\n",
        "replacements:\n- source: {kind: Nobody}\n  targets: []\n",
        "replacements:\n- sourceValue: x\n  targets:\n  - select: {kind: Deployment}\n    fieldPaths: [spec.none]\n",
        "transformers:\n- |-\n  apiVersion: builtin\n  kind: NoTransformer\n  metadata: {name: x}\n",
        "components: [nowhere]\n",
        "crds: [nowhere.json]\n",
        "configurations: [nowhere.yaml]\n",
        "apiVersion: v1\n",
        "kind: Kustomisation\n",
        "metadata: text\n",
        "? complex\n: key\n",
        "\tnamePrefix: tab\n",
        "namespace: ''\n",
        "namespace: 'Not Valid'\n",
        "namePrefix: 'A_'\n",
        "namePrefix: 1\n",
        "nameSuffix: yes\n",
        "resources: [., objects.yaml]\n",
        "resources: [objects.yaml]\n",
        "commonAnnotations: {a: null}\n",
        "commonAnnotations:\n  a: |\n    two\n    lines\n",
    ]);
    if random.percent(50) { format!("{text}{added}") } else { format!("{added}{text}") }
}

fn anything(random: &mut Random, text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        return "x".into();
    }
    let at = random.below(lines.len());
    match random.below(8) {
        0 => {
            lines.remove(at);
        }
        1 => lines.insert(at, lines[at]),
        2 => lines.truncate(at),
        3 => lines.insert(at, "   odd: indent"),
        4 => lines.insert(at, "\ttab: x"),
        5 => return text.replacen("metadata:", "metadta:", 1),
        6 => return text.replacen("name: ", "name: &a ", 1) + "more: *a\n",
        _ => return text.replacen(": ", ":", 1),
    }
    lines.join("\n") + "\n"
}
