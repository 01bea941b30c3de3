//! YAML, kustomizations, templates and charts.

use std::collections::BTreeMap;
use windlass_gotemplate::{Limits, Templates};
use windlass_helm::{Chart, Isolated, Values};
use windlass_kustomize::{MemoryFiles, build};
use windlass_yaml::{NumberStyle, Options, parse, to_yaml};

/// YAML by each table of scalars: a text that is read gives values that can be written and read again to the same.
pub fn yaml(bytes: &[u8]) {
    let Ok(text) = windlass_yaml::decode("input", bytes) else { return };
    for options in [Options::DOCUMENT, Options::OBJECTS, Options::CONTROL] {
        let Ok(documents) = parse("input", text, &options) else { continue };
        for document in documents {
            let value = document.root.to_json(NumberStyle::Typed);
            let written = to_yaml(&value);
            let again = parse("written", &written, &Options::OBJECTS);
            let again = again.unwrap_or_else(|problems| panic!("{problems}\n{written}"));
            let found = again.first().map(|document| document.root.to_json(NumberStyle::Typed)).unwrap_or_default();
            assert_eq!(to_yaml(&found), written, "written once more it is another text");
        }
    }
}

/// Folders of files with a kustomization in `root`: what is built can be read again, and every value has an origin.
pub fn kustomization(bytes: &[u8]) {
    let files: MemoryFiles = files(bytes).into_iter().map(|(path, content)| (format!("/{path}"), content)).collect();
    let Ok(built) = build(&files, "/root", &windlass_kustomize::Options::default()) else { return };
    let text = built.to_yaml();
    for line in built.lines() {
        assert!(line.origin.place.is_some(), "line {} comes from nowhere:\n{text}", line.line);
    }
    let again = parse("built", &text, &Options::OBJECTS).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    assert_eq!(again.iter().filter(|document| !document.root.is_null()).count(), built.objects.len(), "{text}");
}

/// One template with values to work on: it ends, with a text within its limits or with a problem.
pub fn template(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let values = serde_json::json!({"Values": {
        "name": "shop", "count": 3, "ratio": 0.5, "on": true, "none": null, "list": ["a", 1, null], "map": {"x": {"y": "z"}},
    }, "Release": {"Name": "one"}});
    let limits = Limits { steps: 100_000, depth: 100, output: 1 << 20 };
    for options in [windlass_gotemplate::Options::HELM, windlass_gotemplate::Options::default()] {
        let Ok(templates) = Templates::parse_with(&[("t", text)], options) else { continue };
        if let Ok(made) = templates.render("t", &values, &limits) {
            assert!(made.len() <= limits.output, "{} bytes", made.len());
        }
    }
}

/// The files of a chart, or an archive: it is loaded and rendered, or refused.
pub fn chart(bytes: &[u8]) {
    let chart = match bytes {
        [0x1f, 0x8b, ..] => Chart::load_archive(bytes),
        _ => Chart::load(files(bytes)),
    };
    let Ok(chart) = chart else { return };
    let limits = Limits { steps: 100_000, depth: 100, output: 1 << 20 };
    let options = windlass_helm::Options { limits, include_crds: true, ..windlass_helm::Options::default() };
    let _ = windlass_helm::template(&chart, &Values::default(), &options, &Isolated, None);
}

/// Files behind lines `-- path`.
fn files(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut out = BTreeMap::new();
    let mut path = None;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if let Some(name) = line.strip_prefix(b"-- ") {
            path = Some(String::from_utf8_lossy(name).trim().to_owned());
            out.entry(path.clone().unwrap_or_default()).or_insert_with(Vec::new);
        } else if let Some(content) = path.as_ref().and_then(|path| out.get_mut(path)) {
            content.extend_from_slice(line);
        }
    }
    out
}
