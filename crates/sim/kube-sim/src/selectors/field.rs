//! Field selectors: `metadata.name=x,status.phase!=Running`.

use crate::object::Object;
use serde_json::Value;

/// Exact comparisons of fields; all must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector {
    pub terms: Vec<FieldTerm>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldTerm {
    pub field: String,
    pub equal: bool,
    pub value: String,
}

impl FieldSelector {
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut terms = Vec::new();
        for term in split(text) {
            if term.is_empty() {
                continue;
            }
            terms.push(parse_term(term)?);
        }
        Ok(Self { terms })
    }

    /// Compares with the fields of the object; `extra` knows fields that are not at their path.
    pub fn matches(&self, object: &Value) -> bool {
        self.terms.iter().all(|t| (field_of(object, &t.field) == t.value) == t.equal)
    }
}

/// The value of a field as selectors see it: text, with absent as empty.
fn field_of(object: &Value, field: &str) -> String {
    if field == "status.podIP" || field == "spec.nodeName" {
        return object.text(&pointer(field)).to_owned();
    }
    match object.at(&pointer(field)) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Bool(b)) => b.to_string(),
        Some(Value::Number(n)) => n.to_string(),
        _ => match field {
            "spec.unschedulable" | "spec.hostNetwork" => "false".into(),
            "status.successful" => object.int("/status/succeeded").unwrap_or(0).to_string(),
            "status.replicas" => "0".into(),
            _ => String::new(),
        },
    }
}

fn pointer(field: &str) -> String {
    format!("/{}", field.replace('.', "/"))
}

/// Splits at commas that are not escaped.
fn split(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut from, mut escaped) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ',' => {
                out.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    out.push(&text[from..]);
    out
}

fn parse_term(term: &str) -> Result<FieldTerm, String> {
    let bytes = term.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let (equal, width) = match &bytes[at..] {
            [b'\\', ..] => {
                at += 2;
                continue;
            }
            [b'!', b'=', ..] => (false, 2),
            [b'=', b'=', ..] => (true, 2),
            [b'=', ..] => (true, 1),
            _ => {
                at += 1;
                continue;
            }
        };
        let value = unescape(&term[at + width..])?;
        return Ok(FieldTerm { field: term[..at].to_owned(), equal, value });
    }
    Err(format!("invalid selector: '{term}'; can't understand '{term}'"))
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(next @ ('\\' | ',' | '=')) => out.push(next),
                Some(next) => {
                    return Err(format!("invalid field selector: invalid escape sequence: \\{next}"));
                }
                None => return Err("invalid field selector: invalid escape sequence: \\".into()),
            },
            ',' | '=' => {
                return Err(format!("invalid field selector: unescaped character in value: {}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_are_compared_as_text() {
        let pod = json!({"metadata": {"name": "x"}, "status": {"phase": "Running"}});
        for (text, fits) in [
            ("metadata.name=x", true),
            ("metadata.name==x,status.phase!=Running", false),
            ("status.phase!=Failed", true),
            ("spec.nodeName=", true),
            ("", true),
        ] {
            assert_eq!(FieldSelector::parse(text).map(|s| s.matches(&pod)), Ok(fits), "{text}");
        }
        assert!(FieldSelector::parse("nonsense").is_err());
        assert_eq!(FieldSelector::parse(r"a=b\,c").unwrap().terms[0].value, "b,c");
    }
}
