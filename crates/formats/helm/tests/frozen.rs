//! Random charts and templates with what the reference made of them (`examples/differential` makes more, and freezes them).
#![allow(clippy::unwrap_used, clippy::panic)]

use serde_json::Value as Json;
use windlass_helm::{Chart, HelmError, Isolated, Options, Rendered, Sources, Values};

fn texts(case: &Json, name: &str) -> Vec<String> {
    let all = case[name].as_array().into_iter().flatten();
    all.map(|text| text.as_str().unwrap_or_default().to_owned()).collect()
}

fn render(case: &Json) -> Result<Rendered, HelmError> {
    let files = case["files"].as_object().unwrap().iter();
    let files = files.map(|(name, text)| (name.clone(), text.as_str().unwrap().as_bytes().to_vec())).collect();
    let sources = Sources {
        files: texts(case, "values").into_iter().map(|text| ("values.yaml".to_owned(), text)).collect(),
        set: texts(case, "set"),
        string: texts(case, "setString"),
        json: texts(case, "setJson"),
        literal: texts(case, "setLiteral"),
        ..Sources::default()
    };
    let values = Values::merge(&sources, &|path| Err(format!("{path} is not read here")))?;
    let flag = |name: &str| case[name] == true;
    let mut options = Options {
        release_name: "rel".to_owned(),
        include_crds: flag("includeCrds"),
        is_upgrade: flag("isUpgrade"),
        no_hooks: flag("noHooks"),
        skip_tests: flag("skipTests"),
        ..Options::default()
    };
    options.capabilities.api_versions.extend(texts(case, "apis"));
    windlass_helm::template(&Chart::load(files)?, &values, &options, &Isolated, None)
}

fn check(frozen: &str) {
    let (mut accepted, mut refused) = (0, 0);
    for line in frozen.lines() {
        let frozen: Json = serde_json::from_str(line).unwrap();
        let (seed, answer) = (&frozen["seed"], &frozen["answer"]);
        match (render(&frozen["case"]), answer["error"].as_str()) {
            (Ok(rendered), None) => {
                assert_eq!(rendered.text, answer["text"].as_str().unwrap(), "seed {seed}");
                assert_eq!(rendered.notes, answer["notes"].as_str().unwrap(), "seed {seed}");
                accepted += 1;
            }
            (Err(_), Some(_)) => refused += 1,
            (Err(problem), None) => panic!("seed {seed}: {problem}"),
            (Ok(_), Some(problem)) => panic!("seed {seed}: the reference says {problem}"),
        }
    }
    assert!(accepted >= 20 && refused >= 10, "{accepted} accepted and {refused} refused");
}

#[test]
fn charts() {
    check(include_str!("frozen/charts.jsonl"));
}

#[test]
fn templates() {
    check(include_str!("frozen/templates.jsonl"));
}
