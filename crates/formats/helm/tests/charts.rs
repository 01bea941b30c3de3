//! Charts that use every feature, as the reference rendered them. With `HELM` naming its binary, it is asked again.
#![allow(clippy::unwrap_used)]

#[path = "support/arguments.rs"]
mod arguments;

use std::path::{Path, PathBuf};

/// Names of files in `expected/`, charts, and the arguments behind `NAME CHART`.
const CASES: [(&str, &str, &str); 12] = [
    ("plain", "everything", ""),
    ("production", "everything", "-f values/production.yaml --is-upgrade"),
    ("tags", "everything", "-f values/tags.yaml --include-crds"),
    ("database-again", "everything", "-f values/tags.yaml --set database.enabled=true -n shop"),
    ("global-condition", "everything", "--set global.database=false --no-hooks"),
    (
        "set",
        "everything",
        "--set replicas=3,hosts={a,b},name=x --set-string image.tag=007 --set-json environment={\"A\":null,\"B\":1}",
    ),
    ("literal", "everything", "--set-literal name=a.b,c --set-file extra=values/extra.txt --skip-tests"),
    ("apis", "everything", "-a example.com/v1/Thing,x/v1 --set never=true"),
    ("show-only", "everything", "-s templates/deployment.yaml -s charts/*/templates/config.yaml"),
    ("notes", "everything", "-f values/production.yaml -f values/tags.yaml --set sessions.size=null"),
    ("toml", "toml", ""),
    ("pretty", "pretty", ""),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn all_arguments(chart: &str, flags: &str) -> Vec<String> {
    let own = ["rel", &format!("charts/{chart}"), "--kube-version", "1.34.0"];
    own.into_iter().chain(flags.split_whitespace()).map(str::to_owned).collect()
}

fn expected(name: &str) -> String {
    std::fs::read_to_string(folder().join("expected").join(format!("{name}.yaml"))).unwrap()
}

#[test]
fn charts_render_as_the_reference_renders_them() {
    for (name, chart, flags) in CASES {
        let rendered = arguments::run(&folder(), &all_arguments(chart, flags))
            .unwrap_or_else(|problem| panic!("{name}: {problem}"));
        let wanted = expected(name);
        let different = rendered.text.lines().zip(wanted.lines()).find(|(ours, theirs)| ours != theirs);
        assert_eq!(different, None, "{name}");
        assert_eq!(rendered.text, wanted, "{name}");
    }
}

#[test]
fn nothing_is_forgotten() {
    for entry in std::fs::read_dir(folder().join("expected")).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let known = CASES.iter().any(|(name, ..)| file == format!("{name}.yaml"));
        assert!(known, "{file} belongs to no case");
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the reference is started when somebody names it")]
fn the_reference_still_says_so() {
    let Ok(helm) = std::env::var("HELM") else {
        println!("skipped: HELM names no binary");
        return;
    };
    for (name, chart, flags) in CASES {
        let output = std::process::Command::new(&helm)
            .arg("template")
            .args(all_arguments(chart, flags))
            .current_dir(folder())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected(name), "{name}");
    }
}

#[test]
fn documents_know_where_they_come_from() {
    let rendered = arguments::run(&folder(), &all_arguments("everything", "--include-crds")).unwrap();
    let sources: Vec<String> =
        rendered.documents.iter().map(|one| format!("{} {} {}", one.kind, one.name, one.source)).collect();
    insta::assert_snapshot!(sources.join("\n"));
    let hooks: Vec<String> = rendered
        .hooks
        .iter()
        .map(|one| {
            let hook = one.hook.clone().unwrap_or_default();
            format!("{} {} {:?} {} {:?}", one.kind, one.name, hook.events, hook.weight, hook.delete_policies)
        })
        .collect();
    insta::assert_snapshot!(hooks.join("\n"));
    assert_eq!(rendered.notes, "everything runs as rel.\n");
    assert_eq!(rendered.crds.len(), 1);
    insta::assert_snapshot!(rendered.warnings.join("\n"));
}

#[test]
fn what_is_wrong_has_the_words_of_the_reference() {
    let problem = |flags: &str| arguments::run(&folder(), &all_arguments("everything", flags)).unwrap_err();
    insta::assert_snapshot!(problem("-f values/wrong.yaml"));
    insta::assert_snapshot!(problem("--kube-version 1.20"));
    insta::assert_snapshot!(problem("--kube-version x"));
    insta::assert_snapshot!(problem("-s templates/none.yaml"));
    insta::assert_snapshot!(problem("--set hosts=null --set environment=x"));
    insta::assert_snapshot!(problem("--set a[0"));
}
