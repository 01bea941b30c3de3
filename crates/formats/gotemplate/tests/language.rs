//! The language, by small templates and what they print. Results are Go's where nothing else is said.
#![allow(clippy::unwrap_used)]

use serde_json::{Value as Json, json};
use windlass_gotemplate::{Limits, Options, Templates};

fn values() -> Json {
    json!({"Values": {
        "name": "shop", "replicas": 3, "big": 1_000_000, "port": 8080, "ratio": 0.5, "on": true, "off": false, "empty": "",
        "none": null, "list": ["a", "b", "c"], "nothing": [], "map": {"x": 1, "y": {"z": "deep"}},
        "people": [{"name": "ann", "age": 30}, {"name": "bob", "age": 4}],
    }})
}

fn render_with(template: &str, options: Options) -> Result<String, String> {
    let set = Templates::parse(&[("t", template)]).map_err(|problems| problems.to_string())?.with(options);
    set.render("t", &values(), &Limits::default()).map_err(|problems| problems.to_string())
}

fn check(cases: &[(&str, &str)]) {
    for (template, wanted) in cases {
        assert_eq!(render_with(template, Options::default()).unwrap(), *wanted, "{template}");
    }
}

fn refused(cases: &[(&str, &str)]) {
    for (template, wanted) in cases {
        assert_eq!(render_with(template, Options::default()).unwrap_err(), *wanted, "{template}");
    }
}

#[test]
fn values_and_text() {
    check(&[
        ("name: {{ .Values.name }}\n", "name: shop\n"),
        ("{{ $.Values.name }} {{ (.Values).name }} {{ (index .Values \"name\") }}", "shop shop shop"),
        ("{{ .Values.port }} {{ .Values.big }} {{ .Values.ratio }} {{ 1000000 }}", "8080 1e+06 0.5 1000000"),
        ("{{ .Values.big | int }}", "1000000"),
        ("{{ .Values.list }} {{ .Values.map }}", "[a b c] map[x:1 y:map[z:deep]]"),
        ("[{{ .Values.missing }}] [{{ .Values.none }}]", "[] []"),
        ("a {{- /* gone */ -}} b {{ `raw \\n` }} {{ \"q\\t\" }} {{ 'x' }}", "ab raw \\n q\t 120"),
        ("{{ 0x1F }} {{ 1e3 }} {{ -1.50 }} {{ 1_000 }} {{ true }}", "31 1000 -1.5 1000 true"),
        ("{{\"{{\"}} {{ print 1 2 \"a\" \"b\" 3 }} {{ println 1 \"a\" }}", "{{ 1 2ab3 1 a\n"),
        ("{{ print 1 2 \"a\" 3 }}|{{ print \"a\" \"b\" }}|{{ print nil }}", "1 2a3|ab|<nil>"),
    ]);
}

#[test]
fn conditions() {
    check(&[
        ("{{ if .Values.on }}yes{{ else }}no{{ end }}", "yes"),
        ("{{ if .Values.off }}a{{ else if eq .Values.name \"shop\" }}b{{ else }}c{{ end }}", "b"),
        ("{{ if .Values.nothing }}a{{ else if .Values.empty }}b{{ else if .Values.none }}c{{ else }}d{{ end }}", "d"),
        ("{{ with .Values.map }}{{ .x }}{{ $.Values.name }}{{ end }}", "1shop"),
        ("{{ with .Values.none }}a{{ else with .Values.name }}{{ . }}{{ else }}c{{ end }}", "shop"),
        ("{{ with $x := .Values.empty }}a{{ else }}[{{ $x }}]{{ end }}", "[]"),
        ("{{ if and .Values.on .Values.off }}a{{ end }}{{ or .Values.empty .Values.name }}", "shop"),
        ("{{ and .Values.name 0 .missing.deep }}|{{ or 1 .missing.deep }}", "0|1"),
        ("{{ not .Values.on }} {{ not 0 }}", "false true"),
        ("{{ .Values.off | or .Values.name }}", "shop"),
    ]);
}

#[test]
fn repetition() {
    check(&[
        ("{{ range .Values.list }}{{ . }},{{ end }}", "a,b,c,"),
        ("{{ range $i, $v := .Values.list }}{{ $i }}{{ $v }} {{ end }}", "0a 1b 2c "),
        ("{{ range $k, $v := .Values.map }}{{ $k }} {{ end }}", "x y "),
        ("{{ range $v := .Values.list }}{{ $v }}{{ end }}", "abc"),
        ("{{ range .Values.nothing }}x{{ else }}empty{{ end }}", "empty"),
        ("{{ range .Values.none }}x{{ else }}none{{ end }}", "none"),
        ("{{ range 3 }}{{ . }}{{ end }}{{ range $i := 2 }}{{ $i }}{{ end }}", "01201"),
        ("{{ range .Values.list }}{{ if eq . \"b\" }}{{ continue }}{{ end }}{{ . }}{{ end }}", "ac"),
        ("{{ range .Values.list }}{{ if eq . \"b\" }}{{ break }}{{ end }}{{ . }}{{ end }}!", "a!"),
        (
            "{{ range $p := .Values.people }}{{ range $k, $v := $p }}{{ $k }}={{ $v }};{{ end }}{{ end }}",
            "age=30;name=ann;age=4;name=bob;",
        ),
        ("{{ $x := \"\" }}{{ range .Values.list }}{{ $x = . }}{{ end }}{{ $x }}", "c"),
        ("{{ $i := 9 }}{{ range $i, $v := .Values.list }}{{ end }}{{ $i }}", "9"),
        ("{{ $i := 9 }}{{ $v := 1 }}{{ range $i, $v = .Values.list }}{{ end }}{{ $i }}{{ $v }}", "2c"),
    ]);
}

#[test]
fn variables() {
    check(&[
        ("{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ $x }}{{ end }}{{ $x }}", "21"),
        ("{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}", "2"),
        ("{{ $x := .Values.map }}{{ $x.y.z }}", "deep"),
        ("{{ $x := .Values.missing }}[{{ $x.deeper }}]", "[]"),
        ("{{ ($x := 3) }}", "3"),
    ]);
}

#[test]
fn definitions() {
    check(&[
        ("{{ define \"a\" }}<{{ . }}>{{ end }}{{ template \"a\" .Values.name }}{{ template \"a\" }}", "<shop><>"),
        ("{{ block \"b\" .Values.name }}[{{ . }}]{{ end }}", "[shop]"),
        ("{{ define \"a\" }}{{ $ }}{{ end }}{{ include \"a\" 1 | quote }}", "\"1\""),
        (
            "{{ define \"rec\" }}{{ . }}{{ if lt . 3 }}{{ template \"rec\" (int (add1 .)) }}{{ end }}{{ end }}{{ template \"rec\" 0 }}",
            "0123",
        ),
        ("{{ define \"x\" }}a:\n- 1{{ end }}k:{{ include \"x\" . | nindent 2 }}", "k:\n  a:\n  - 1"),
        (
            "{{ tpl \"{{ .name }}\" .Values }}{{ define \"d\" }}D{{ end }}{{ tpl \"{{ include \\\"d\\\" . }}\" . }}",
            "shopD",
        ),
        ("{{ tpl \"{{ define \\\"own\\\" }}O{{ end }}{{ template \\\"own\\\" }}\" . }}", "O"),
    ]);
    let set = Templates::parse(&[
        ("a.yaml", "{{ template \"shared\" . }}"),
        ("_b.tpl", "{{ define \"shared\" }}from b{{ end }}"),
        ("c.tpl", "{{ define \"shared\" }}  {{ end }}"),
    ]);
    assert_eq!(
        set.unwrap().render("a.yaml", &json!({}), &Limits::default()).unwrap(),
        "from b",
        "empty ones do not count"
    );
}

#[test]
fn nothing_and_null() {
    check(&[
        ("{{ (.Values.missing).deeper }}|{{ ((.Values.missing).a).b }}", "|"),
        ("{{ .Values.missing | default \"d\" }} {{ default 5 .Values.none }} {{ default 1 0 }}", "d 5 1"),
        ("{{ eq .Values.missing nil }} {{ ne .Values.name nil }} {{ empty .Values.missing }}", "true true true"),
        ("{{ index .Values \"missing\" }}|{{ quote .Values.missing }}|{{ printf \"%v\" .Values.missing }}", "||<nil>"),
    ]);
    refused(&[
        (
            "a: {{ .Values.missing.deeper }}",
            "t:1:7: error TPL0004: nil pointer evaluating interface {}.deeper: `.Values.missing.deeper` asks for `deeper` of a null (give .Values.missing a value, or write (.Values.missing).deeper)",
        ),
        (
            "{{ upper .Values.none }}",
            "t:1:10: error TPL0004: wrong type for value; expected string; got nothing: an argument of `upper` (give it a value, or use `default`)",
        ),
    ]);
    let go = |template: &str| render_with(template, Options::GO);
    assert_eq!(go("{{ .Values.missing }}|{{ .Values.missing.deeper }}").unwrap(), "<no value>|<no value>");
    assert!(go("{{ .Values.none.deeper }}").is_err());
}

#[test]
fn comparisons() {
    check(&[
        (
            "{{ eq 1 1 }} {{ eq 1 2 3 1 }} {{ ne 1 2 }} {{ lt 1 2 }} {{ le 2 2 }} {{ gt \"b\" \"a\" }} {{ ge 1.5 1.5 }}",
            "true true true true true true true",
        ),
        (
            "{{ eq .Values.replicas 3.0 }} {{ eq (int .Values.replicas) 3 }} {{ gt (len .Values.list) 2 }}",
            "true true true",
        ),
    ]);
    refused(&[
        (
            "{{ eq .Values.replicas 3 }}",
            "t:1:4: error TPL0004: `eq`: incompatible types for comparison, float64 and int: numbers of values files are floats, convert with `int`",
        ),
        ("{{ lt true false }}", "t:1:4: error TPL0004: `lt`: invalid type for comparison, bool and bool"),
        ("{{ eq 1 }}", "t:1:4: error TPL0004: wrong number of args for eq: want at least 2 got 1"),
    ]);
}

#[test]
fn mistakes_of_grammar_have_a_place_and_a_reason() {
    refused(&[
        ("a\n{{ if }}", "t:2:7: error TPL0001: `if` has no value"),
        ("{{ if true }}x", "t:1:4: error TPL0001: this block has no {{ end }}"),
        ("x{{ end }}", "t:1:5: error TPL0001: `end` closes nothing"),
        ("{{ $x }}", "t:1:4: error TPL0001: there is no variable `$x` here (did you mean `$`?)"),
        (
            "{{ $total := 1 }}{{ $totl }}",
            "t:1:21: error TPL0001: there is no variable `$totl` here (did you mean `$total`?)",
        ),
        ("{{ break }}", "t:1:4: error TPL0001: `break` stands outside of a `range`"),
        ("{{ 1 | 2 }}", "t:1:8: error TPL0001: behind | stands a function: this value cannot take another"),
        (
            "{{ quot 1 }}{{ nindnt 2 \"\" }}",
            "t:1:4: error TPL0002: there is no function `quot` (did you mean `quote`?)\nt:1:16: error TPL0002: there is no function `nindnt` (did you mean `nindent`?)",
        ),
        (
            "{{ env \"HOME\" }}",
            "t:1:4: error TPL0003: the function `env` is not run here (it would show the worker's own environment to templates)",
        ),
        (
            "{{ define \"a\" }}1{{ end }}{{ define \"a\" }}2{{ end }}",
            "t:1:30: error TPL0001: `a` is defined twice in this file",
        ),
        ("{{ template a }}", "t:1:13: error TPL0001: `template` wants a name in quotes"),
        ("{{ range $a, $b, $c := . }}{{ end }}", "t:1:16: error TPL0001: too many variables for `range`"),
        (
            "{{ if 1 }}{{ else }}{{ else }}{{ end }}",
            "t:1:21: error TPL0001: after `else` comes `end`, and no second `else`",
        ),
        ("{{ \"a\".b }}", "t:1:4: error TPL0001: `\"a\"` has no fields"),
        ("{{ 08 }}", "t:1:4: error TPL0001: 08 is too large for an integer"),
    ]);
}

#[test]
fn mistakes_of_values_have_a_place_and_a_reason() {
    refused(&[
        (
            "\n  {{ .Values.name.first }}",
            "t:2:6: error TPL0004: can't evaluate field first in type string: `.Values.name.first`",
        ),
        ("{{ range .Values.name }}{{ end }}", "t:1:10: error TPL0004: range can't iterate over a value of type string"),
        ("{{ .Values.name 1 }}", "t:1:4: error TPL0004: name is not a method but has arguments: `.Values.name`"),
        ("{{ template \"header\" }}", "t:1:4: error TPL0004: template \"header\" not defined"),
        ("{{ index .Values.list 7 }}", "t:1:4: error TPL0004: `index`: index out of range: 7 of 3"),
        (
            "{{ indent .Values.replicas \"x\" }}",
            "t:1:11: error TPL0004: wrong type for value; expected int; got float64: an argument of `indent` (numbers of values files are floats: convert with `int`)",
        ),
        ("{{ fail \"no luck\" }}", "t:1:4: error TPL0005: no luck"),
        ("{{ required \"name the host\" .Values.host }}", "t:1:4: error TPL0005: name the host"),
        ("{{ div 1 0 }}", "t:1:4: error TPL0004: `div`: division by zero"),
        (
            "{{ define \"inner\" }}{{ fail \"deep\" }}{{ end }}{{ define \"outer\" }}{{ template \"inner\" }}{{ end }}\n{{ include \"outer\" . }}",
            "t:1:24: error TPL0005: deep at `inner`, called at t:1:70, in `outer`, called at t:2:4",
        ),
    ]);
}
