//! Replacing `{{NAME}}` before a text is parsed (SEED-01).

use std::collections::BTreeMap;
use windlass_diagnostic::{Diagnostic, Diagnostics, Place};

/// Replaces `{{NAME}}` by the given values: text first, parsing second. What is left over is a problem, each at its place.
///
/// Only names of capital letters, digits and `_` are placeholders, so Go templates pass.
pub fn substitute(file: &str, text: &str, values: &BTreeMap<String, String>) -> Result<String, Diagnostics> {
    let mut out = String::with_capacity(text.len());
    let mut problems = Diagnostics::new();
    let mut rest = text;
    let mut consumed = 0;
    while let Some(open) = rest.find("{{") {
        let inside = &rest[open + 2..];
        let name = inside.find("}}").map(|close| &inside[..close]).filter(|name| is_name(name));
        let Some(name) = name else {
            out.push_str(&rest[..open + 2]);
            consumed += open + 2;
            rest = inside;
            continue;
        };
        out.push_str(&rest[..open]);
        if let Some(value) = values.get(name) {
            out.push_str(value);
        } else {
            problems.push(
                Diagnostic::error("SEED-01", format!("the placeholder `{{{{{name}}}}}` has no value"))
                    .at(place_of(file, text, consumed + open))
                    .remedy(format!("give it with `--set {name}=…`")),
            );
        }
        let after = open + 2 + name.len() + 2;
        consumed += after;
        rest = &rest[after..];
    }
    out.push_str(rest);
    if problems.is_empty() { Ok(out) } else { Err(problems) }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

fn place_of(file: &str, text: &str, at: usize) -> Place {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    let cut = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Place::new(file, cut(line), cut(column))
}

#[cfg(test)]
mod tests {
    use super::substitute;
    use std::collections::BTreeMap;

    #[test]
    fn names_are_replaced_and_go_templates_left_alone() {
        let values = BTreeMap::from([("SERVICE_NAME".to_owned(), "payment-service".to_owned())]);
        let done = substitute("t.yaml", "name: {{SERVICE_NAME}}-cd\nimage: {{ .Values.x }} {{\n", &values).unwrap();
        assert_eq!(done, "name: payment-service-cd\nimage: {{ .Values.x }} {{\n");
    }

    #[test]
    fn each_one_left_over_is_named_with_its_place() {
        let problems = substitute("t.yaml", "a: {{ONE}}\nb: x {{TWO}}", &BTreeMap::new()).unwrap_err();
        assert_eq!(
            problems.to_string(),
            "t.yaml:1:4: error SEED-01: the placeholder `{{ONE}}` has no value (give it with `--set ONE=…`)\n\
             t.yaml:2:6: error SEED-01: the placeholder `{{TWO}}` has no value (give it with `--set TWO=…`)"
        );
    }
}
