//! Templates that want too much.
#![allow(clippy::unwrap_used)]

use serde_json::json;
use windlass_gotemplate::{Limits, Templates};

fn render(template: &str, limits: &Limits) -> Result<String, String> {
    let set = Templates::parse(&[("t", template)]).map_err(|problems| problems.to_string())?;
    set.render("t", &json!({}), limits).map_err(|problems| problems.to_string())
}

fn refused(template: &str) -> String {
    let limits = Limits { steps: 300_000, ..Limits::default() };
    render(template, &limits).unwrap_err()
}

/// Found by fuzzing: a block that fails inside of a range.
#[test]
fn what_fails_in_a_block_in_a_range() {
    for template in
        ["{{ range . }}{{ block \"b\" . }}{{ .x", "{{ range . }}{{ define \"b\" }}{{ break }}{{ end }}{{ end }}"]
    {
        assert!(Templates::parse(&[("t", template)]).is_err(), "{template}");
    }
}

#[test]
fn steps_depth_and_size_have_an_end() {
    for (template, wanted) in [
        (
            "{{ define \"a\" }}{{ template \"a\" }}{{ end }}{{ template \"a\" }}",
            "more than 1000 templates within each other",
        ),
        (
            "{{ define \"a\" }}{{ include \"a\" . }}{{ end }}{{ include \"a\" . }}",
            "more than 1000 templates within each other",
        ),
        ("{{ range 1000000000000 }}{{ end }}", "more than 300000 steps"),
        ("{{ range until 1000 }}{{ range until 1000 }}x{{ end }}{{ end }}", "more than 300000 steps"),
        ("{{ until 100000000 }}", "more than 1000000 numbers"),
        ("{{ repeat 1000000000 \"x\" }}", "larger than"),
        ("{{ indent 1000000000 \"x\" }}", "larger than"),
        ("{{ $x := \"0123456789\" }}{{ range 60 }}{{ $x = print $x $x }}{{ end }}", "more than"),
        ("{{ $x := list 1 }}{{ range 60 }}{{ $x = list $x $x }}{{ end }}{{ $x }}", "parts"),
        ("{{ $x := list 1 }}{{ range 60 }}{{ $x = list $x $x }}{{ end }}{{ toJson $x }}", "parts"),
        ("{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ $d }}", "it may hold itself"),
        ("{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ toYaml $d }}", "it may hold itself"),
        ("{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ merge (dict \"d\" $d) $d }}", "it may hold itself"),
    ] {
        let problem = refused(template);
        assert!(problem.contains(wanted), "{template}: {problem}");
    }
}

#[test]
fn depth_of_values_and_texts_costs_no_stack() {
    let deep = "{{ $x := list }}{{ range until 100000 }}{{ $x = list $x }}{{ end }}ok";
    assert_eq!(render(deep, &Limits::default()).unwrap(), "ok");
    let nested = format!("{}1{}", "(".repeat(5_000), ")".repeat(5_000));
    assert!(refused(&format!("{{{{ {nested} }}}}")).contains("within each other"));
    let blocks = format!("{}{}", "{{ if 1 }}".repeat(5_000), "{{ end }}".repeat(5_000));
    assert!(refused(&blocks).contains("within each other"));
    let chain = format!("{{{{ if 0 }}}}{}{{{{ end }}}}", "{{ else if 0 }}x".repeat(5_000));
    assert_eq!(render(&chain, &Limits::default()).unwrap(), "");
}

#[test]
fn the_deepest_way_through_templates_fits_the_stack() {
    let open = "{{ if 1 }}".repeat(90);
    let close = "{{ end }}".repeat(90);
    let template = format!(
        "{{{{ define \"a\" }}}}{open}{{{{ ((((((include \"a\" .)))))) }}}}{close}{{{{ end }}}}{{{{ include \"a\" . }}}}"
    );
    let problem = refused(&template);
    assert!(problem.contains("nested too deep"), "{problem}");
}

#[test]
fn output_has_an_end() {
    let limits = Limits { output: 1_000, ..Limits::default() };
    assert!(render("{{ range 2000 }}x{{ end }}", &limits).unwrap_err().contains("larger than 1000 bytes"));
    let inside = "{{ define \"a\" }}{{ range 600 }}x{{ end }}{{ end }}{{ include \"a\" . }}{{ include \"a\" . }}";
    assert!(render(inside, &limits).unwrap_err().contains("larger than 1000 bytes"));
}
