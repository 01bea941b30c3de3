//! Where a build differs from the reference: one case for each rule of `docs/compatibility/kustomize.md`, with what the
//! reference (5.7.1) did with the same files.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests may fail by panic, their helpers too"
)]

use windlass_kustomize::{KustomizeError, MemoryFiles, Options, Problem, build};

fn built(kustomization: &str, objects: &str) -> Result<String, Box<KustomizeError>> {
    let files: MemoryFiles =
        [("/app/kustomization.yaml", kustomization), ("/app/m.yaml", objects)].into_iter().collect();
    build(&files, "/app", &Options::default()).map(|built| built.to_yaml())
}

fn refused(kustomization: &str, objects: &str) -> Box<KustomizeError> {
    built(kustomization, objects).expect_err("it must be refused")
}

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n";

/// The reference prints the same three keys in another order from run to run: `10`, `1a`, `2` or `1a`, `2`, `10`.
#[test]
fn rule_1_order_of_keys_that_contradict_each_other() {
    let text = built("resources: [m.yaml]\n", &format!("{MAP}data: {{1a: x, '2': y, '10': z}}\n")).unwrap();
    assert_eq!(
        text,
        "apiVersion: v1\ndata:\n  \"10\": z\n  1a: x\n  \"2\": \"y\"\nkind: ConfigMap\nmetadata:\n  name: m\n"
    );
}

/// The reference: `Error: …: json: unsupported type: map[interface {}]interface {}`.
#[test]
fn rule_2_keys_that_look_like_numbers() {
    let text = built("resources: [m.yaml]\ncommonLabels: {'1': one}\n", MAP).unwrap();
    assert!(text.contains("  labels:\n    \"1\": one\n"), "{text}");
}

/// The reference builds it with `a: x`, since the mapping is made anew for the prefix; without one it refuses it too.
#[test]
fn rule_3_the_same_key_twice() {
    let twice = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\n  annotations: {a: x}\n  annotations: {a: y}\n";
    let error = refused("resources: [m.yaml]\nnamePrefix: a-\n", twice);
    assert!(error.to_string().contains("the key \"annotations\" stands twice"), "{error}");
}

/// The reference ends with a panic.
#[test]
fn rule_4_images_that_are_no_expressions() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: m}\nspec: {containers: [{image: nginx}]}\n";
    let error = refused("resources: [m.yaml]\nimages: [{name: 'ng(', newTag: x}]\n", pod);
    assert_eq!(error.place.map(|place| place.line), Some(2));
}

/// The reference builds a ConfigMap with `A` alone, and leaves the long line and all that is behind it out.
#[test]
fn rule_5_long_lines_of_env_files() {
    let env = format!("A=1\nB={}\nC=3\n", "x".repeat(70_000));
    let error = refused("configMapGenerator: [{name: m, envs: [m.yaml]}]\n", &env);
    assert_eq!(error.problem, Problem::Generator, "{error}");
}

/// The reference copies its notes too: `copy.annotations` holds `internal.config.kubernetes.io/previousNames: m` and more.
#[test]
fn rule_6_notes_of_the_build_are_not_copied() {
    let kustomization = "resources: [m.yaml]\nnamePrefix: a-\nreplacements:\n- source: {kind: ConfigMap, name: m, fieldPath: metadata}\n  targets: [{select: {kind: Pod}, fieldPaths: [spec.copy], options: {create: true}}]\n";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {a: b}\n";
    let text = built(kustomization, &format!("{MAP}---\n{pod}")).unwrap();
    assert!(text.ends_with("spec:\n  a: b\n  copy:\n    name: a-m\n"), "{text}");
}

/// The reference has no limits: it takes the memory that there is.
#[test]
fn rule_7_limits() {
    let nested = |depth: usize| format!("{MAP}data: {}{}\n", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(refused("resources: [m.yaml]\n", &nested(200)).problem, Problem::Malformed);
    assert!(built("resources: [m.yaml]\n", &nested(50)).is_ok());
}

/// The reference: `Error: invalid Kustomization: json: unknown field "namePrefx"`, without a place.
#[test]
fn rule_8_messages() {
    let error = refused("namePrefx: a-\n", MAP).to_string();
    assert!(
        error.contains("/app/kustomization.yaml:1:12: invalid Kustomization: json: unknown field \"namePrefx\""),
        "{error}"
    );
}

/// The reference prints `# Warning: 'bases' is deprecated. …` for each kustomization of the tree, without a place.
#[test]
fn rule_9_warnings() {
    let files: MemoryFiles = [
        ("/app/kustomization.yaml", "resources: [../base]\ncommonLabels: {a: b}\n"),
        ("/base/kustomization.yaml", "resources: [m.yaml]\ncommonLabels: {c: d}\n"),
        ("/base/m.yaml", MAP),
    ]
    .into_iter()
    .collect();
    let built = build(&files, "/app", &Options::default()).unwrap();
    let warnings: Vec<String> = built.warnings.iter().map(ToString::to_string).collect();
    assert!(warnings[0].contains("/app/kustomization.yaml:2:"), "{warnings:?}");
    assert!(warnings[1].contains("/base/kustomization.yaml:2:"), "{warnings:?}");
    assert_eq!(warnings.len(), 2, "{warnings:?}");
}

/// The reference hashes the structure that it holds in memory: the name ends in a hash that nobody can foretell.
#[test]
fn rule_10_hashes_of_other_kinds() {
    let kustomization = "configMapGenerator: [{name: m}]\npatches:\n- target: {kind: ConfigMap}\n  options: {allowKindChange: true}\n  patch: |-\n    apiVersion: v1\n    kind: Service\n    metadata: {name: m}\n";
    let error = refused(kustomization, MAP);
    assert!(error.to_string().contains("a hash can be made of ConfigMaps and Secrets only"), "{error}");
}

/// The reference: `Error: invalid Kustomization: json: unknown field "includeVolumeClaimTemplates"`.
#[test]
fn rule_11_fields_of_newer_versions() {
    let labels = "labels: [{pairs: {a: b}, includeVolumeClaimTemplates: true}]\n";
    assert!(built(&format!("resources: [m.yaml]\n{labels}"), MAP).unwrap().contains("    a: b\n"));
}

/// The reference refuses programs too, until flags allow them: `external plugins disabled; unable to load external plugin`.
#[test]
fn rule_12_programs_are_never_started() {
    let program = "resources: [m.yaml]\ntransformers:\n- |-\n  apiVersion: example.com/v1\n  kind: Program\n  metadata: {name: p}\n";
    let error = refused(program, MAP);
    assert_eq!(error.problem, Problem::Plugin);
    assert!(error.remedy.as_deref().is_some_and(|remedy| remedy.contains("built-in transformer")), "{error}");
}

/// The reference: `Error: yaml: line 2: found a tab character where an indentation space is expected`.
#[test]
fn rule_13_texts_that_start_with_a_tab() {
    let text = built("configMapGenerator: [{name: m, files: [m.yaml]}]\n", "\ttab: x\n lead\n").unwrap();
    assert!(text.contains("  m.yaml: \"\\ttab: x\\n lead\\n\"\n"), "{text}");
}

/// The reference builds the ConfigMap, and says nothing of the rest.
#[test]
fn rule_14_what_stands_behind_a_document() {
    let map = r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}}"#;
    for rest in ["}", "- a", r#"{"kind": "Secret"}"#] {
        let error = refused("resources: [m.yaml]\n", &format!("{map}\n{rest}\n"));
        assert_eq!(error.place.map(|place| place.line), Some(2), "{rest}");
    }
}
