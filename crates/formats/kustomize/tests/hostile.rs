//! What a hostile or careless author may write: refused with a text, never a panic, and in bounded time.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests may fail by panic, their helpers too")]

use windlass_kustomize::{KustomizeError, MemoryFiles, Options, Problem, build};

fn refused(files: &[(&str, &str)]) -> Box<KustomizeError> {
    let files: MemoryFiles = files.iter().copied().collect();
    build(&files, "/app", &Options::default()).expect_err("it must be refused")
}

fn accepted(files: &[(&str, &str)]) -> String {
    let files: MemoryFiles = files.iter().copied().collect();
    build(&files, "/app", &Options::default()).expect("it must be built").to_yaml()
}

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  a: text\n";

#[test]
fn files_that_are_not_there() {
    let error = refused(&[("/app/kustomization.yaml", "resources:\n- missing.yaml\n")]);
    assert_eq!(error.problem, Problem::Load);
    assert_eq!(error.place.as_ref().map(ToString::to_string).as_deref(), Some("/app/kustomization.yaml:2:3"));
    assert!(error.message.contains("'/app/missing.yaml' doesn't exist"), "{error}");
    assert_eq!(refused(&[("/other/file", "")]).problem, Problem::Load);
    assert_eq!(refused(&[("/app/deploy.yaml", MAP)]).problem, Problem::Load);
}

#[test]
fn several_kustomization_files() {
    let error = refused(&[("/app/kustomization.yaml", "namePrefix: a"), ("/app/Kustomization", "namePrefix: b")]);
    assert!(error.message.starts_with("Found multiple kustomization files under: /app"), "{error}");
}

#[test]
fn unknown_fields_get_the_nearest_name() {
    let error = refused(&[("/app/kustomization.yaml", "namePrefx: a-\n")]);
    assert_eq!(
        error.to_string(),
        "/app/kustomization.yaml:1:12: invalid Kustomization: json: unknown field \"namePrefx\" (did you mean `namePrefix`?)"
    );
}

#[test]
fn values_of_another_type() {
    let error = refused(&[("/app/kustomization.yaml", "commonLabels:\n  a: yes\n")]);
    assert_eq!(error.problem, Problem::Kustomization);
    assert_eq!(error.place.map(|place| (place.line, place.column)), Some((2, 6)));
    assert_eq!(error.remedy.as_deref(), Some("put the value in quotes"));
}

#[test]
fn cycles() {
    let error = refused(&[
        ("/app/kustomization.yaml", "resources: [../base]"),
        ("/base/kustomization.yaml", "resources: [../app]"),
    ]);
    assert_eq!(error.problem, Problem::Cycle);
    assert_eq!(refused(&[("/app/kustomization.yaml", "resources: [.]")]).problem, Problem::Cycle);
    assert_eq!(
        refused(&[("/app/kustomization.yaml", "resources: [..]"), ("/kustomization.yaml", "")]).problem,
        Problem::Cycle
    );
}

#[test]
fn files_outside_of_the_folder() {
    let secret = ("/secret.yaml", MAP);
    for path in ["../secret.yaml", "/secret.yaml", "x/../../secret.yaml"] {
        let text = format!("resources: [{path}]");
        let error = refused(&[("/app/kustomization.yaml", &text), secret]);
        assert_eq!(error.problem, Problem::Security, "{path}: {error}");
        let text = format!("configMapGenerator:\n- name: c\n  files: [k={path}]");
        let error = refused(&[("/app/kustomization.yaml", &text), secret]);
        assert_eq!(error.problem, Problem::Security, "{path}: {error}");
    }
    assert_eq!(
        refused(&[("/app/kustomization.yaml", "resources: [/base]"), ("/base/kustomization.yaml", "")]).problem,
        Problem::Security
    );
}

#[test]
fn the_network_is_refused_without_a_way_to_it() {
    for address in ["https://github.com/org/repo?ref=v1", "git@github.com:org/repo.git", "https://example.com/a.yaml"] {
        let text = format!("resources: ['{address}']");
        assert_eq!(refused(&[("/app/kustomization.yaml", &text)]).problem, Problem::Load, "{address}");
    }
}

#[test]
fn programs_and_containers() {
    let plugin = "apiVersion: example.com/v1\nkind: Program\nmetadata:\n  name: p\n";
    let error = refused(&[("/app/kustomization.yaml", "transformers: [p.yaml]"), ("/app/p.yaml", plugin)]);
    assert_eq!(error.problem, Problem::Plugin);
    assert!(error.message.contains("unable to load external plugin 'Program'"), "{error}");
    let misspelled = "apiVersion: builtin\nkind: LabelTransfomer\nmetadata:\n  name: p\n";
    let error = refused(&[("/app/kustomization.yaml", "transformers: [p.yaml]"), ("/app/p.yaml", misspelled)]);
    assert_eq!(error.remedy.as_deref(), Some("did you mean `LabelTransformer`?"));
}

#[test]
fn aliases_do_not_multiply_without_end() {
    let mut bomb =
        String::from("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let before = level - 1;
        bomb.push_str(&format!(
            "a{level}: &a{level} [*a{before}, *a{before}, *a{before}, *a{before}, *a{before}, *a{before}]\n"
        ));
    }
    let error = refused(&[("/app/kustomization.yaml", "resources: [bomb.yaml]"), ("/app/bomb.yaml", &bomb)]);
    assert_eq!(error.problem, Problem::Malformed);
}

#[test]
fn replacements_do_not_multiply_without_end() {
    let mut text = String::from("resources: [map.yaml]\nreplacements:\n");
    for _ in 0..60 {
        text.push_str("- source: {kind: ConfigMap, fieldPath: data}\n  targets:\n  - select: {kind: ConfigMap}\n    fieldPaths: [data.x]\n    options: {create: true}\n");
        text.push_str("- source: {kind: ConfigMap, fieldPath: data}\n  targets:\n  - select: {kind: ConfigMap}\n    fieldPaths: [data.y]\n    options: {create: true}\n");
    }
    let error = refused(&[("/app/kustomization.yaml", &text), ("/app/map.yaml", MAP)]);
    assert_eq!(error.problem, Problem::Limit, "{error}");

    let mut text = String::from("resources: [map.yaml]\nreplacements:\n");
    for _ in 0..60 {
        text.push_str("- source: {kind: ConfigMap, fieldPath: data.a}\n  targets:\n  - select: {kind: ConfigMap}\n    fieldPaths: [data.a]\n    options: {delimiter: '/', index: 9}\n");
    }
    let error = refused(&[("/app/kustomization.yaml", &text), ("/app/map.yaml", MAP)]);
    assert_eq!(error.problem, Problem::Limit, "{error}");
}

#[test]
fn an_element_that_its_own_expression_does_not_match() {
    let text = "resources: [map.yaml]\nreplacements:\n- sourceValue: v\n  targets:\n  - select: {kind: ConfigMap}\n    fieldPaths: ['list.[name=^x.$]']\n    options: {create: true}\n";
    assert_eq!(refused(&[("/app/kustomization.yaml", text), ("/app/map.yaml", MAP)]).problem, Problem::Replacement);
}

#[test]
fn objects_without_names_and_texts_that_are_no_objects() {
    for text in [
        "just text",
        "- a\n- b",
        "kind: ConfigMap",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {}",
        "a: b: c",
        "\u{0}",
    ] {
        let error = refused(&[("/app/kustomization.yaml", "resources: [x.yaml]"), ("/app/x.yaml", text)]);
        assert_eq!(error.problem, Problem::Malformed, "{text}: {error}");
    }
}

#[test]
fn bytes_that_are_no_text() {
    let files: MemoryFiles =
        [("/app/kustomization.yaml", b"resources: [x.yaml]".to_vec()), ("/app/x.yaml", vec![0xff, 0xfe, 0x00])]
            .into_iter()
            .collect();
    let error = build(&files, "/app", &Options::default()).expect_err("it must be refused");
    assert_eq!(error.problem, Problem::Malformed);
}

#[test]
fn every_output_value_has_a_place() {
    let files: MemoryFiles = [
        ("/app/kustomization.yaml", "resources: [map.yaml]\nnamePrefix: p-\nnamespace: prod\ncommonLabels:\n  team: core\nconfigMapGenerator:\n- name: gen\n  literals: [a=1]\n"),
        ("/app/map.yaml", MAP),
    ]
    .into_iter()
    .collect();
    let built = build(&files, "/app", &Options::default()).expect("it must be built");
    let text = built.to_yaml();
    let lines: Vec<&str> = text.lines().collect();
    let found = built.lines();
    assert!(found.iter().all(|line| line.origin.place.is_some()), "{found:#?}");
    let of = |wanted: &str| {
        let line = found.iter().find(|line| lines[line.line - 1].trim() == wanted).expect(wanted);
        let place = line.origin.place.as_ref().map(ToString::to_string).unwrap_or_default();
        (place, line.origin.transformers())
    };
    assert_eq!(of("a: text"), ("/app/map.yaml:6:6".into(), vec![]));
    assert_eq!(of("name: p-settings"), ("/app/map.yaml:4:9".into(), vec!["namePrefix"]));
    assert_eq!(of("team: core"), ("/app/kustomization.yaml:5:9".into(), vec!["labels"]));
    assert_eq!(of("namespace: prod").1, vec!["namespace"]);
    assert!(
        accepted(&[("/app/kustomization.yaml", "resources: [map.yaml]"), ("/app/map.yaml", MAP)])
            == MAP
                .replace("metadata:\n  name: settings\ndata:\n  a: text\n", "metadata:\n  name: settings\n")
                .replace("kind", "data:\n  a: text\nkind")
    );
}

/// Found by fuzzing and by random kustomizations.
#[test]
fn values_that_nobody_wrote_have_a_place() {
    let value_add = "resources: [map.yaml]\ntransformers:\n- |-\n  apiVersion: builtin\n  kind: ValueAddTransformer\n  metadata: {name: v}\n  targets: [{selector: {kind: ConfigMap}, fieldPath: data/x}]\n";
    let notes = "resources: [map.yaml]\nbuildMetadata: [originAnnotations, transformerAnnotations, managedByLabel]\nnamePrefix: a-\n";
    let created = "resources: [map.yaml]\nreplacements:\n- sourceValue: v\n  targets:\n  - select: {kind: ConfigMap}\n    fieldPaths: ['list.[name=x].value']\n    options: {create: true}\n";
    let merged = "resources: [map.yaml]\nconfigMapGenerator:\n- {name: settings, behavior: merge, literals: [b=1], options: {labels: {c: d}}}\n";
    for text in [value_add, notes, created, merged] {
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  labels: {a: b}\ndata:\n  a: text\nlist: []\n";
        let files: MemoryFiles = [("/app/kustomization.yaml", text), ("/app/map.yaml", map)].into_iter().collect();
        let built = build(&files, "/app", &Options::default()).expect("it must be built");
        let lost: Vec<_> = built.lines().into_iter().filter(|line| line.origin.place.is_none()).collect();
        assert!(lost.is_empty(), "{}\n{lost:?}", built.to_yaml());
    }
}

#[test]
fn patches_in_the_kustomization_are_placed_there() {
    let text = "resources: [map.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: |-\n    - op: add\n      path: /data/b\n      value: x\n    - op: remove\n      path: /data/none\n";
    let error = refused(&[("/app/kustomization.yaml", text), ("/app/map.yaml", MAP)]);
    assert_eq!(error.problem, Problem::Patch);
    assert_eq!(error.place.map(|place| place.line), Some(8));
    let text = "resources: [map.yaml]\npatches:\n- patch: |-\n    apiVersion: v1\n    kind: ConfigMap\n    metadata:\n      name: other\n";
    let error = refused(&[("/app/kustomization.yaml", text), ("/app/map.yaml", MAP)]);
    assert_eq!(error.place.map(|place| place.line), Some(4), "the first line of the patch");
}
