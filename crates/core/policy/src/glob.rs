//! `glob.quote_meta` by the rules of the library that OPA uses: everything that means something in a pattern gets a backslash, but the
//! comma.

use crate::bounded;
use regorus::{Engine, Value};

pub(crate) const QUOTE_META: &str = "glob.quote_meta";

const SPECIAL: &[char] = &['*', '?', '\\', '[', ']', '{', '}'];

pub(crate) fn install(engine: &mut Engine) -> anyhow::Result<()> {
    let call = |values: Vec<Value>| {
        bounded::allow(QUOTE_META, || 2 * bounded::size_all(&values))?;
        let [Value::String(pattern)] = values.as_slice() else { return Ok(Value::Undefined) };
        Ok(Value::from(quoted(pattern)))
    };
    engine.add_extension(QUOTE_META.to_owned(), 1, Box::new(call))
}

fn quoted(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    for c in pattern.chars() {
        if SPECIAL.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn what_means_something_is_quoted() {
        assert_eq!(quoted(r"*.github.com"), r"\*.github.com");
        assert_eq!(quoted(r"{a,b}[!c]?\d"), r"\{a,b\}\[!c\]\?\\d");
    }
}
