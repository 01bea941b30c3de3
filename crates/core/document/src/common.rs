//! What many documents share: names, tags, selectors, values that may be expressions.

use std::collections::BTreeMap;
use windlass_diagnostic::Diagnostic;
use windlass_model::pipeline::{Field, Selectors, Variable, VariableType};
use windlass_model::{Identifier, InputSpec, Json, Millis};
use windlass_yaml::{Fields, NumberStyle, Reader};

/// Codes of this crate that are not quirks of the vendor's format.
pub(crate) mod code {
    /// An identifier that breaks the rule.
    pub(crate) const IDENTIFIER: &str = "DOC0001";
    /// A name with characters the vendor does not allow.
    pub(crate) const NAME: &str = "DOC0002";
    /// The same identifier twice.
    pub(crate) const TWICE: &str = "DOC0003";
    /// A runtime input that is malformed or whose default its own rule forbids.
    pub(crate) const INPUT: &str = "DOC0004";
    /// A stage or step type nobody knows.
    pub(crate) const TYPE: &str = "DOC0005";
    /// A known type that cannot run here.
    pub(crate) const UNSUPPORTED: &str = "DOC0006";
    /// Keys that exclude each other, or one of several that must be there.
    pub(crate) const CHOICE: &str = "DOC0007";
    /// A structure that would wait for itself or for nothing.
    pub(crate) const FLOW: &str = "DOC0008";
    /// A word the language keeps for itself.
    pub(crate) const RESERVED: &str = "DOC0009";
    /// A document of no known kind, or in a scope where its kind cannot live.
    pub(crate) const KIND: &str = "DOC0010";
    /// A failure strategy that contradicts itself or names an unknown error.
    pub(crate) const STRATEGY: &str = "DOC0011";
    /// Something that works and that its author probably did not mean.
    pub(crate) const LINT: &str = "DOC0012";
}

const RESERVED: &[&str] = &[
    "or",
    "and",
    "eq",
    "ne",
    "lt",
    "gt",
    "le",
    "ge",
    "div",
    "mod",
    "not",
    "null",
    "true",
    "false",
    "new",
    "var",
    "return",
    "step",
    "parallel",
    "stepGroup",
    "org",
    "account",
    "status",
    "liteEngineTask",
];

/// Whether a text holds an expression.
pub(crate) fn is_expression(text: &str) -> bool {
    text.contains("<+")
}

/// An identifier of a stage, step or group, or of an entity.
pub(crate) fn identifier(fields: &Fields<'_>) -> Option<String> {
    let reader = fields.required("identifier")?;
    let text = reader.string()?;
    if RESERVED.contains(&text.as_str()) {
        reader.report(
            Diagnostic::error(code::RESERVED, format!("`{text}` is a word of the expression language"))
                .remedy("choose another identifier"),
        );
        return None;
    }
    match Identifier::parse(&text) {
        Ok(id) => Some(id.as_str().to_owned()),
        Err(error) => {
            let problem = Diagnostic::error(code::IDENTIFIER, error.to_string());
            reader.report(match Identifier::from_name(&text) {
                Some(near) => problem.remedy(format!("write `{near}`")),
                None => problem,
            });
            None
        }
    }
}

/// A name: any printable text up to 128 characters; what the vendor would refuse is pointed out (SEED-06, SEED-07).
pub(crate) fn name(fields: &Fields<'_>) -> Option<String> {
    let reader = fields.opt("name")?;
    let text = reader.string()?;
    if text.chars().count() > 128 || text.chars().any(char::is_control) {
        reader.report(Diagnostic::error(code::NAME, "a name has at most 128 printable characters"));
        return None;
    }
    if is_expression(&text) {
        reader.report(
            Diagnostic::warning("SEED-06", "the name holds an expression, which the vendor's schema refuses")
                .remedy("it is resolved when the node starts, for display only"),
        );
    } else if let Some(odd) = text.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ')))
    {
        reader.report(Diagnostic::warning(
            "SEED-07",
            format!("the name holds `{odd}`, which the vendor's schema refuses; it is accepted here"),
        ));
    }
    Some(text)
}

pub(crate) fn tags(fields: &Fields<'_>) -> BTreeMap<String, String> {
    // A tag without a value (`key:`) is a bare tag.
    let entries = fields.opt("tags").and_then(|reader| reader.entries()).unwrap_or_default();
    let text = |reader: Reader<'_>| if reader.node().is_null() { Some(String::new()) } else { reader.string() };
    entries.into_iter().filter_map(|(key, value)| Some((key.to_owned(), text(value)?))).collect()
}

/// A fixed value, an expression, or a runtime input kept as text.
pub(crate) fn field<'a, T>(reader: &Reader<'a>, fixed: impl FnOnce(&Reader<'a>) -> Option<T>) -> Option<Field<T>> {
    match reader.node().as_str().filter(|text| is_expression(text)) {
        Some(text) => {
            input(reader, None);
            Some(Field::Expression(text.to_owned()))
        }
        None => fixed(reader).map(Field::Fixed),
    }
}

pub(crate) fn duration(reader: &Reader<'_>) -> Option<Field<Millis>> {
    field(reader, |r| r.parse(Millis::parse))
}

pub(crate) fn count(reader: &Reader<'_>) -> Option<Field<u32>> {
    field(reader, |r| r.int_in(0..=i64::from(u32::MAX)).and_then(|n| u32::try_from(n).ok()))
}

pub(crate) fn selectors(reader: &Reader<'_>) -> Option<Selectors> {
    match reader.node().as_str() {
        Some(text) if is_expression(text) => Some(Field::Expression(text.to_owned())),
        Some(text) => {
            Some(Field::Fixed(text.split(',').map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()).collect()))
        }
        None => {
            let items = reader.items()?;
            Some(Field::Fixed(items.into_iter().filter_map(|item| item.string()).collect()))
        }
    }
}

/// Plain JSON of a subtree: numbers keep their source text.
pub(crate) fn json(reader: &Reader<'_>) -> Json {
    reader.node().to_json(NumberStyle::KeepText)
}

/// Checks a scalar that may be a runtime input; `sibling` is the key `default` beside a variable's value.
pub(crate) fn input(reader: &Reader<'_>, sibling: Option<&str>) -> Option<InputSpec> {
    let text = reader.node().as_str()?;
    match InputSpec::parse(text)? {
        Err(error) => {
            reader.report(Diagnostic::error(code::INPUT, error.to_string()));
            None
        }
        Ok(spec) => {
            let default = spec.default.as_deref().or(sibling);
            if let Some(problem) = default.and_then(|default| default_problem(&spec, default)) {
                reader.report(problem);
            }
            Some(spec)
        }
    }
}

/// A default must obey the rule of its own input (pipelines §2.3 rule 5).
fn default_problem(spec: &InputSpec, default: &str) -> Option<Diagnostic> {
    use windlass_model::InputRule;
    if is_expression(default) {
        return None;
    }
    match spec.constraint.as_ref()? {
        InputRule::OneOf(values) => {
            let open = values.iter().any(|v| is_expression(v));
            let known = values.iter().map(String::as_str);
            (!open && !values.iter().any(|v| v == default)).then(|| {
                Diagnostic::error(code::INPUT, format!("the default `{default}` is not among the allowed values"))
                    .nearest_of(default, known)
            })
        }
        InputRule::ManyOf(values) => {
            let open = values.iter().any(|v| is_expression(v));
            let wrong = default.split(',').map(str::trim).find(|part| !values.iter().any(|v| v == part))?;
            (!open).then(|| {
                Diagnostic::error(code::INPUT, format!("the default `{wrong}` is not among the allowed values"))
            })
        }
        InputRule::Regex(pattern) => match fancy_regex::Regex::new(&format!("^(?:{pattern})$")) {
            Err(error) => {
                Some(Diagnostic::error(code::INPUT, format!("the regular expression does not compile: {error}")))
            }
            Ok(regex) => (!regex.is_match(default).unwrap_or(false)).then(|| {
                Diagnostic::warning(code::INPUT, format!("the default `{default}` does not match `{pattern}`"))
            }),
        },
    }
}

pub(crate) fn variables(fields: &Fields<'_>) -> Vec<Variable> {
    let mut seen: Vec<String> = Vec::new();
    fields.list("variables", |reader| {
        let variable = variable(&reader)?;
        if seen.contains(&variable.name) {
            reader.report(Diagnostic::error(code::TWICE, format!("the variable `{}` is there twice", variable.name)));
            return None;
        }
        seen.push(variable.name.clone());
        Some(variable)
    })
}

fn variable(reader: &Reader<'_>) -> Option<Variable> {
    let fields = reader.fields()?;
    let name = fields.required("name");
    let kind = fields.opt_choice(
        "type",
        &[("String", VariableType::String), ("Number", VariableType::Number), ("Secret", VariableType::Secret)],
    );
    let value = fields.opt("value");
    let default = fields.opt("default");
    let required = fields.opt_bool("required").unwrap_or(false);
    let description = fields.opt_string("description").unwrap_or_default();
    fields.known(&["metadata"]);
    if value.is_none() && !reader.node().get("value").is_some_and(windlass_yaml::Node::is_null) {
        fields.required("value");
    }
    let name_text = name.as_ref().and_then(Reader::string);
    if let (Some(reader), Some(text)) = (&name, &name_text) {
        check_variable_name(reader, text);
    }
    let spec = value.as_ref().and_then(|v| input(v, default.as_ref().and_then(|d| d.node().text())));
    if let (Some(default), Some(_)) = (default.as_ref().and_then(|d| d.node().text()), &spec)
        && default == "latest"
        && name_text.as_deref().is_some_and(|n| n.to_lowercase().contains("tag"))
    {
        reader.report(
            Diagnostic::warning("SEED-10", "the image tag falls back to `latest` when nobody gives one")
                .remedy("leave the default out for pipelines that reach production"),
        );
    }
    if kind == Some(VariableType::Secret)
        && value.as_ref().and_then(|v| v.node().as_str()).is_some_and(|v| v.contains("secrets.getValue"))
    {
        reader.report(
            Diagnostic::error(code::INPUT, "the value of a Secret variable is the secret's identifier")
                .remedy("write the identifier without `<+secrets.getValue(…)>`"),
        );
    }
    fields.finish();
    Some(Variable {
        name: name_text?,
        kind: kind.unwrap_or_default(),
        value: value.map_or(Json::String(String::new()), |v| json(&v)),
        default: default.map(|d| json(&d)),
        required,
        description,
    })
}

fn check_variable_name(reader: &Reader<'_>, text: &str) {
    let mut chars = text.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let rest = chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-'));
    if !first || !rest || text.len() > 128 {
        reader.report(Diagnostic::error(
            code::NAME,
            format!(
                "`{text}` is not a variable name: letters, digits, `_`, `.`, `$` and `-`, not starting with a digit"
            ),
        ));
    } else if RESERVED.contains(&text) {
        reader.report(Diagnostic::warning(code::RESERVED, format!("`{text}` is a word of the expression language")));
    }
}
