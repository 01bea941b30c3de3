use serde::{Deserialize, Serialize};
use windlass_diagnostic::Diagnostic;
use windlass_yaml::{Fields, Reader};

/// `{key, operator, value}` (pipelines §7.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// An expression, a built-in word, or a path in the payload (SEED-71).
    pub key: String,
    pub operator: Operator,
    #[serde(default)]
    pub value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operator {
    Equals,
    NotEquals,
    In,
    NotIn,
    StartsWith,
    EndsWith,
    Contains,
    DoesNotContain,
    Regex,
    /// Ours (SEED-70): there, not null, not empty.
    NotNull,
    IsNull,
}

const OPERATORS: &[(&str, Operator)] = &[
    ("Equals", Operator::Equals),
    ("NotEquals", Operator::NotEquals),
    ("In", Operator::In),
    ("NotIn", Operator::NotIn),
    ("StartsWith", Operator::StartsWith),
    ("EndsWith", Operator::EndsWith),
    ("Contains", Operator::Contains),
    ("DoesNotContain", Operator::DoesNotContain),
    ("Regex", Operator::Regex),
    ("NotNull", Operator::NotNull),
    ("Exists", Operator::NotNull),
    ("IsNull", Operator::IsNull),
];

/// The words of every operator.
pub(crate) fn operators() -> Vec<&'static str> {
    OPERATORS.iter().map(|(word, _)| *word).collect()
}

pub(super) fn read(fields: &Fields<'_>, name: &'static str) -> Vec<Condition> {
    fields.list(name, |item| condition(&item))
}

fn condition(item: &Reader<'_>) -> Option<Condition> {
    let fields = item.fields()?;
    let key = fields.required("key").and_then(|k| Some((k.string()?, k)));
    let operator = fields.required("operator").and_then(|o| Some((o.choice(OPERATORS)?, o)));
    let value = fields.opt_string("value").unwrap_or_default();
    fields.finish();
    let ((key, key_at), (operator, operator_at)) = (key?, operator?);
    if matches!(operator, Operator::NotNull | Operator::IsNull) {
        operator_at.report(Diagnostic::warning("SEED-70", "the vendor knows no such operator; it is understood here"));
    }
    if operator == Operator::Regex
        && !value.contains("<+")
        && let Err(error) = fancy_regex::Regex::new(&value)
    {
        let problem = format!("the regular expression does not compile: {error}");
        item.report(Diagnostic::error(windlass_yaml::code::BAD_VALUE, problem));
    }
    if !key.contains("<+") && !BUILT_IN.contains(&key.as_str()) {
        key_at.report(
            Diagnostic::warning("SEED-71", format!("the vendor compares the bare word `{key}` itself"))
                .remedy(format!("it is read as `<+trigger.payload.{key}>`")),
        );
    }
    Some(Condition { key, operator, value })
}

/// Words that stand for something of the event.
const BUILT_IN: &[&str] = &[
    "sourceBranch",
    "targetBranch",
    "changedFiles",
    "event",
    "branch",
    "tag",
    "build",
    "version",
    "prNumber",
    "gitUser",
    "commitSha",
    "sourceRepo",
    "repoUrl",
];
