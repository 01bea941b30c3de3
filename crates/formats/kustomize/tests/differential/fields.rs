//! Fields that need no files of their own.

use crate::objects::{Known, NAMESPACES};
use crate::project::{Maker, known};
use crate::random::Random;

pub(crate) fn simple(maker: &mut Maker<'_>, all: &[Known]) {
    names(maker);
    labels(maker.random, &mut maker.k);
    images(maker.random, &mut maker.k);
    output(maker.random, &mut maker.k);
    let (random, k) = (&mut *maker.random, &mut maker.k);
    if random.percent(25)
        && let Some(known) = known(random, all, |known| known.is_workload() && known.kind != "DaemonSet")
    {
        k.push_str(&format!("replicas:\n- name: {}\n  count: {}\n", known.name, random.pick(&["7", "0", "12"])));
    }
    if random.percent(22) {
        variables(random, k, all);
    }
}

fn names(maker: &mut Maker<'_>) {
    let has_prefix = maker.taken.contains(&"namePrefix");
    let (random, k) = (&mut *maker.random, &mut maker.k);
    if !has_prefix && random.percent(30) {
        k.push_str(&format!("namePrefix: {}\n", random.pick(&["pre-", "'1'", "a-", "a.b-"])));
    }
    if random.percent(20) {
        k.push_str(&format!("nameSuffix: {}\n", random.pick(&["-suf", "'-2'", "-v1.0"])));
    }
    if random.percent(30) {
        k.push_str(&format!("namespace: {}\n", random.pick(&NAMESPACES)));
    }
}

fn labels(random: &mut Random, k: &mut String) {
    if random.percent(40) {
        k.push_str("labels:\n");
        for _ in 0..1 + random.below(2) {
            let value = random.pick(&["new", "'2'", "''", "'yes'", "a.b"]);
            let key = random.pick(&["app", "example.com/team", "tier", "z"]);
            k.push_str(&format!("- pairs:\n    team: core\n    {key}: {value}\n"));
            k.push_str(random.pick(&[
                "",
                "  includeSelectors: true\n",
                "  includeTemplates: true\n",
                "  includeSelectors: false\n  includeTemplates: true\n",
                "  includeSelectors: true\n  includeTemplates: true\n",
            ]));
            k.push_str(random.pick(&[
                "",
                "",
                "  fields:\n  - path: spec/extra\n    create: true\n    kind: Widget\n",
                "  fields:\n  - path: spec/selector\n    group: example.com\n    create: true\n  - {path: spec/template/metadata/labels, version: v1, kind: Job}\n",
            ]));
        }
    }
    random.maybe(15, k, &["commonLabels:\n  common: label\n", "commonLabels: {app: common, one: '1'}\n"]);
    if random.percent(20) {
        let value = random.pick(&["me", "'1'", "'yes'", "\"line\\nbreak\"", "'a: b'", "''"]);
        k.push_str(&format!("commonAnnotations:\n  who: {value}\n  example.com/why: because\n"));
    }
}

fn images(random: &mut Random, k: &mut String) {
    for (field, chance) in [("images", 35), ("imageTags", 8)] {
        if !random.percent(chance) {
            continue;
        }
        k.push_str(&format!("{field}:\n"));
        for _ in 0..1 + random.below(2) {
            let name =
                random.pick(&["nginx", "registry:5000/team/app", ".*box", "app", "other/image", "sidecar", "a+"]);
            let change = random.pick(&[
                "newTag: v2",
                "newName: other/image",
                "digest: sha256:dddd",
                "newTag: '9'\n  digest: sha256:eeee",
                "tagSuffix: -x",
                "newName: r:1/x\n  newTag: latest",
                "newTag: ''",
                "newName: nginx\n  tagSuffix: -y",
                "newTag: '1.0'\n  tagSuffix: -z",
                "digest: sha256:ffff\n  newName: x",
            ]);
            k.push_str(&format!("- name: {name}\n  {change}\n"));
        }
    }
}

fn output(random: &mut Random, k: &mut String) {
    random.maybe(18, k, &[
            "sortOptions: {order: fifo}\n",
            "sortOptions: {order: legacy}\n",
            "sortOptions:\n  order: legacy\n  legacySortOptions:\n    orderFirst: [Service, Deployment]\n    orderLast: [ConfigMap]\n",
            "sortOptions:\n  order: legacy\n  legacySortOptions:\n    orderFirst: [Widget]\n    orderLast: [Namespace, Deployment]\n",
        ]);
    random.maybe(
        18,
        k,
        &[
            "buildMetadata: [originAnnotations]\n",
            "buildMetadata: [originAnnotations, transformerAnnotations]\n",
            "buildMetadata: [managedByLabel]\n",
            "buildMetadata: [transformerAnnotations, managedByLabel]\n",
        ],
    );
    random.maybe(
        7,
        k,
        &[
            "metadata:\n  name: it\n  annotations: {a: b}\n",
            "metadata:\n  name: it\n  labels: {a: b}\n  annotations: {config.kubernetes.io/local-config: 'true'}\n",
        ],
    );
    if random.percent(6) {
        k.push_str("openapi: {version: v1.21.2}\n");
    }
}

fn variables(random: &mut Random, k: &mut String, all: &[Known]) {
    let mut list = String::new();
    let first = random.below(4);
    for number in 0..1 + random.below(2) {
        let suits =
            |known: &Known| matches!(&*known.kind, "Service" | "ConfigMap" | "Deployment" | "Widget" | "Secret");
        let Some(known) = known(random, all, suits) else { break };
        let field = match &*known.kind {
            "Service" => "spec.ports[0].port",
            "Deployment" => "spec.template.spec.containers[0].image",
            "Widget" => "spec.list[1].name",
            _ => "kind",
        };
        let of_kind = format!("  fieldref: {{fieldPath: '{field}'}}\n");
        let namespace = match &known.namespace {
            Some(namespace) if random.percent(70) => format!(", namespace: {namespace}"),
            _ => String::new(),
        };
        list.push_str(&format!(
            "- name: {}\n  objref: {{apiVersion: {}, kind: {}, name: {}{namespace}}}\n{}",
            ["VAR_A", "VAR_B", "VAR_C", "VAR_D"][(first + number) % 4],
            known.version,
            known.kind,
            known.name,
            random.pick(&["", "  fieldref: {fieldPath: metadata.name}\n", &of_kind])
        ));
    }
    if !list.is_empty() {
        k.push_str(&format!("vars:\n{list}"));
    }
}
