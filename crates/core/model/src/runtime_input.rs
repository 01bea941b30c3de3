//! `<+input>` and its modifiers: a value that whoever starts the run, or a step, has to give (pipelines §2.1).

use serde::{Deserialize, Serialize};

/// A runtime input, parsed. Arguments keep their expressions verbatim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InputSpec {
    /// Asked for when the owning stage or step starts, not at the start of the run.
    #[serde(default)]
    pub execution_input: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraint: Option<InputRule>,
}

/// What a given value must satisfy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum InputRule {
    /// `allowedValues` and `selectOneFrom`: one of these.
    OneOf(Vec<String>),
    /// `selectManyFrom`: a comma list of these.
    ManyOf(Vec<String>),
    /// Full match, Java dialect.
    Regex(String),
}

/// Why a text that begins like a runtime input is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputSpecError {
    #[error(
        "`{0}` is not a modifier of <+input>: use allowedValues, selectOneFrom, selectManyFrom, regex, default or executionInput"
    )]
    Modifier(String),
    #[error("the modifier `{0}` is there twice")]
    Twice(String),
    #[error("only one of allowedValues, selectOneFrom, selectManyFrom and regex can be used")]
    Exclusive,
    #[error("the brackets of `{0}` do not close")]
    Unclosed(String),
    #[error("`{0}` stands behind <+input>: only modifiers such as .default(x) can")]
    Rest(String),
}

impl InputSpec {
    /// Parses a whole scalar. Nothing when it does not begin with `<+input>`: then it is text or an expression.
    pub fn parse(text: &str) -> Option<Result<Self, InputSpecError>> {
        let rest = after_input(text.trim())?;
        Some(Self::modifiers(rest))
    }

    /// Whether the text is a runtime input, well-formed or not.
    pub fn is_input(text: &str) -> bool {
        after_input(text.trim()).is_some()
    }

    fn modifiers(mut rest: &str) -> Result<Self, InputSpecError> {
        let mut spec = Self::default();
        let mut seen: Vec<String> = Vec::new();
        while !rest.is_empty() {
            let Some(named) = rest.strip_prefix('.') else { return Err(InputSpecError::Rest(rest.to_owned())) };
            let open = named.find('(').ok_or_else(|| InputSpecError::Modifier(named.to_owned()))?;
            let name = named[..open].trim();
            if seen.iter().any(|s| s == name) {
                return Err(InputSpecError::Twice(name.to_owned()));
            }
            seen.push(name.to_owned());
            let inside = &named[open + 1..];
            let close = if name == "regex" { last_close(inside) } else { balanced_close(inside) };
            let close = close.ok_or_else(|| InputSpecError::Unclosed(name.to_owned()))?;
            let argument = &inside[..close];
            let rule = match name {
                "executionInput" => {
                    spec.execution_input = true;
                    None
                }
                "default" => {
                    spec.default = Some(unquote(argument.trim()).to_owned());
                    None
                }
                "allowedValues" | "selectOneFrom" => Some(InputRule::OneOf(split(argument))),
                "selectManyFrom" => Some(InputRule::ManyOf(split(argument))),
                "regex" => Some(InputRule::Regex(argument.to_owned())),
                other => return Err(InputSpecError::Modifier(other.to_owned())),
            };
            if let Some(rule) = rule {
                if spec.constraint.is_some() {
                    return Err(InputSpecError::Exclusive);
                }
                spec.constraint = Some(rule);
            }
            rest = inside[close + 1..].trim_start();
        }
        Ok(spec)
    }
}

fn after_input(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("<+")?.trim_start().strip_prefix("input")?.trim_start();
    Some(inside.strip_prefix('>')?.trim())
}

/// Where the bracket that opened before `text` closes, counting brackets inside.
fn balanced_close(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// A regular expression may hold lone brackets: it ends at the last one before the end or before another modifier.
fn last_close(text: &str) -> Option<usize> {
    const NEXT: &[&str] = &["executionInput(", "allowedValues(", "selectOneFrom(", "selectManyFrom(", "default("];
    let ends = |at: usize| {
        let rest = text[at + 1..].trim_start();
        rest.is_empty() || rest.strip_prefix('.').is_some_and(|rest| NEXT.iter().any(|next| rest.starts_with(next)))
    };
    let mut closes = text.char_indices().filter(|(_, c)| *c == ')').map(|(at, _)| at);
    closes.find(|at| ends(*at) && !text[at + 1..].trim_start().is_empty()).or_else(|| {
        let last = text.rfind(')')?;
        text[last + 1..].trim().is_empty().then_some(last)
    })
}

/// Comma separated; `\'a,b\'` keeps its comma, and so do brackets and expressions.
fn split(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let (mut depth, mut quoted, mut start) = (0_usize, false, 0);
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if bytes.get(at + 1) == Some(&b'\'') => {
                quoted = !quoted;
                at += 1;
            }
            b'(' | b'{' | b'[' | b'<' if !quoted => depth += 1,
            b')' | b'}' | b']' | b'>' if !quoted => depth = depth.saturating_sub(1),
            b',' if !quoted && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&text[start..]);
    let parts: Vec<String> = parts.into_iter().map(|p| unquote(p.trim()).to_owned()).collect();
    if parts.len() == 1 && parts[0].is_empty() { Vec::new() } else { parts }
}

fn unquote(text: &str) -> &str {
    text.strip_prefix("\\'").and_then(|t| t.strip_suffix("\\'")).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::{InputRule, InputSpec, InputSpecError};

    fn read(text: &str) -> Result<InputSpec, InputSpecError> {
        InputSpec::parse(text).expect(text)
    }

    fn one_of(values: &[&str]) -> Option<InputRule> {
        Some(InputRule::OneOf(values.iter().map(|v| (*v).to_owned()).collect()))
    }

    #[test]
    fn modifiers_in_any_order() {
        assert_eq!(read("<+input>"), Ok(InputSpec::default()));
        let spec =
            read("<+input>.default(int-stable).allowedValues(int-stable, pre-stable,prod).executionInput()").unwrap();
        assert_eq!(spec.constraint, one_of(&["int-stable", "pre-stable", "prod"]));
        assert_eq!((spec.default.as_deref(), spec.execution_input), (Some("int-stable"), true));
        assert_eq!(read("<+ input >.selectOneFrom(a)").unwrap().constraint, one_of(&["a"]));
        assert_eq!(read("<+input>.allowedValues()").unwrap().constraint, one_of(&[]));
    }

    #[test]
    fn arguments_may_hold_commas_brackets_and_expressions() {
        assert_eq!(read(r"<+input>.allowedValues(\'a,b\',c)").unwrap().constraint, one_of(&["a,b", "c"]));
        assert_eq!(read("<+input>.allowedValues(<+variable.envs>)").unwrap().constraint, one_of(&["<+variable.envs>"]));
        assert_eq!(read("<+input>.default({\"a\":[1,2]})").unwrap().default.as_deref(), Some("{\"a\":[1,2]}"));
        assert_eq!(
            read("<+input>.regex(^v(\\d+)\\)$)").unwrap().constraint,
            Some(InputRule::Regex("^v(\\d+)\\)$".into()))
        );
        let spec = read("<+input>.regex(^(a|b)).default(a)").unwrap();
        assert_eq!((spec.constraint, spec.default.as_deref()), (Some(InputRule::Regex("^(a|b)".into())), Some("a")));
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(InputSpec::parse("<+pipeline.name>"), None);
        assert_eq!(InputSpec::parse("v-<+input>"), None);
        assert_eq!(read("<+input>.oneOf(a)"), Err(InputSpecError::Modifier("oneOf".into())));
        assert_eq!(read("<+input>.default(a).default(b)"), Err(InputSpecError::Twice("default".into())));
        assert_eq!(read("<+input>.allowedValues(a).regex(a)"), Err(InputSpecError::Exclusive));
        assert_eq!(read("<+input>.default(a"), Err(InputSpecError::Unclosed("default".into())));
        assert_eq!(read("<+input>-x"), Err(InputSpecError::Rest("-x".into())));
    }
}
