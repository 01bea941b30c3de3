//! `replacements`.

use crate::objects::Known;
use crate::project::{Maker, known};
use crate::random::Random;

pub(crate) fn replacements(maker: &mut Maker<'_>, all: &[Known]) {
    if !maker.random.percent(26) {
        return;
    }
    let mut list = String::new();
    for _ in 0..1 + maker.random.below(2) {
        if let Some(text) = replacement(maker.random, all) {
            list.push_str(&text);
        }
    }
    if list.is_empty() {
        return;
    }
    if maker.random.percent(25) {
        maker.k.push_str("replacements:\n- path: replacement.yaml\n");
        maker.file("replacement.yaml", list);
    } else {
        maker.k.push_str(&format!("replacements:\n{list}"));
    }
}

fn replacement(random: &mut Random, all: &[Known]) -> Option<String> {
    let mut out = source(random, all)?;
    out.push_str("  targets:\n");
    for _ in 0..1 + random.below(2) {
        let to = known(random, all, |_| true)?;
        out.push_str(&target(random, to));
    }
    Some(out)
}

fn source(random: &mut Random, all: &[Known]) -> Option<String> {
    if random.percent(20) {
        return Some(format!("- sourceValue: {}\n", random.pick(&["literal", "'1'", "'yes'", "\"a\\nb\"", "a-b-c"])));
    }
    let from = known(random, all, |_| true)?;
    let path = match &*from.kind {
        "ConfigMap" if from.text.contains("  a: ") => "data.a",
        "ConfigMap" if from.text.contains("  z10: ") => random.pick(&["data.z10", "data"]),
        "Service" => random.pick(&[
            "spec.ports.0.port",
            "spec.ports.[port=80].targetPort",
            "spec.selector.app",
            "spec.ports.-.port",
        ]),
        "Widget" => random.pick(&["spec.list.[name=a].v", "spec.ref.name", "spec.list.0.name"]),
        _ if from.is_workload() => random.pick(&[
            "metadata.name",
            "spec.template.spec.containers.0.image",
            "spec.template.spec.containers.[name=main].name",
            "kind",
        ]),
        _ => random.pick(&["metadata.name", "kind", "apiVersion"]),
    };
    let options = random.pick(&[
        "",
        "",
        "",
        "    options: {delimiter: '-', index: 0}\n",
        "    options: {delimiter: ':'}\n",
        "    options: {delimiter: '.', index: 0}\n",
    ]);
    let path = if random.percent(12) { String::new() } else { format!("    fieldPath: '{path}'\n") };
    let namespace = from.namespace.as_ref().filter(|_| random.percent(60)).map(|ns| format!("    namespace: {ns}\n"));
    Some(format!(
        "- source:\n    kind: {}\n    name: {}\n{}{path}{options}",
        from.kind,
        from.name,
        namespace.unwrap_or_default()
    ))
}

fn target(random: &mut Random, to: &Known) -> String {
    let field = if to.is_workload() {
        random.pick(&[
            "spec.template.metadata.labels.app",
            "spec.replicas",
            "spec.template.spec.containers.[name=main].image",
            "spec.template.spec.containers.*.image",
            "spec.template.spec.containers.0.image",
            "spec.template.spec.containers.[name=main].env.[name=A].value",
            "spec.template.spec.containers.[name=new].image",
            "spec.template.spec.[x.y/z]",
        ])
    } else {
        random.pick(&[
            "metadata.annotations.note",
            "metadata.annotations.[a.b/c]",
            "metadata.annotations.a\\.b",
            "data.b",
            "metadata.labels.app",
            "extra.deep.field",
        ])
    };
    let options = random.pick(&[
        "    options: {create: true}\n",
        "    options: {create: true}\n",
        "    options: {create: true}\n",
        "    options: {delimiter: ':', index: 1, create: true}\n",
        "    options: {delimiter: '-', index: -1, create: true}\n",
        "    options: {delimiter: '/', index: 5, create: true}\n",
    ]);
    let reject = random.pick(&[
        "",
        "",
        "    reject: [{name: nobody}]\n",
        "    reject: [{labelSelector: app=web}]\n",
        "    reject: [{kind: Service}, {namespace: prod}]\n",
        "    reject: [{annotationSelector: note}]\n",
    ]);
    let select = match random.below(7) {
        0 => format!("kind: {}, name: {}", to.kind, to.name),
        1 => format!("name: {}", to.name),
        2 => "labelSelector: app=web".to_owned(),
        3 => to.version.split_once('/').map_or_else(
            || format!("version: v1, kind: {}", to.kind),
            |(group, version)| format!("group: {group}, version: {version}, kind: {}", to.kind),
        ),
        _ => format!("kind: {}", to.kind),
    };
    let fields = match random.below(8) {
        0 => String::new(),
        1 => format!("    fieldPaths: ['{field}', metadata.annotations.more]\n"),
        _ => format!("    fieldPaths: ['{field}']\n"),
    };
    format!("  - select: {{{select}}}\n{reject}{fields}{options}")
}
