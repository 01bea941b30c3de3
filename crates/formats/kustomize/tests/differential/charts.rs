//! `helmCharts`, `helmGlobals` and `helmChartInflationGenerator`, with a small chart.

use crate::project::Maker;

const TEMPLATE: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-{{ .Chart.Name }}\n  namespace: {{ .Release.Namespace }}\ndata:\n  text: {{ .Values.text | quote }}\n  list: {{ .Values.list | toJson | quote }}\n  deep: {{ .Values.deep | toJson | quote }}\nKUBE  has: {{ .Capabilities.APIVersions.Has \"example.com/v1\" | quote }}\n";
const HOOK: &str = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}-hook\n  annotations:\n    helm.sh/hook: pre-install\n";
const TEST: &str =
    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}-test\n  annotations:\n    helm.sh/hook: test\n";
const VALUES: &str = "text: default\nlist: [a, b]\ndeep: {a: 1, b: {c: two}}\n";

pub(crate) fn charts(maker: &mut Maker<'_>) {
    let old = maker.random.percent(7);
    let new = !old && maker.random.percent(8);
    let globals = !old && maker.random.percent(8);
    let mut home = "charts";
    if globals {
        home = maker.random.pick(&["charts", "vendor"]);
        maker.k.push_str(&format!("helmGlobals: {{chartHome: {home}}}\n"));
    }
    if !old && !new {
        return;
    }
    if old {
        maker.k.push_str("helmChartInflationGenerator:\n- chartName: little\n  releaseName: old\n");
        maker.k.push_str(maker.random.pick(&[
            "",
            "  values: more.yaml\n",
            "  valuesLocal: {text: local}\n  valuesMerge: override\n",
            "  valuesLocal: {list: [z]}\n  valuesMerge: merge\n",
        ]));
    } else {
        entry(maker);
    }
    maker.file("more.yaml", "text: more\ndeep: {b: {c: null, d: 1}}\n");
    let root = format!("{home}/little");
    maker.file(&format!("{root}/Chart.yaml"), "apiVersion: v2\nname: little\nversion: 1.0.0\n");
    maker.file(&format!("{root}/values.yaml"), VALUES);
    // The old form cannot say for which version of Kubernetes, and programs differ in what they think then.
    let kube = if old { "" } else { "  kube: {{ .Capabilities.KubeVersion.Version }}\n" };
    maker.file(&format!("{root}/templates/map.yaml"), TEMPLATE.replace("KUBE", kube));
    maker.file(&format!("{root}/templates/hook.yaml"), HOOK);
    maker.file(&format!("{root}/templates/test.yaml"), TEST);
    maker.file(
        &format!("{root}/crds/crd.yaml"),
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: littles.example.com\n",
    );
}

fn entry(maker: &mut Maker<'_>) {
    let random = &mut *maker.random;
    let k = &mut maker.k;
    k.push_str("helmCharts:\n- name: little\n  kubeVersion: v1.34.0\n");
    k.push_str(&format!("  releaseName: {}\n", random.pick(&["one", "two"])));
    k.push_str(random.sometimes(40, "  namespace: prod\n"));
    k.push_str(random.sometimes(30, "  valuesFile: more.yaml\n"));
    k.push_str(random.sometimes(20, "  additionalValuesFiles: [more.yaml]\n"));
    k.push_str(random.pick(&[
        "",
        "  valuesInline: {text: inline, deep: {a: null}}\n",
        "  valuesInline: {text: inline, list: [c]}\n  valuesMerge: merge\n",
        "  valuesInline: {text: inline, list: []}\n  valuesMerge: replace\n",
        "  valuesInline: {deep: {b: {c: 1.0}}}\n  valuesMerge: override\n",
    ]));
    k.push_str(random.sometimes(30, "  includeCRDs: true\n"));
    k.push_str(random.sometimes(20, "  skipHooks: true\n"));
    k.push_str(random.sometimes(20, "  skipTests: true\n"));
    k.push_str(random.sometimes(20, "  apiVersions: [example.com/v1]\n"));
}
