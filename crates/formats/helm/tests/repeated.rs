//! Keys that stand twice: the later one counts, as the reference (3.22) has it everywhere.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use windlass_helm::{Chart, Isolated, Options, Sources, Values};

#[test]
fn the_later_one_counts() {
    let files: BTreeMap<String, Vec<u8>> = [
        ("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\nname: d\n"),
        ("values.yaml", "a: 1\nb: {x: 1, x: 2}\na: 2\n"),
        (
            "templates/a.yaml",
            "kind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\ndata:\n  a: {{ .Values.a }}\n  a: {{ toJson .Values }}\n  b: {{ fromYaml \"a: 1\\na: 2\" | toJson }}\nkind: Secret\n",
        ),
    ]
    .into_iter()
    .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
    .collect();
    let chart = Chart::load(files).unwrap();
    let sources = Sources { files: vec![("v.yaml".to_owned(), "a: 5\na: 6\n".to_owned())], ..Sources::default() };
    let values = Values::merge(&sources, &|path| Err(format!("{path} is not read"))).unwrap();
    let rendered = windlass_helm::template(&chart, &values, &Options::default(), &Isolated, None).unwrap();
    assert_eq!(
        rendered.text,
        "---\n# Source: d/templates/a.yaml\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\ndata:\n  a: 6\n  a: {\"a\":6,\"b\":{\"x\":2}}\n  b: {\"a\":2}\nkind: Secret\n"
    );
    assert_eq!(rendered.documents[0].kind, "Secret");
}
