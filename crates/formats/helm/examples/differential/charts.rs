//! Random charts: charts inside of charts, conditions, tags, aliases, imports, globals, nulls, hooks, and what people set.

use crate::chance::Chance;
use crate::reference::Case;
use std::fmt::Write;

const NAMES: [&str; 4] = ["alpha", "beta", "gamma", "delta"];
const KEYS: [&str; 8] = ["a", "b", "c", "enabled", "global", "name", "list", "exports"];
const KINDS: [&str; 12] = [
    "ConfigMap",
    "Secret",
    "Service",
    "Deployment",
    "Job",
    "Namespace",
    "Widget",
    "Another",
    "ClusterRole",
    "Ingress",
    "ServiceAccount",
    "MutatingWebhookConfiguration",
];

pub(crate) fn case(chance: &mut Chance) -> Case {
    let mut case = Case::default();
    let mut maker = Maker { chance, case: &mut case };
    let inside = maker.chart("", "root", 2);
    maker.what_is_set(&inside);
    case.include_crds = chance.percent(20);
    case.is_upgrade = chance.percent(20);
    case.no_hooks = chance.percent(10);
    case.skip_tests = chance.percent(20);
    if chance.percent(20) {
        case.apis.push("example.com/v1".to_owned());
    }
    case
}

struct Maker<'c> {
    chance: &'c mut Chance,
    case: &'c mut Case,
}

impl Maker<'_> {
    /// Writes a chart; gives the names of the charts inside, as values know them.
    fn chart(&mut self, folder: &str, name: &str, depth: usize) -> Vec<String> {
        let mut yaml = String::from("apiVersion: v2\n");
        let version = self.chance.pick(&["1.2.3", "0.1.0", "2.0.0-rc.1", "1.10"]);
        let _ = writeln!(yaml, "name: {name}\nversion: {version}");
        if self.chance.percent(20) {
            yaml.push_str("appVersion: 1.10\nkeywords: [x, 1]\nannotations: {a: 1, b: yes}\n");
        }
        if self.chance.percent(8) {
            let _ = writeln!(yaml, "kubeVersion: {:?}", self.chance.pick(&[">=1.30.0-0", "^1.20", "<1.20", ">=1.34"]));
        }
        if depth < 2 && self.chance.percent(12) {
            yaml.push_str("type: library\n");
        }
        let mut inside = Vec::new();
        let count = if depth == 0 { 0 } else { self.chance.below(3) };
        let mut entries = String::new();
        for index in 0..count {
            let inner = NAMES[(index + self.chance.below(2) * 2) % NAMES.len()];
            if inside.iter().any(|known| known == inner) {
                continue;
            }
            self.chart(&format!("{folder}charts/{inner}/"), inner, depth - 1);
            inside.push(inner.to_owned());
            if self.chance.percent(75) {
                self.entry(inner, "", &mut entries);
                if self.chance.percent(20) {
                    self.entry(inner, "other", &mut entries);
                    inside.push(format!("{inner}-other"));
                }
            }
        }
        if !entries.is_empty() {
            let _ = write!(yaml, "dependencies:\n{entries}");
        }
        self.add(folder, "Chart.yaml", yaml);
        let mut values = self.table(2);
        for inner in inside.clone() {
            if self.chance.percent(50) {
                let value = if self.chance.percent(97) { self.map(2) } else { self.inline(2) };
                let _ = writeln!(values, "{inner}: {value}");
            }
        }
        if self.chance.percent(30) {
            let _ = writeln!(values, "tags: {{front: {}, back: {}}}", self.bool(), self.bool());
        }
        self.add(folder, "values.yaml", unique(&values));
        self.templates(folder, name);
        if self.chance.percent(20) {
            let crd = format!(
                "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: {name}s\n"
            );
            self.add(folder, "crds/crd.yaml", crd);
        }
        if self.chance.percent(25) {
            self.add(folder, "files/a.txt", "one\ntwo: {{ x }}\n".to_owned());
            self.add(folder, "files/sub/b.conf", "k=v".to_owned());
        }
        if self.chance.percent(12) {
            let schema = self.chance.pick(&[
                r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#,
                r#"{"$schema": "http://json-schema.org/draft-07/schema#", "required": ["b"]}"#,
                r#"{"properties": {"b": {"type": ["integer", "object", "null", "boolean", "array", "string"]}}}"#,
                r#"{"additionalProperties": true, "properties": {"c": {"enum": ["x", 1, null]}}}"#,
            ]);
            self.add(folder, "values.schema.json", schema.to_owned());
        }
        inside
    }

    fn add(&mut self, folder: &str, name: &str, text: String) {
        self.case.files.insert(format!("{folder}{name}"), text);
    }

    fn entry(&mut self, name: &str, alias: &str, entries: &mut String) {
        let version = self.chance.pick(&["*", "*-0", ">=0", "^1", "1.x", ">=0.0.0-0", ""]);
        let _ = writeln!(entries, "- name: {name}\n  version: {version:?}\n  repository: \"\"");
        if !alias.is_empty() {
            let _ = writeln!(entries, "  alias: {name}-{alias}");
        } else if self.chance.percent(10) {
            let _ = writeln!(entries, "  alias: renamed{name}");
        }
        if self.chance.percent(30) {
            let condition = self.chance.pick(&[
                "enabled",
                "NAME.enabled",
                "NAME.enabled,enabled",
                "a.b",
                "missing,NAME.a",
                "global.enabled",
            ]);
            let _ = writeln!(entries, "  condition: {}", condition.replace("NAME", name));
        }
        if self.chance.percent(30) {
            let _ = writeln!(entries, "  tags: [{}]", self.chance.pick(&["front", "back", "front, back", "none"]));
        }
        if self.chance.percent(30) {
            let import = self.chance.pick(&[
                "[a]",
                "[{child: a, parent: b}]",
                "[{child: exports, parent: .}]",
                "[b, {child: a, parent: c.d}]",
                "[{child: missing, parent: a}]",
            ]);
            let _ = writeln!(entries, "  import-values: {import}");
        }
    }

    fn bool(&mut self) -> &'static str {
        self.chance.pick(&["true", "false"])
    }

    /// Lines of a map.
    fn table(&mut self, depth: usize) -> String {
        let mut out = String::new();
        for _ in 0..1 + self.chance.below(4) {
            let key = self.chance.pick(&KEYS);
            let value = match key {
                "enabled" => self.bool().to_owned(),
                "global" | "exports" => {
                    if self.chance.percent(95) {
                        format!("{{{}: {}, {}: {}}}", "a", self.inline(depth), "b", self.inline(depth))
                    } else {
                        "text".to_owned()
                    }
                }
                _ => self.inline(depth),
            };
            let _ = writeln!(out, "{key}: {value}");
        }
        out
    }

    fn map(&mut self, depth: usize) -> String {
        let (first, second) = (self.chance.pick(&["a", "b"]), self.chance.pick(&["c", "d", "enabled"]));
        format!("{{{first}: {}, {second}: {}}}", self.inline(depth - 1), self.inline(depth - 1))
    }

    /// A value on one line.
    fn inline(&mut self, depth: usize) -> String {
        match self.chance.below(if depth == 0 { 6 } else { 10 }) {
            0 => self.chance.pick(&["1", "8080", "1.5", "1e6", "-3", "123456789", "0", "007", "0x10"]).to_owned(),
            1 => self
                .chance
                .pick(&["x", "some text", "\"quoted: yes\"", "'it''s'", "2020-01-01", "yes", "\"\"", "é"])
                .to_owned(),
            2 => self.bool().to_owned(),
            3 => "null".to_owned(),
            4 => "[]".to_owned(),
            5 => "{}".to_owned(),
            6 => format!("[{}, {}]", self.inline(depth - 1), self.inline(depth - 1)),
            _ => self.map(depth),
        }
    }

    fn templates(&mut self, folder: &str, name: &str) {
        let helpers = format!(
            "{{{{- define \"{name}.label\" }}}}app: {{{{ .Chart.Name }}}}-{{{{ .Chart.Version }}}}{{{{ end }}}}\n{{{{- define \"shared\" }}}}from: {name}{{{{ end }}}}\n"
        );
        self.add(folder, "templates/_helpers.tpl", helpers);
        for index in 0..1 + self.chance.below(3) {
            let mut text = String::new();
            for document in 0..1 + self.chance.below(3) {
                if document > 0 || self.chance.percent(20) {
                    text.push_str(self.chance.pick(&["---\n", "\n---\n", "--- \n# comment\n", "---\n---\n"]));
                }
                self.object(name, index, document, &mut text);
            }
            let file = self.chance.pick(&["a", "b", "sub/c", "z"]);
            self.add(folder, &format!("templates/{file}{index}.yaml"), text);
        }
        if self.chance.percent(20) {
            self.add(folder, "templates/NOTES.txt", format!("notes of {name} {{{{ .Release.Name }}}}\n"));
        }
    }

    fn object(&mut self, name: &str, index: usize, document: usize, out: &mut String) {
        let conditional = self.chance.percent(15);
        if conditional {
            let test = self.chance.pick(&[
                ".Values.enabled",
                ".Values.a",
                "(eq .Release.Name \"rel\")",
                ".Release.IsUpgrade",
                "(.Capabilities.APIVersions.Has \"example.com/v1\")",
            ]);
            let _ = writeln!(out, "{{{{- if {test} }}}}");
        }
        let kind = self.chance.pick(&KINDS);
        let _ = writeln!(out, "apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}-{index}-{document}");
        if self.chance.percent(20) {
            let hook = self.chance.pick(&[
                "pre-install",
                "post-install,post-upgrade",
                "test",
                "test-success",
                "crd-install",
                "pre-delete",
            ]);
            let _ = writeln!(
                out,
                "  annotations:\n    helm.sh/hook: {hook}\n    helm.sh/hook-weight: \"{}\"",
                self.chance.below(9)
            );
        }
        out.push_str("data:\n");
        for line in 0..1 + self.chance.below(3) {
            let piece = self.chance.pick(&[
                "{{ .Values.a | toJson }}",
                "{{ .Values.b | quote }}",
                "{{ toJson .Values }}",
                "{{ .Values.global | toJson }}",
                "\n    {{- toYaml .Values | nindent 4 }}",
                "{{ include \"shared\" . | quote }}",
                "{{ default \"none\" .Values.name | quote }}",
                "{{ .Chart | toJson | quote }}",
                "{{ .Files.Get \"files/a.txt\" | quote }}",
                "{{ (.Files.Glob \"files/**\").AsConfig | quote }}",
                "{{ (.Files.Glob \"files/*\").AsSecrets | quote }}",
                "{{ range .Files.Lines \"files/a.txt\" }}{{ . | upper }},{{ end }}end",
                "{{ .Template.Name }} {{ .Template.BasePath }}",
                "{{ keys .Subcharts | sortAlpha | join \",\" | quote }}",
                "{{ tpl \"{{ .Release.Name }}-{{ .Chart.Name }}\" . }}",
                "{{ .Values.list | default (list 1 2) | toJson }}",
                "{{ dig \"name\" \"none\" .Values.AsMap | toJson }}",
                "{{ $_ := set .Values \"counter\" (add1 (.Values.counter | default 0)) }}{{ .Values.counter }}",
                "{{ .Release.IsUpgrade }} {{ .Release.Namespace }} {{ .Release.Revision }}",
                "{{ .Capabilities.KubeVersion.Version }} {{ .Capabilities.KubeVersion }}",
                "{{ with .Values.c }}{{ toJson . }}{{ else }}none{{ end }}",
                "{{ required \"c is wanted\" (.Values.c | default .Values.b | default 1) | toJson }}",
                "{{ range $k, $v := .Values.exports }}{{ $k }}{{ end }}x",
                "{{ lookup \"v1\" \"Pod\" \"a\" \"b\" | toJson }}",
            ]);
            let _ = writeln!(out, "  k{line}: {piece}");
        }
        if conditional {
            out.push_str("{{- end }}\n");
        }
    }

    fn what_is_set(&mut self, inside: &[String]) {
        for _ in 0..self.chance.below(3) {
            let mut text = self.table(2);
            for inner in inside {
                if self.chance.percent(40) {
                    let value = if self.chance.percent(90) {
                        format!("{{a: {}, enabled: {}, c: {}}}", self.inline(1), self.bool(), self.inline(1))
                    } else {
                        self.inline(1)
                    };
                    let _ = writeln!(text, "{inner}: {value}");
                }
            }
            self.case.values.push(unique(&text));
        }
        let paths = [
            "a",
            "b.c",
            "list[0]",
            "list[1].x",
            "global.a",
            "alpha.enabled",
            "beta.a.b",
            "tags.front",
            "c.d.e",
            "name",
        ];
        let values = ["1", "true", "null", "x", "1.5", "007", "{1,x}", "a\\,b", "", "-5", "99999999999999999999"];
        for _ in 0..self.chance.below(3) * self.chance.below(2) {
            let text = format!("{}={}", self.chance.pick(&paths), self.chance.pick(&values));
            match self.chance.below(4) {
                0 => self.case.set_string.push(text),
                1 => self.case.set_literal.push(text),
                _ => self.case.set.push(text),
            }
        }
        if self.chance.percent(15) {
            let json = self.chance.pick(&["{\"x\": 1}", "[1, null]", "\"t\"", "5", "null", ""]);
            self.case.set_json.push(format!("{}={json}", self.chance.pick(&paths)));
        }
    }
}

/// Lines of which each key occurs once.
fn unique(text: &str) -> String {
    let mut known: Vec<&str> = Vec::new();
    let mut out = String::new();
    for line in text.lines() {
        let key = line.split(':').next().unwrap_or(line);
        if !known.contains(&key) {
            known.push(key);
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}
