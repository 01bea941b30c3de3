//! Random templates: statements of the whole language (rendering §2.1), and expressions that mostly fit together.

use crate::chance::Chance;
use crate::reference::Case;
use crate::vocabulary::Kind::{self, Any, Bool, Few, Int, List, Map, Number, Text};
use crate::vocabulary::{FUNCTIONS, INTS, ODD, PATHS, TEXTS, VALUES};

struct Writer<'c> {
    chance: &'c mut Chance,
    variables: Vec<(String, Kind)>,
    /// Whether the dot may be something else than the root.
    inside: bool,
    /// Whether `$` is the root.
    rooted: bool,
    blocks: usize,
}

const DEFINED: &str = "{{- define \"d0\" -}}<{{ kindOf . }}{{ . }}>{{- end -}}\n{{- define \"d1\" }}{{ range $k, $v := .map }}{{ $k }}={{ $v }};{{ else }}none{{ end }}{{ end -}}\n";

/// One template, as the notes of a chart.
pub(crate) fn case(chance: &mut Chance) -> Case {
    let mut writer = Writer { chance, variables: Vec::new(), inside: false, rooted: true, blocks: 0 };
    let mut text = DEFINED.to_owned();
    if writer.chance.percent(25) {
        let body = writer.defined();
        text.push_str(&format!("{{{{ define \"own\" }}}}{body}{{{{ end }}}}"));
        text.push_str("{{ template \"own\" . }}{{ include \"own\" $ | trim | quote }}\n");
    }
    for _ in 0..2 + writer.chance.below(6) {
        text.push_str(&writer.statement(2));
    }
    let mut case = Case::default();
    case.files.insert("Chart.yaml".to_owned(), "apiVersion: v2\nname: c\nversion: 1.0.0\n".to_owned());
    case.files.insert("values.yaml".to_owned(), VALUES.to_owned());
    case.files.insert("files/a.txt".to_owned(), "one\ntwo: {{ x }}\n".to_owned());
    case.files.insert("templates/NOTES.txt".to_owned(), text);
    case
}

impl Writer<'_> {
    fn defined(&mut self) -> String {
        let (inside, rooted) = (self.inside, self.rooted);
        (self.inside, self.rooted) = (true, true);
        let body = self.statement(1);
        self.variables.clear();
        (self.inside, self.rooted) = (inside, rooted);
        body
    }

    fn trim(&mut self) -> (&'static str, &'static str) {
        *[("{{ ", " }}"), ("{{ ", " }}"), ("{{ ", " }}"), ("{{- ", " -}}"), ("{{- ", " }}"), ("{{", "}}")]
            .get(self.chance.below(6))
            .unwrap_or(&("{{ ", " }}"))
    }

    fn statement(&mut self, depth: usize) -> String {
        let (open, close) = self.trim();
        let mark = self.variables.len();
        match if depth == 0 { self.chance.below(56) } else { self.chance.below(110) } {
            0..=33 => {
                let expression = self.pipeline(2);
                format!("{open}{expression}{close}\n")
            }
            34..=40 => self.declaration(open, close),
            41..=42 => self.chance.pick(&["text\n", "  indented {\n", "}} closed\n", "é { \"quoted\" }\n"]).to_owned(),
            43..=45 => self
                .chance
                .pick(&["{{/* a comment */}}\n", "{{- /* trimmed */ -}}\n", "{{/*\n two\n lines */}}\n"])
                .to_owned(),
            46..=55 => self.object(),
            56..=67 => self.condition(depth, mark, open, close),
            68..=76 => self.with(depth, mark, open, close),
            77..=92 => self.range(depth, mark, open, close),
            93..=100 => self.template(open, close),
            101..=104 => {
                self.blocks += 1;
                let value = self.expression(Any, 1);
                format!("{open}block \"b{}\" {value}{close}[{{{{ . | kindOf }}}}]{{{{ end }}}}\n", self.blocks)
            }
            _ => self.evaluated(open, close),
        }
    }

    fn declaration(&mut self, open: &str, close: &str) -> String {
        let kind = *[Text, Int, List, Map, Any].get(self.chance.below(5)).unwrap_or(&Any);
        let own: Vec<String> =
            self.variables.iter().filter(|(_, known)| *known == kind).map(|(name, _)| name.clone()).collect();
        let expression = self.expression(kind, 2);
        if let Some(name) = own.first().filter(|_| self.chance.percent(60)) {
            return format!("{open}{name} = {expression}{close}[{{{{ {name} }}}}]\n");
        }
        let name = format!("$v{}", self.variables.len());
        self.variables.push((name.clone(), kind));
        let assigned = if self.chance.percent(40) {
            let again = self.expression(kind, 1);
            format!("{{{{ {name} = {again} }}}}")
        } else {
            String::new()
        };
        format!("{open}{name} := {expression}{close}{assigned}[{{{{ {name} }}}}]\n")
    }

    /// What only charts have.
    fn object(&mut self) -> String {
        let text = self.chance.pick(&[
            "{{ $.Capabilities.APIVersions.Has \"apps/v1\" }}",
            "{{ $.Capabilities.APIVersions.Has \"example.com/v1\" | ternary \"yes\" \"no\" }}",
            "{{ $.Files.Get \"files/a.txt\" | indent 2 }}",
            "{{ range $.Files.Lines \"files/a.txt\" }}<{{ . }}>{{ end }}",
            "{{ ($.Files.Glob \"files/*\").AsConfig }}",
            "{{ ($.Files.Glob \"files/*\").AsSecrets | b64enc }}",
            "{{ $.Files.GetBytes \"files/a.txt\" | len }}",
            "{{ lookup \"v1\" \"Secret\" $.Release.Namespace \"name\" | empty }}",
            "{{ (lookup \"v1\" \"Pod\" \"\" \"\").items | default list | len }}",
            "{{ $.Release.Name }}-{{ $.Release.Service }} {{ $.Release.IsInstall }}",
            "{{ $.Chart.Name }} {{ $.Chart.Version }} {{ $.Chart.IsRoot }}",
            "{{ $.Template.Name }} {{ $.Template.BasePath }}",
            "{{ len $.Subcharts }}{{ $.Capabilities.HelmVersion.Version | empty }}",
            "{{ if false }}{{ fail \"never\" }}{{ end }}",
            "{{ required \"it is there\" $.Values.text }}",
            "{{ $.Values.list | join \"-\" | printf \"%s|%v\" \"x\" | upper | quote }}",
        ]);
        format!("{text}\n")
    }

    fn condition(&mut self, depth: usize, mark: usize, open: &str, close: &str) -> String {
        let kind = if self.chance.percent(60) { Bool } else { Any };
        let condition = self.expression(kind, 2);
        let then = self.inner(depth, mark);
        let more = if self.chance.percent(35) {
            let other = self.expression(Bool, 1);
            let text = self.inner(depth, mark);
            format!("{{{{ else if {other} }}}}{text}")
        } else {
            String::new()
        };
        let otherwise = self.inner(depth, mark);
        format!("{open}if {condition}{close}{then}{more}{{{{ else }}}}{otherwise}{{{{ end }}}}\n")
    }

    fn with(&mut self, depth: usize, mark: usize, open: &str, close: &str) -> String {
        let value = self.expression(Any, 2);
        let name = if self.chance.percent(25) { format!("$w{mark} := ") } else { String::new() };
        let inside = std::mem::replace(&mut self.inside, true);
        let then = self.inner(depth, mark);
        self.inside = inside;
        let more = if self.chance.percent(30) {
            let other = self.expression(Any, 1);
            format!("{{{{ else with {other} }}}}{{{{ kindOf . }}}}")
        } else {
            String::new()
        };
        let otherwise = self.inner(depth, mark);
        let show = "{{ . | toString | trunc 20 }}";
        format!("{open}with {name}{value}{close}{show}{then}{more}{{{{ else }}}}{otherwise}{{{{ end }}}}\n")
    }

    fn range(&mut self, depth: usize, mark: usize, open: &str, close: &str) -> String {
        let kind = *[List, Map, Int, List, Map, List].get(self.chance.below(6)).unwrap_or(&List);
        let value = self.expression(if kind == Int { Few } else { kind }, 2);
        let (head, show) = match self.chance.below(4) {
            0 => (String::new(), "{{ . }}"),
            1 => ("$x := ".to_owned(), "{{ $x }}"),
            2 => ("$_, $x := ".to_owned(), "{{ $x | toJson }}"),
            _ => ("$i, $x := ".to_owned(), "{{ $i }}:{{ $x }}"),
        };
        let extra = match self.chance.below(6) {
            0 => "{{ break }}".to_owned(),
            1 => "{{ continue }}".to_owned(),
            2 if head.starts_with("$i") && kind != Map => "{{ if gt $i 0 }}{{ break }}{{ end }}".to_owned(),
            3 => {
                let inside = std::mem::replace(&mut self.inside, true);
                let text = self.inner(depth.min(1), mark);
                self.inside = inside;
                text
            }
            _ => String::new(),
        };
        format!("{open}range {head}{value}{close}{show},{extra}{{{{ else }}}}-{{{{ end }}}}\n")
    }

    fn template(&mut self, open: &str, close: &str) -> String {
        let name = self.chance.pick(&["d0", "d1"]);
        let value = if name == "d1" { "(dict \"map\" $.Values.map)".to_owned() } else { self.expression(Any, 1) };
        if self.chance.percent(60) {
            format!("{open}include \"{name}\" {value} | nindent 2{close}\n")
        } else {
            format!("{open}template \"{name}\" {value}{close}\n")
        }
    }

    /// `tpl` on a text that is written in place.
    fn evaluated(&mut self, open: &str, close: &str) -> String {
        let variables = std::mem::take(&mut self.variables);
        let inner = self.expression(Any, 1).replace('\\', "\\\\").replace('"', "\\\"");
        self.variables = variables;
        format!("{open}tpl \"[{{{{ {inner} }}}}]\" ${close}\n")
    }

    fn inner(&mut self, depth: usize, mark: usize) -> String {
        let text = self.statement(depth.saturating_sub(1));
        self.variables.truncate(mark);
        text
    }

    /// An expression with functions behind it.
    fn pipeline(&mut self, depth: usize) -> String {
        let mut text = self.expression(Any, depth);
        if self.chance.percent(35) {
            text.push_str(self.chance.pick(&[
                " | quote",
                " | toYaml",
                " | toJson",
                " | printf \"%v|%T\" 1 | quote",
                " | kindOf",
                " | default \"d\" | toString | upper",
                " | toYaml | nindent 2",
                " | list 1 | toJson | sha256sum | trunc 8",
            ]));
        }
        if self.chance.percent(14) {
            let verb = self.chance.pick(&[
                "%v", "%s", "%d", "%q", "%5.2f", "%x", "%T", "%-8v|", "%05d", "%t", "%#v", "%+d", "%g", "%6.3e", "%c",
                "%U", "%o", "%b", "%%", "%[1]v", "%*d",
            ]);
            let value = self.expression(Any, 1);
            text = format!("printf \"{verb}\" {value}");
        }
        text
    }

    /// A term of a kind, in parentheses where it needs them. Sometimes of another kind.
    fn expression(&mut self, kind: Kind, depth: usize) -> String {
        let kind = if self.chance.percent(1) { Any } else { kind };
        if depth == 0 || !kind.own().is_empty() || self.chance.percent(25) {
            return self.leaf(kind);
        }
        let fits: Vec<usize> =
            (0..FUNCTIONS.len()).filter(|index| kind == Any || FUNCTIONS[*index].2 == kind).collect();
        let Some(index) = fits.get(self.chance.below(fits.len())) else { return self.leaf(kind) };
        let (name, parameters, _) = FUNCTIONS[*index];
        let mut text = format!("({name}");
        for parameter in parameters {
            text.push(' ');
            text.push_str(&self.expression(*parameter, depth - 1));
        }
        text.push(')');
        text
    }

    fn leaf(&mut self, kind: Kind) -> String {
        let own = kind.own();
        if !own.is_empty() {
            return self.chance.pick(own).to_owned();
        }
        let known = self.variables.iter().filter(|(_, known)| *known == kind || kind == Any);
        let variables: Vec<String> = known.map(|(name, _)| name.clone()).collect();
        if !variables.is_empty() && self.chance.percent(30) {
            return variables[self.chance.below(variables.len())].clone();
        }
        if kind == Any && self.chance.percent(6) {
            let text = self.chance.pick(&ODD).to_owned();
            return self.below_root(text);
        }
        let quoted = |chance: &mut Chance, text: &str| {
            if chance.percent(12) && !text.contains('\\') { format!("`{text}`") } else { format!("\"{text}\"") }
        };
        match kind {
            Text if self.chance.percent(60) => {
                let text = self.chance.pick(&TEXTS);
                quoted(self.chance, text)
            }
            Int => self.chance.pick(&INTS).to_owned(),
            Number if self.chance.percent(50) => self
                .chance
                .pick(&[
                    "1", "2", "-7", "1.5", "0.1", "1e3", "100000", "1000000", "0x1F", "1_000", "0b101", "'a'", "'a'",
                    "'a'",
                ])
                .to_owned(),
            Bool if self.chance.percent(50) => self.chance.pick(&["true", "false"]).to_owned(),
            Any if self.chance.percent(20) => {
                let text = self.chance.pick(&TEXTS);
                quoted(self.chance, text)
            }
            kind => {
                let fits: Vec<&str> =
                    PATHS.iter().filter(|(_, known)| *known == kind || kind == Any).map(|(path, _)| *path).collect();
                let path = if fits.is_empty() { "1".to_owned() } else { self.chance.pick(&fits).to_owned() };
                self.below_root(path)
            }
        }
    }

    /// A path that starts at the root, wherever the dot is.
    fn below_root(&mut self, path: String) -> String {
        let say = self.inside && self.rooted || self.chance.percent(15);
        match path.strip_prefix("(.") {
            Some(rest) if say => format!("($.{rest}"),
            None if say && path.starts_with('.') => format!("${path}"),
            _ => path,
        }
    }
}
