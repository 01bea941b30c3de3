//! Where answers may differ: the rules of docs/compatibility/rego.md, by their numbers.

use crate::question::{Answer, Question};

/// The functions of each rule. They come from the interpreter.
const RULES: [(u8, &[&str]); 10] = [
    (1, &["sets"]),
    (2, &["base64.is_valid", "json.is_valid", "semver.is_valid", "yaml.is_valid"]),
    (3, &["regex.split"]),
    (4, &["net.cidr_expand"]),
    (5, &["numbers.range_step"]),
    (6, &["json.marshal"]),
    (7, &["json.filter", "json.remove", "object.subset"]),
    (
        8,
        &[
            "base64url.decode",
            "semver.compare",
            "to_number",
            "units.parse",
            "units.parse_bytes",
            "upper",
            "yaml.unmarshal",
        ],
    ),
    (9, &["indexof", "indexof_n", "strings.count", "strings.replace_n"]),
    (10, &["product", "remainder", "sum"]),
];

/// The rule that a difference falls under.
pub(crate) fn rule(name: &str, question: &Question, _opa: &Answer, ours: &Answer) -> Option<u8> {
    if name == "sprintf" {
        return sprintf(question, ours);
    }
    RULES.iter().find(|(_, names)| names.contains(&name)).map(|(rule, _)| *rule)
}

/// A pair over what is no list; and numbers with a fraction by verbs that show their bits, or whole ones that were written with one.
fn sprintf(question: &Question, ours: &Answer) -> Option<u8> {
    if question.policy.contains("some x in") {
        return Some(1);
    }
    let is_about_floats = match ours {
        Answer::Value(text) => text.as_str().is_some_and(|text| text.contains("int64")),
        _ => true,
    };
    is_about_floats.then_some(11)
}

/// The rule that a different decision falls under: only that a loop over what is no list is an error, which denies.
pub(crate) fn decision(opa: &Answer, ours: &Answer) -> Option<u8> {
    let is_loop = matches!(ours, Answer::Error(error) if error.contains("expects array/set/object"));
    (is_loop && matches!(opa, Answer::Value(_))).then_some(12)
}
