//! What random kustomizations taught: small cases, each with what the reference (5.7.1) does with it.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests may fail by panic, their helpers too")]

use windlass_kustomize::{ChartRequest, Charts, MemoryFiles, Options, build};

/// The text, or the problem, of `/app`.
fn built(files: &[(&str, &str)]) -> Result<String, String> {
    let files: MemoryFiles = files.iter().copied().collect();
    build(&files, "/app", &Options::default()).map(|built| built.to_yaml()).map_err(|error| error.to_string())
}

fn app(kustomization: &str, objects: &str) -> Result<String, String> {
    built(&[("/app/kustomization.yaml", kustomization), ("/app/m.yaml", objects)])
}

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n";
const SERVICE: &str =
    "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80, protocol: TCP}]}\n";
const WIDGET: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n";

#[test]
fn the_source_of_a_replacement_is_read_again_for_each_target() {
    let objects =
        format!("{MAP}data: {{a: p-q}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{x: y}}\n");
    let text = app(
        "resources: [m.yaml]\nreplacements:\n- source: {kind: ConfigMap, name: m, fieldPath: data.a}\n  targets:\n  - {select: {kind: ConfigMap}, fieldPaths: [data.a], options: {delimiter: '-', index: 1}}\n  - {select: {kind: Pod}, fieldPaths: [spec.x]}\n",
        &objects,
    );
    let text = text.unwrap();
    assert!(text.contains("data:\n  a: p-p-q\n") && text.ends_with("spec:\n  x: p-p-q\n"), "{text}");
    let text = app(
        "resources: [m.yaml]\nreplacements:\n- source: {kind: ConfigMap, name: m, fieldPath: data}\n  targets:\n  - {select: {kind: ConfigMap}, fieldPaths: [data.copy, data.more], options: {create: true}}\n  - {select: {kind: Pod}, fieldPaths: [spec]}\n",
        &objects,
    );
    let text = text.unwrap();
    let grown = "  a: p-q\n  copy:\n    a: p-q\n    copy: {}\n  more:\n    a: p-q\n    copy:\n      a: p-q\n      copy: {}\n    more: {}\n";
    assert_eq!(
        text,
        format!(
            "apiVersion: v1\ndata:\n{grown}kind: ConfigMap\nmetadata:\n  name: m\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n{grown}"
        )
    );
}

/// A prefix leaves a name without its type, and a replacement leaves it as it is then: what is in quotes stays a text. The objects of
/// a list beside others went through JSON, where every text has quotes; those of a list that fills its file did not.
#[test]
fn names_from_lists_stay_texts() {
    let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Service\n  metadata: {name: s}\n";
    let with = |objects: &str| {
        let base = "resources: [m.yaml]\nnamePrefix: p\n";
        let replacement = "{sourceValue: '1', targets: [{select: {kind: Service}}]}";
        let text = built(&[
            ("/app/kustomization.yaml", &format!("resources: [base]\nreplacements: [{replacement}]\n")),
            ("/app/base/kustomization.yaml", base),
            ("/app/base/m.yaml", objects),
        ]);
        text.unwrap()
    };
    let beside = with(&format!("{WIDGET}---\n{list}"));
    assert!(beside.contains("kind: Service\nmetadata:\n  name: \"1\"\n"), "{beside}");
    let alone = with(list);
    assert!(alone.contains("kind: Service\nmetadata:\n  name: 1\n"), "{alone}");
}

#[test]
fn definitions_of_kinds_may_be_empty_but_no_list() {
    let with = |definitions: &str| {
        built(&[
            ("/app/kustomization.yaml", "resources: [m.yaml]\ncrds: [c.json]\n"),
            ("/app/m.yaml", MAP),
            ("/app/c.json", definitions),
        ])
    };
    for empty in ["\n", "# later\n", "null\n", "{}"] {
        assert!(with(empty).is_ok(), "{empty:?}: {:?}", with(empty));
    }
    // It crashes where there is nothing at all.
    for wrong in ["", "[]\n", "text\n"] {
        assert!(with(wrong).unwrap_err().contains("unable to parse open API definition from 'c.json'"), "{wrong:?}");
    }
}

#[test]
fn an_empty_mapping_is_no_patch_of_an_object() {
    let with = |patch: &str, kind: &str| {
        app(&format!("resources: [m.yaml]\npatches: [{{patch: '{patch}', target: {{kind: {kind}}}}}]\n"), MAP)
    };
    let problem = with("{}", "ConfigMap").unwrap_err();
    assert!(problem.contains("cannot unmarshal object into Go value of type jsonpatch.Patch"), "{problem}");
    for (patch, kind) in [("{}", "Service"), ("# nothing", "ConfigMap"), ("null", "ConfigMap"), ("[]", "ConfigMap")] {
        assert!(with(patch, kind).is_ok(), "{patch} for {kind}: {:?}", with(patch, kind));
    }
    for patch in ["a: b", "[1]", "text"] {
        assert!(with(patch, "Service").is_err(), "{patch}");
    }
}

/// A schema takes the place of the built-in one, unless that was read, or waited for, before.
#[test]
fn the_built_in_schema_stays_where_it_was_needed_before_another_one_came() {
    let schema = r#"{"definitions": {"x.Service": {"properties": {"spec": {"properties": {"ports": {"type": "array"}}}}, "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Service"}]}}}"#;
    let component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nopenapi: {path: schema.json}\npatches:\n- patch: |-\n    apiVersion: v1\n    kind: Service\n    metadata: {name: s}\n    spec: {ports: [{port: 80, name: b}]}\n";
    let with = |objects: &str, base: &str, resources: &str| {
        let kustomization = format!("resources: [{resources}]\ncomponents: [../comp]\n");
        let text = built(&[
            ("/app/kustomization.yaml", kustomization.as_str()),
            ("/app/m.yaml", objects),
            ("/comp/kustomization.yaml", component),
            ("/comp/schema.json", schema),
            ("/base/kustomization.yaml", base),
            ("/base/m.yaml", MAP),
        ]);
        text.unwrap()
    };
    let (replaced, merged) = ("  - name: b\n    port: 80\n", "  - port: 80\n    protocol: TCP\n");
    let alone = with(SERVICE, "", "m.yaml");
    assert!(alone.contains(replaced) && !alone.contains("TCP"), "{alone}");
    // Nobody knows whether a widget lives in a namespace.
    let asked = with(&format!("{SERVICE}---\n{WIDGET}"), "", "m.yaml");
    assert!(asked.contains(merged), "{asked}");
    // A merge reads it, and what is read later wins.
    let base = "resources: [m.yaml]\npatches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {a: b}}'}]\n";
    let read = with(SERVICE, base, "../base, m.yaml");
    assert!(read.contains(replaced) && !read.contains("TCP"), "{read}");
}

struct Named;

impl Charts for Named {
    fn template(&self, wanted: &ChartRequest<'_>) -> Result<String, String> {
        Ok(format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {}}}\n", wanted.name))
    }
}

/// The file is read whatever else is said, unless inline values replace it; and it must lie below the kustomization.
#[test]
fn a_chart_beside_the_kustomization_has_a_file_of_values() {
    let with = |entry: &str, path: &str| {
        let files: MemoryFiles =
            [("/app/kustomization.yaml", entry), (path, "a: b\n"), ("/app/charts/c/Chart.yaml", "name: c\n")]
                .into_iter()
                .collect();
        let options = Options { enable_helm: true, charts: Some(&Named), ..Options::default() };
        build(&files, "/app", &options).map(|built| built.to_yaml()).map_err(|error| error.to_string())
    };
    let plain = "helmCharts: [{name: c}]\n";
    assert!(with(plain, "/app/charts/c/values.yaml").unwrap().contains("name: c"));
    let missing = with(plain, "/app/charts/c/other.yaml").unwrap_err();
    assert!(missing.contains("/app/charts/c/values.yaml"), "{missing}");
    let replaced = "helmCharts: [{name: c, valuesInline: {a: c}, valuesMerge: replace}]\n";
    assert!(with(replaced, "/app/charts/c/other.yaml").is_ok());
    let outside =
        with("helmGlobals: {chartHome: ../far}\nhelmCharts: [{name: c}]\n", "/far/c/values.yaml").unwrap_err();
    assert!(outside.contains("security; file '/far/c/values.yaml' is not in or below '/app'"), "{outside}");
}

/// The reference reads fields sorted, so that the one in capitals comes first and the other one counts.
#[test]
fn of_two_spellings_of_a_field_the_one_in_lower_case_counts() {
    for both in ["namePrefix: a-\nNamePrefix: b-\n", "NamePrefix: b-\nnamePrefix: a-\n"] {
        let text = app(&format!("resources: [m.yaml]\n{both}"), MAP).unwrap();
        assert!(text.ends_with("name: a-m\n"), "{text}");
    }
}
