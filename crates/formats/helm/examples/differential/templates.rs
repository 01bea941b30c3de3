//! Random templates: expressions that mostly fit together.

use crate::chance::Chance;
use crate::reference::Case;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    /// Go's `int`, as literals and conversions give it.
    Int,
    Number,
    Bool,
    List,
    Map,
    Any,
}

use Kind::{Any, Bool, Int, List, Map, Number, Text};

const VALUES: &str = r#"
text: hello World
empty: ""
long: The quick brown fox jumps over the lazy dog again and again
lines: "first\nsecond line\n\nfourth"
odd: "a: [b, 'c'] & <d> \"e\" \\f é 日本"
number: 8080
big: 123456789
fraction: 0.25
huge: 1e21
tiny: 0.000001
zero: 0
"yes": true
no: false
nothing: null
version: 1.28.3-rc.1
list: [b, a, c, a]
numbers: [3, 1, 2.5]
mixed: [1, x, null, {k: v}, [y]]
none: []
map: {b: 1, a: {c: deep, "n": null}, z: [1, 2]}
blank: {}
names: {first: Ada, last: Lovelace}
"#;

const PATHS: [(&str, Kind); 24] = [
    (".Values.text", Text),
    (".Values.empty", Text),
    (".Values.long", Text),
    (".Values.lines", Text),
    (".Values.odd", Text),
    (".Values.version", Text),
    (".Release.Name", Text),
    (".Chart.Name", Text),
    (".Values.number", Number),
    (".Values.big", Number),
    (".Values.fraction", Number),
    (".Values.huge", Number),
    (".Values.tiny", Number),
    (".Values.zero", Number),
    (".Values.yes", Bool),
    (".Values.no", Bool),
    (".Values.list", List),
    (".Values.numbers", List),
    (".Values.mixed", List),
    (".Values.none", List),
    (".Values.map", Map),
    (".Values.blank", Map),
    (".Values.names", Map),
    (".Values.map.a", Map),
];

const ODD: [&str; 12] = [
    ".Values.nothing",
    ".Values.missing",
    "(.Values.missing).deeper",
    ".Values.map.a.n",
    ".Values.missing.deeper",
    ".Release.Revision",
    ".Chart.AppVersion",
    ".Capabilities.KubeVersion",
    ".Capabilities.KubeVersion.Minor",
    "(split \".\" \"a.b\")._0",
    "(split \".\" \"a.b\")._7",
    ".Template.Name",
];

/// Name, arguments, result. `*` means: the last argument may come again.
const FUNCTIONS: [(&str, &[Kind], Kind); 150] = [
    ("upper", &[Text], Text),
    ("lower", &[Text], Text),
    ("title", &[Text], Text),
    ("untitle", &[Text], Text),
    ("trim", &[Text], Text),
    ("nospace", &[Text], Text),
    ("initials", &[Text], Text),
    ("swapcase", &[Text], Text),
    ("snakecase", &[Text], Text),
    ("camelcase", &[Text], Text),
    ("kebabcase", &[Text], Text),
    ("trimAll", &[Text, Text], Text),
    ("trimSuffix", &[Text, Text], Text),
    ("trimPrefix", &[Text, Text], Text),
    ("trunc", &[Int, Text], Text),
    ("abbrev", &[Int, Text], Text),
    ("abbrevboth", &[Int, Int, Text], Text),
    ("substr", &[Int, Int, Text], Text),
    ("repeat", &[Int, Text], Text),
    ("replace", &[Text, Text, Text], Text),
    ("wrap", &[Int, Text], Text),
    ("wrapWith", &[Int, Text, Text], Text),
    ("contains", &[Text, Text], Bool),
    ("hasPrefix", &[Text, Text], Bool),
    ("hasSuffix", &[Text, Text], Bool),
    ("quote", &[Any], Text),
    ("quote", &[Any, Any], Text),
    ("squote", &[Any], Text),
    ("cat", &[Any, Any], Text),
    ("indent", &[Int, Text], Text),
    ("nindent", &[Int, Text], Text),
    ("plural", &[Text, Text, Int], Text),
    ("toString", &[Any], Text),
    ("toStrings", &[List], List),
    ("b64enc", &[Text], Text),
    ("b64dec", &[Text], Text),
    ("b32enc", &[Text], Text),
    ("sha1sum", &[Text], Text),
    ("sha256sum", &[Text], Text),
    ("adler32sum", &[Text], Text),
    ("base", &[Text], Text),
    ("dir", &[Text], Text),
    ("clean", &[Text], Text),
    ("ext", &[Text], Text),
    ("isAbs", &[Text], Bool),
    ("html", &[Any], Text),
    ("js", &[Any], Text),
    ("urlquery", &[Any], Text),
    ("int", &[Any], Int),
    ("int64", &[Any], Number),
    ("float64", &[Any], Number),
    ("atoi", &[Text], Int),
    ("toDecimal", &[Any], Number),
    ("add", &[Number, Number], Number),
    ("add", &[Any, Any, Any], Number),
    ("add1", &[Any], Number),
    ("sub", &[Number, Number], Number),
    ("mul", &[Number, Number], Number),
    ("div", &[Number, Number], Number),
    ("mod", &[Number, Number], Number),
    ("max", &[Number, Number], Number),
    ("min", &[Number, Number], Number),
    ("addf", &[Number, Number], Number),
    ("subf", &[Number, Number], Number),
    ("mulf", &[Number, Number], Number),
    ("divf", &[Number, Number], Number),
    ("maxf", &[Number, Number], Number),
    ("minf", &[Number, Number], Number),
    ("floor", &[Any], Number),
    ("ceil", &[Any], Number),
    ("round", &[Any, Int], Number),
    ("len", &[Any], Int),
    ("until", &[Int], List),
    ("untilStep", &[Int, Int, Int], List),
    ("seq", &[Int], Text),
    ("seq", &[Int, Int], Text),
    ("seq", &[Int, Int, Int], Text),
    ("list", &[Any, Any], List),
    ("list", &[Any], List),
    ("tuple", &[Any, Any, Any], List),
    ("first", &[List], Any),
    ("last", &[List], Any),
    ("rest", &[List], List),
    ("initial", &[List], List),
    ("reverse", &[List], List),
    ("uniq", &[List], List),
    ("compact", &[List], List),
    ("append", &[List, Any], List),
    ("prepend", &[List, Any], List),
    ("concat", &[List, List], List),
    ("without", &[List, Any], List),
    ("has", &[Any, List], Bool),
    ("slice", &[List, Int], List),
    ("slice", &[List, Int, Int], List),
    ("chunk", &[Int, List], List),
    ("sortAlpha", &[List], List),
    ("join", &[Text, List], Text),
    ("splitList", &[Text, Text], List),
    ("split", &[Text, Text], Any),
    ("splitn", &[Text, Int, Text], Any),
    ("index", &[List, Int], Any),
    ("index", &[Map, Text], Any),
    ("default", &[Any, Any], Any),
    ("default", &[Text, Text], Text),
    ("empty", &[Any], Bool),
    ("coalesce", &[Any, Any, Any], Any),
    ("ternary", &[Any, Any, Bool], Any),
    ("all", &[Any, Any], Bool),
    ("any", &[Any, Any], Bool),
    ("dict", &[Text, Any], Map),
    ("dict", &[Text, Any, Text, Any], Map),
    ("dict", &[Any, Any, Any], Map),
    ("get", &[Map, Text], Any),
    ("hasKey", &[Map, Text], Bool),
    ("set", &[Map, Text, Any], Map),
    ("unset", &[Map, Text], Map),
    ("pick", &[Map, Text, Text], Map),
    ("omit", &[Map, Text], Map),
    ("pluck", &[Text, Map, Map], List),
    ("dig", &[Text, Any, Map], Any),
    ("dig", &[Text, Text, Any, Map], Any),
    ("merge", &[Map, Map], Map),
    ("mergeOverwrite", &[Map, Map], Map),
    ("merge", &[Map, Map, Map], Map),
    ("deepCopy", &[Any], Any),
    ("deepEqual", &[Any, Any], Bool),
    ("kindOf", &[Any], Text),
    ("typeOf", &[Any], Text),
    ("kindIs", &[Text, Any], Bool),
    ("toYaml", &[Any], Text),
    ("toYamlPretty", &[Any], Text),
    ("toJson", &[Any], Text),
    ("toRawJson", &[Any], Text),
    ("toPrettyJson", &[Any], Text),
    ("fromYaml", &[Text], Map),
    ("fromYamlArray", &[Text], List),
    ("fromJson", &[Text], Map),
    ("regexMatch", &[Text, Text], Bool),
    ("regexFind", &[Text, Text], Text),
    ("regexFindAll", &[Text, Text, Int], List),
    ("regexReplaceAll", &[Text, Text, Text], Text),
    ("regexSplit", &[Text, Text, Int], List),
    ("semverCompare", &[Text, Text], Bool),
    ("not", &[Any], Bool),
    ("and", &[Any, Any], Any),
    ("or", &[Any, Any], Any),
    ("eq", &[Any, Any], Bool),
    ("ne", &[Text, Text], Bool),
    ("lt", &[Number, Number], Bool),
    ("ge", &[Int, Int], Bool),
];

const TEXTS: [&str; 22] = [
    "a",
    "b",
    "c",
    "k",
    "first",
    "",
    "a.b.c",
    "a,b,,c",
    "http_server",
    "FooBar2Baz",
    "/usr/lib/x.tar.gz",
    "  padded ",
    "é日本",
    "[a-c]+",
    "(o)(.)",
    "1.28.0",
    ">=1.27.0-0",
    "^1.2 || ~2",
    "0x1F",
    "007",
    "3.14",
    "x: 1\\ny: [2, {z: true}]",
];

const INTS: [&str; 9] = ["0", "1", "2", "3", "5", "8", "20", "-1", "-3"];

struct Writer<'c> {
    chance: &'c mut Chance,
    variables: Vec<(String, Kind)>,
    defined: usize,
}

/// One template, as the notes of a chart.
pub(crate) fn case(chance: &mut Chance) -> Case {
    let mut writer = Writer { chance, variables: Vec::new(), defined: 2 };
    let mut text = String::new();
    text.push_str("{{- define \"d0\" -}}<{{ kindOf . }}{{ . }}>{{- end -}}\n");
    text.push_str(
        "{{- define \"d1\" }}{{ range $k, $v := .map }}{{ $k }}={{ $v }};{{ else }}none{{ end }}{{ end -}}\n",
    );
    let count = 1 + writer.chance.below(5);
    for _ in 0..count {
        text.push_str(&writer.statement(2));
    }
    let mut case = Case::default();
    case.files.insert("Chart.yaml".to_owned(), "apiVersion: v2\nname: c\nversion: 1.0.0\n".to_owned());
    case.files.insert("values.yaml".to_owned(), VALUES.to_owned());
    case.files.insert("templates/NOTES.txt".to_owned(), text);
    case
}

impl Writer<'_> {
    fn statement(&mut self, depth: usize) -> String {
        let trim = |chance: &mut Chance| if chance.percent(15) { ("{{- ", " -}}") } else { ("{{ ", " }}") };
        let (open, close) = trim(self.chance);
        let choice = if depth == 0 { self.chance.below(50) } else { self.chance.below(100) };
        let mark = self.variables.len();
        match choice {
            0..=39 => {
                let expression = self.pipeline(3);
                format!("{open}{expression}{close}\n")
            }
            40..=47 => {
                let kind = *[Text, Int, List, Map, Any].get(self.chance.below(5)).unwrap_or(&Any);
                let expression = self.expression(kind, 2);
                let name = format!("$v{}", self.variables.len());
                self.variables.push((name.clone(), kind));
                format!("{open}{name} := {expression}{close}[{{{{ {name} }}}}]\n")
            }
            48..=49 => format!("text {}\n", self.chance.below(9)),
            50..=62 => {
                let condition = self.expression(Any, 2);
                let (then, otherwise) = (self.inner(depth, mark), self.inner(depth, mark));
                format!("{open}if {condition}{close}{then}{{{{ else }}}}{otherwise}{{{{ end }}}}\n")
            }
            63..=69 => {
                let value = self.expression(Any, 2);
                let (then, otherwise) = (self.inner(depth, mark), self.inner(depth, mark));
                format!("{open}with {value}{close}{{{{ . }}}}{then}{{{{ else }}}}{otherwise}{{{{ end }}}}\n")
                    .replace("{{ . }}", "{{ . | toString | trunc 20 }}")
            }
            70..=84 => {
                let kind = *[List, Map, Int, Any].get(self.chance.below(4)).unwrap_or(&List);
                let value = self.expression(kind, 2);
                let (head, show) = match self.chance.below(3) {
                    0 => (String::new(), "{{ . }}"),
                    1 => ("$x := ".to_owned(), "{{ $x }}"),
                    _ => ("$i, $x := ".to_owned(), "{{ $i }}:{{ $x }}"),
                };
                let extra = match self.chance.below(8) {
                    0 => "{{ break }}",
                    1 => "{{ continue }}",
                    _ => "",
                };
                format!("{open}range {head}{value}{close}{show},{extra}{{{{ else }}}}-{{{{ end }}}}\n")
            }
            85..=92 => {
                let name = format!("d{}", self.chance.below(self.defined));
                let value = self.expression(Any, 1);
                let value = if name == "d1" { "(dict \"map\" .Values.map)".to_owned() } else { value };
                if self.chance.percent(50) {
                    format!("{open}include \"{name}\" {value} | nindent 2{close}\n")
                } else {
                    format!("{open}template \"{name}\" {value}{close}\n")
                }
            }
            _ => {
                let inner = self.expression(Any, 1).replace('\\', "\\\\").replace('"', "\\\"");
                if inner.contains('$') {
                    return String::new();
                }
                format!("{open}tpl \"[{{{{ {inner} }}}}]\" .{close}\n")
            }
        }
    }

    fn inner(&mut self, depth: usize, mark: usize) -> String {
        let text = self.statement(depth - 1);
        self.variables.truncate(mark);
        text
    }

    /// An expression with functions behind it.
    fn pipeline(&mut self, depth: usize) -> String {
        let mut text = self.expression(Any, depth);
        if self.chance.percent(30) {
            text.push_str(self.chance.pick(&[
                " | quote",
                " | toYaml",
                " | toJson",
                " | printf \"%v|%T\" 1 | quote",
                " | kindOf",
            ]));
        }
        if self.chance.percent(12) {
            let verb = self
                .chance
                .pick(&["%v", "%s", "%d", "%q", "%5.2f", "%x", "%T", "%-8v|", "%05d", "%t", "%#v", "%+d", "%g"]);
            let value = self.expression(Any, 1);
            text = format!("printf \"{verb}\" {value}");
        }
        text
    }

    /// A term of a kind, in parentheses where it needs them. Sometimes of another kind.
    fn expression(&mut self, kind: Kind, depth: usize) -> String {
        let kind = if self.chance.percent(1) { Any } else { kind };
        if depth == 0 || self.chance.percent(30) {
            return self.leaf(kind);
        }
        let fits: Vec<usize> = (0..FUNCTIONS.len())
            .filter(|index| kind == Any || FUNCTIONS[*index].2 == kind || FUNCTIONS[*index].2 == Any && *index % 5 == 0)
            .collect();
        let Some(index) = fits.get(self.chance.below(fits.len())) else { return self.leaf(kind) };
        let (name, parameters, _) = FUNCTIONS[*index];
        let name = if self.chance.percent(3) && name.starts_with("regex") {
            format!("mustR{}", &name[1..])
        } else {
            name.to_owned()
        };
        let mut text = format!("({name}");
        for parameter in parameters {
            text.push(' ');
            text.push_str(&self.expression(*parameter, depth - 1));
        }
        text.push(')');
        text
    }

    fn leaf(&mut self, kind: Kind) -> String {
        let own: Vec<String> = self
            .variables
            .iter()
            .filter(|(_, known)| *known == kind || kind == Any)
            .map(|(name, _)| name.clone())
            .collect();
        if !own.is_empty() && self.chance.percent(30) {
            return own[self.chance.below(own.len())].clone();
        }
        if kind == Any && self.chance.percent(6) {
            return self.chance.pick(&ODD).to_owned();
        }
        let quoted = |text: &str| format!("\"{text}\"");
        match kind {
            Text if self.chance.percent(60) => quoted(self.chance.pick(&TEXTS)),
            Int => self.chance.pick(&INTS).to_owned(),
            Number if self.chance.percent(50) => {
                self.chance.pick(&["1", "2", "-7", "1.5", "0.1", "1e3", "100000", "1000000"]).to_owned()
            }
            Bool if self.chance.percent(50) => self.chance.pick(&["true", "false"]).to_owned(),
            Any if self.chance.percent(20) => quoted(self.chance.pick(&TEXTS)),
            kind => {
                let fits: Vec<&str> =
                    PATHS.iter().filter(|(_, known)| *known == kind || kind == Any).map(|(path, _)| *path).collect();
                if fits.is_empty() { "1".to_owned() } else { self.chance.pick(&fits).to_owned() }
            }
        }
    }
}
