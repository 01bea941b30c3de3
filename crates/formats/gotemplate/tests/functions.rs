//! The functions, by what they print. Results are those of sprig and Helm.
#![allow(clippy::unwrap_used)]

use serde_json::json;
use windlass_gotemplate::{Limits, Templates};

fn render(template: &str) -> Result<String, String> {
    let root = json!({"Values": {
        "name": "shop", "n": 3, "list": ["b", "a", "b"], "map": {"b": {"c": 1}, "a": "x"}, "text": "a: 1\nb:\n  - x\n",
        "resources": {"limits": {"cpu": "100m", "memory": "1Gi"}, "ports": [80, 443], "none": null, "on": "yes"},
    }});
    let set = Templates::parse(&[("t", template)]).map_err(|problems| problems.to_string())?;
    set.render("t", &root, &Limits::default()).map_err(|problems| problems.to_string())
}

fn check(cases: &[(&str, &str)]) {
    for (template, wanted) in cases {
        assert_eq!(render(&format!("{{{{ {template} }}}}")).unwrap(), *wanted, "{template}");
    }
}

#[test]
fn texts() {
    check(&[
        ("quote \"a\\\"b\" nil 1", r#""a\"b" "1""#),
        ("squote \"a\" 1", "'a' '1'"),
        ("\"x\" | upper | lower | title", "X"),
        ("title \"hello big world\"", "Hello Big World"),
        ("trim \"  a \" | printf \"[%s]\"", "[a]"),
        ("trimAll \"$\" \"$5$\"", "5"),
        ("trimSuffix \"-\" \"a-\" | trimPrefix \"a\"", ""),
        ("contains \"at\" \"cat\"", "true"),
        ("hasPrefix \"c\" \"cat\"", "true"),
        ("hasSuffix \"c\" \"cat\"", "false"),
        ("replace \"-\" \"_\" \"a-b-c\"", "a_b_c"),
        ("repeat 3 \"ab\"", "ababab"),
        ("trunc 3 \"abcdef\"", "abc"),
        ("trunc -2 \"abcdef\"", "ef"),
        ("substr 1 3 \"abcdef\"", "bc"),
        ("indent 2 \"a\\n\\nb\" | quote", r#""  a\n  \n  b""#),
        ("nindent 2 \"a\" | quote", r#""\n  a""#),
        ("splitList \",\" \"a,b\" | join \"+\"", "a+b"),
        ("(split \"/\" \"a/b\")._1", "b"),
        ("cat \"a\" 1 nil true", "a 1 true"),
        ("snakecase \"FirstName\"", "first_name"),
        ("kebabcase \"FirstName\"", "first-name"),
        ("camelcase \"http_server\"", "HttpServer"),
        ("nospace \" a b \"", "ab"),
        ("nospace \"é日\"", "é日"),
        ("nospace \"é b\"", "Ã©b"),
        ("plural \"one\" \"many\" 2", "many"),
        ("base \"/a/b.txt\"", "b.txt"),
        ("dir \"/a/b.txt\"", "/a"),
        ("ext \"/a/b.txt\"", ".txt"),
        ("clean \"/a/../b/./c\"", "/b/c"),
        ("html \"<a href='x'>\"", "&lt;a href=&#39;x&#39;&gt;"),
        ("urlquery \"a b&c\"", "a+b%26c"),
        ("js \"it's <x>\"", "it\\'s \\u003Cx\\u003E"),
        ("slice (list 1 2 3) 1 2 3", "[2]"),
        ("abbrev 5 \"hello world\"", "he..."),
    ]);
}

#[test]
fn numbers() {
    check(&[
        ("add 1 2 3", "6"),
        ("add1 1", "2"),
        ("sub 5 \"2\"", "3"),
        ("mul 2 3 4", "24"),
        ("div 7 2", "3"),
        ("mod 7 2", "1"),
        ("add .Values.n 1", "4"),
        ("max 1 3 2", "3"),
        ("min 1 3 2", "1"),
        ("floor 1.7", "1"),
        ("ceil 1.2", "2"),
        ("round 123.5555 3", "123.556"),
        ("int \"010\"", "8"),
        ("int \"08\"", "0"),
        ("atoi \"010\"", "10"),
        ("int \"0x10\"", "16"),
        ("int 3.9", "3"),
        ("float64 \"1.5\"", "1.5"),
        ("toString 1.5", "1.5"),
        ("kindOf .Values.n", "float64"),
        ("kindOf 1", "int"),
        ("typeOf (add 1 1)", "int64"),
        ("kindIs \"map\" .Values.map", "true"),
        ("kindOf nil", "invalid"),
        ("until 3", "[0 1 2]"),
        ("untilStep 0 6 2", "[0 2 4]"),
        ("seq 1 2 5", "1 3 5"),
        ("seq 3", "1 2 3"),
    ]);
}

#[test]
fn lists_and_maps() {
    check(&[
        ("list 1 \"a\" | len", "2"),
        ("first .Values.list", "b"),
        ("last .Values.list", "b"),
        ("rest .Values.list", "[a b]"),
        ("initial .Values.list", "[b a]"),
        ("append .Values.list \"z\" | join \"\"", "babz"),
        ("prepend .Values.list \"z\" | join \"\"", "zbab"),
        ("concat (list 1) (list 2 3)", "[1 2 3]"),
        ("uniq .Values.list", "[b a]"),
        ("without .Values.list \"b\"", "[a]"),
        ("has \"a\" .Values.list", "true"),
        ("compact (list 0 1 \"\" \"x\")", "[1 x]"),
        ("reverse (list 1 2 3)", "[3 2 1]"),
        ("sortAlpha .Values.list", "[a b b]"),
        ("slice (list 1 2 3 4) 1 3", "[2 3]"),
        ("keys .Values.map | join \",\"", "a,b"),
        ("values (dict \"a\" 1 \"b\" 2)", "[1 2]"),
        ("dict \"a\" 1 \"b\"", "map[a:1 b:]"),
        ("get .Values.map \"a\"", "x"),
        ("get .Values.map \"zz\" | quote", "\"\""),
        ("hasKey .Values.map \"b\"", "true"),
        ("pick .Values.map \"a\"", "map[a:x]"),
        ("omit .Values.map \"a\"", "map[b:map[c:1]]"),
        ("pluck \"a\" (dict \"a\" 1) (dict \"b\" 2) (dict \"a\" 3)", "[1 3]"),
        ("dig \"b\" \"c\" \"none\" .Values.map", "1"),
        ("dig \"b\" \"x\" \"none\" .Values.map", "none"),
        ("merge (dict \"a\" 1 \"z\" 0) (dict \"a\" 2 \"z\" 5 \"n\" 3)", "map[a:1 n:3 z:5]"),
        (
            "mergeOverwrite (dict \"a\" 1 \"m\" (dict \"x\" 1)) (dict \"a\" 0 \"m\" (dict \"y\" 2))",
            "map[a:0 m:map[x:1 y:2]]",
        ),
        ("deepEqual (list 1 (dict \"a\" 2)) (list 1 (dict \"a\" 2))", "true"),
        ("coalesce 0 \"\" nil \"x\"", "x"),
        ("ternary \"a\" \"b\" true", "a"),
        ("empty (list)", "true"),
        ("all 1 \"\"", "false"),
        ("any 0 \"x\"", "true"),
    ]);
    assert_eq!(
        render("{{ $d := dict }}{{ $_ := set $d \"k\" 1 }}{{ $e := $d }}{{ $_ = set $e \"l\" 2 }}{{ $d }}").unwrap(),
        "map[k:1 l:2]"
    );
    assert_eq!(render("{{ $_ := set .Values \"new\" \"v\" }}{{ .Values.new }}").unwrap(), "v", "everybody sees it");
    assert_eq!(render("{{ $c := deepCopy .Values.map }}{{ $_ := set $c \"a\" 2 }}{{ .Values.map.a }}").unwrap(), "x");
    assert_eq!(render("{{ $_ := unset .Values.map \"b\" }}{{ .Values.map }}").unwrap(), "map[a:x]");
}

#[test]
fn yaml_and_json() {
    check(&[
        ("toJson .Values.map", r#"{"a":"x","b":{"c":1}}"#),
        ("toJson \"<&>\"", r#""\u003c\u0026\u003e""#),
        ("toRawJson \"<&>\"", r#""<&>""#),
        ("(fromYaml .Values.text).a", "1"),
        ("index (fromYaml .Values.text).b 0", "x"),
        (
            "(fromYaml \"- 1\").Error",
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
        ("fromYamlArray \"[1, x]\"", "[1 x]"),
        ("(fromJson \"{\\\"a\\\": [true]}\").a", "[true]"),
        ("hasKey (fromJson \"{\") \"Error\"", "true"),
        ("toYaml 1000000", "1000000"),
        ("toYaml (list)", "[]"),
        ("toYaml \"yes\"", "\"yes\""),
    ]);
    insta::assert_snapshot!(render("resources:\n  {{- toYaml .Values.resources | nindent 2 }}\n").unwrap(), @r#"
    resources:
      limits:
        cpu: 100m
        memory: 1Gi
      none: null
      "on": "yes"
      ports:
      - 80
      - 443
    "#);
}

#[test]
fn addresses() {
    check(&[
        (
            "urlParse \"https://me:p%40ss@Example.com:8443/a%20b/c?x=1#top\" | toJson",
            r#"{"fragment":"top","host":"Example.com:8443","hostname":"Example.com","opaque":"","path":"/a b/c","query":"x=1","scheme":"https","userinfo":"me:p%40ss"}"#,
        ),
        ("(urlParse \"mailto:a@b.c\").opaque", "a@b.c"),
        ("(urlParse \"http://[::1]:80/x\").hostname", "::1"),
        (
            "urlJoin (dict \"scheme\" \"https\" \"host\" \"h:1\" \"path\" \"a b\" \"query\" \"q=1\" \"fragment\" \"f g\")",
            "https://h:1/a%20b?q=1#f%20g",
        ),
        ("urlJoin (urlParse \"https://u:p@h/x/?y#z\")", "https://u:p@h/x/?y#z"),
    ]);
    for bad in [":x", "[::1]/x", "http://h:port/", "%zz"] {
        assert!(render(&format!("{{{{ urlParse \"{bad}\" }}}}")).is_err(), "{bad}");
    }
}

#[test]
fn versions_and_fractions() {
    check(&[
        ("semverCompare \">=1.19-0\" \"v1.28.3-gke.1\"", "true"),
        ("(semver \"v1.28.3-rc.1+b\").Minor", "28"),
        ("semver \"v1.2\"", "1.2.0"),
        ("(semver \"1.2.3\").Compare (semver \"1.3.0\")", "-1"),
        ("addf 0.1 0.2", "0.3"),
        ("divf 1 3", "0.3333333333333333"),
        ("mulf 1.1 1.1", "1.21"),
        ("chunk 2 (list 1 2 3)", "[[1 2] [3]]"),
        ("wrap 5 \"aa bb cc\" | quote", r#""aa bb\ncc""#),
        ("b32enc \"hi\"", "NBUQ===="),
        ("adler32sum \"abc\"", "38600999"),
    ]);
}

#[test]
fn encodings_and_expressions() {
    check(&[
        ("b64enc \"hi\"", "aGk="),
        ("b64dec \"aGk=\"", "hi"),
        ("sha256sum \"\"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("sha1sum \"\"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("regexMatch \"^a+$\" \"aaa\"", "true"),
        ("regexFind \"[0-9]+\" \"ab12cd3\"", "12"),
        ("regexFindAll \"[0-9]\" \"a1b2c3\" 2", "[1 2]"),
        ("regexReplaceAll \"a(x*)b\" \"-ab-axxb-\" \"${1}W\"", "-W-xxW-"),
        ("regexReplaceAllLiteral \"a\" \"banana\" \"$1\"", "b$1n$1n$1"),
        ("regexSplit \"z+\" \"pizza\" -1", "[pi a]"),
        ("regexQuoteMeta \"1.2\"", "1\\.2"),
    ]);
    // Without `must` nothing matches what is no expression; one that is too large is an error all the same.
    check(&[
        ("regexMatch \"(\" \"a\"", "false"),
        ("printf \"%b\" 2.5", "5629499534213120p-51"),
        ("splitn \"\" 0 \"a\"", "map[]"),
    ]);
    check(&[
        ("b32dec \"MFRGG===\"", "abc"),
        ("b32dec \"3.14\"", "illegal base32 data at input byte 1"),
        ("round 1 400", "NaN"),
    ]);
    assert!(render("{{ mustRegexMatch \"(\" \"a\" }}").unwrap_err().contains("is no regular expression"));
    assert!(render("{{ regexMatch \"(((a{1000}){1000}){1000})\" \"a\" }}").is_err());
}
