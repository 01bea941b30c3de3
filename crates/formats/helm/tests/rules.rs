//! Where a chart is rendered differently: one case for each rule of `docs/compatibility/helm.md`, with what the reference
//! (3.22) did with the same chart.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use windlass_helm::{Chart, Isolated, Limits, Options, Values};

fn rendered_with(files: &[(&str, &str)], limits: Limits) -> Result<String, String> {
    let own = [("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n")];
    let files: BTreeMap<String, Vec<u8>> =
        own.iter().chain(files).map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
    let explained = |error: windlass_helm::HelmError| {
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(inner) = cause {
            text.push_str(&format!(": {inner}"));
            cause = inner.source();
        }
        text
    };
    let options = Options { release_name: "rel".to_owned(), limits, ..Options::default() };
    let chart = Chart::load(files).map_err(explained)?;
    windlass_helm::template(&chart, &Values::default(), &options, &Isolated, None)
        .map(|rendered| rendered.notes)
        .map_err(explained)
}

/// What the notes of a chart are.
fn notes(template: &str) -> Result<String, String> {
    rendered_with(&[("templates/NOTES.txt", template)], Limits::default())
}

/// The reference: `function "env" not defined`.
#[test]
fn rule_1_the_environment() {
    for function in ["env", "expandenv"] {
        let problem = notes(&format!("{{{{ {function} \"HOME\" }}}}")).unwrap_err();
        assert!(problem.contains(&format!("the function `{function}` is not run here")), "{problem}");
    }
}

/// The reference: another text each time.
#[test]
fn rule_2_chance() {
    for call in
        ["randAlphaNum 5", "randAlpha 5", "randNumeric 5", "randAscii 5", "randBytes 5", "uuidv4", "shuffle \"abc\""]
    {
        let problem = notes(&format!("{{{{ {call} }}}}")).unwrap_err();
        assert!(problem.contains(call.split(' ').next().unwrap()), "{problem}");
    }
}

/// The reference: another text each time.
#[test]
fn rule_3_keys_and_certificates() {
    for call in [
        "genPrivateKey \"rsa\"",
        "(genCA \"a\" 1).Cert",
        "(genSelfSignedCert \"a\" nil nil 1).Cert",
        "htpasswd \"a\" \"b\"",
        "bcrypt \"a\"",
        "encryptAES \"k\" \"v\"",
        "derivePassword 1 \"long\" \"a\" \"b\" \"c\"",
    ] {
        let problem = notes(&format!("{{{{ {call} }}}}")).unwrap_err();
        let name = call.trim_start_matches('(').split(' ').next().unwrap();
        assert!(problem.contains(name), "{problem}");
    }
}

/// The reference: the moment of rendering, and texts made from it.
#[test]
fn rule_4_time() {
    for call in ["now", "now | date \"2006\"", "htmlDate 0", "ago now", "duration 95", "durationRound \"2h10m5s\""] {
        assert!(notes(&format!("{{{{ {call} }}}}")).is_err(), "{call}");
    }
}

/// The reference: `map[a:2020-01-01 00:00:00 +0000 local-date]`.
#[test]
fn rule_5_dates_in_toml() {
    let told = notes("{{ fromToml \"a = 2020-01-01\" }}").unwrap();
    assert_eq!(told, "map[Error:toml: 2020-01-01: dates are not read here: write it as a text]");
}

/// The reference: the same keys, in another order from run to run.
#[test]
fn rule_6_order() {
    assert_eq!(
        notes("{{ keys (dict \"b\" 1 \"a\" 2 \"c\" 3) }} {{ values (dict \"b\" 1 \"a\" 2) }}").unwrap(),
        "[a b c] [2 1]"
    );
}

/// The reference fetches it, and fails when it cannot.
#[test]
fn rule_7_schemas_elsewhere() {
    let schema = "{\"$ref\": \"https://example.invalid/schema.json\"}";
    let problem = rendered_with(&[("values.schema.json", schema), ("templates/NOTES.txt", "x")], Limits::default());
    assert!(problem.unwrap_err().contains("example.invalid"));
}

/// The reference: `- at '/a': got number, want string`.
#[test]
fn rule_8_words_of_schema_problems() {
    let schema = "{\"properties\": {\"a\": {\"type\": \"string\"}}}";
    let files = [("values.schema.json", schema), ("values.yaml", "a: 1\n"), ("templates/NOTES.txt", "x")];
    let problem = rendered_with(&files, Limits::default()).unwrap_err();
    assert!(
        problem.contains("values don't meet the specifications of the schema(s) in the following chart(s)"),
        "{problem}"
    );
}

/// The reference: its process ends with `stack overflow` for the text, and `toYaml` prints nothing.
#[test]
fn rule_9_maps_that_hold_themselves() {
    assert!(notes("{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ $d }}").is_err());
    assert!(notes("{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ toYaml $d }}").is_err());
}

/// The reference goes on until memory or patience ends.
#[test]
fn rule_10_limits() {
    let limits = Limits { steps: 10_000, depth: 20, output: 1 << 16 };
    for template in [
        "{{ range until 1000 }}{{ range until 1000 }}x{{ end }}{{ end }}",
        "{{ define \"a\" }}{{ template \"a\" . }}{{ end }}{{ template \"a\" . }}",
        "{{ repeat 100000 \"x\" }}",
    ] {
        assert!(rendered_with(&[("templates/NOTES.txt", template)], limits).is_err(), "{template}");
    }
}

/// The reference makes them all: `until 2000000 | len` is 2000000.
#[test]
fn rule_11_many_numbers() {
    for call in ["until 2000000 | len", "seq 2000000 | len", "untilStep 0 2000000 1 | len"] {
        let problem = notes(&format!("{{{{ {call} }}}}")).unwrap_err();
        assert!(problem.contains("more than 1000000 numbers"), "{problem}");
    }
}

/// The reference upper-cases the half character byte by byte, and prints the byte `\xc3`.
#[test]
fn rule_12_halves_of_characters() {
    assert_eq!(
        notes("{{ trunc 1 \"é\" | b64enc }} {{ trunc 1 \"é\" | len }} {{ trunc 1 \"é\" | upper }}").unwrap(),
        "ww== 1 \u{fffd}"
    );
}

/// The reference: `uint8 97`, `uint64 1 &semver.Version{major:0x1, …`.
#[test]
fn rule_13_numbers_without_a_sign() {
    assert_eq!(notes("{{ typeOf (index \"abc\" 0) }} {{ index \"abc\" 0 }}").unwrap(), "int64 97");
    assert_eq!(
        notes("{{ $v := semver \"1.2.3-a\" }}{{ typeOf $v.Major }} {{ $v.Major }} {{ printf \"%#v\" $v }}").unwrap(),
        "int64 1 &semver.Version{major:1, minor:2, patch:3, pre:\"a\", metadata:\"\", original:\"1.2.3-a\"}"
    );
}

/// The reference: `error converting YAML to JSON: yaml: line 1: did not find expected ',' or ']'` as the value of `Error`.
#[test]
fn rule_14_problems_as_values() {
    let text = notes("{{ (fromYaml \"a: [\").Error }}").unwrap();
    assert!(text.contains("`[` is opened here and not closed"), "{text}");
}

/// The reference: nothing, unless `--enable-dns` is given.
#[test]
fn rule_15_names_of_hosts() {
    assert_eq!(notes("[{{ getHostByName \"localhost\" }}]").unwrap(), "[]");
}

/// The reference: `[a]`.
#[test]
fn rule_16_text_behind_a_document() {
    let text = notes("{{ fromYamlArray \"[a]b\" }}").unwrap();
    assert!(text.contains("does not belong to the document above"), "{text}");
}

/// The reference: `[1 2 3 4 5 <nil> <nil> <nil>]` for a list of values, which has room for eight.
#[test]
fn rule_17_slices_beyond_the_end() {
    let files = [("values.yaml", "a: [1, 2, 3, 4, 5]\n"), ("templates/NOTES.txt", "{{ slice .Values.a 0 8 }}")];
    let problem = rendered_with(&files, Limits::default()).unwrap_err();
    assert!(problem.contains("slice bounds out of range"), "{problem}");
}
