//! Values as JSON text, as Go's encoder writes it: names in the order of their bytes, floats in its own form.

use super::json::NoJson;
use super::{Budget, Value};
use crate::print::float;

#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonStyle {
    /// `<`, `>` and `&` as escapes.
    pub html: bool,
    /// Two blanks for each level.
    pub pretty: bool,
}

/// # Errors
/// When the value holds too much, or itself, or what is no number.
pub(crate) fn write_json(value: &Value, style: JsonStyle) -> Result<String, NoJson> {
    let mut writer = Writer { out: String::new(), style, level: 0, budget: Budget::new() };
    writer.value(value)?;
    Ok(writer.out)
}

struct Writer {
    out: String,
    style: JsonStyle,
    level: usize,
    budget: Budget,
}

impl Writer {
    fn value(&mut self, value: &Value) -> Result<(), NoJson> {
        match value {
            Value::Float(f) if !f.is_finite() => return Err(NoJson::NoNumber),
            Value::Float(f) => self.out.push_str(&float::json(*f)),
            Value::Text(text) => self.text(text),
            value if value.was_never_made() => self.out.push_str("null"),
            Value::List(list) => {
                self.budget.enter()?;
                self.open('[');
                for (index, item) in list.iter().enumerate() {
                    self.next(index);
                    self.value(item)?;
                }
                self.close(']', list.is_empty());
                self.budget.leave();
            }
            Value::Map(map) => {
                self.budget.enter()?;
                self.open('{');
                for (index, (name, value)) in map.entries().iter().enumerate() {
                    self.next(index);
                    self.name(name);
                    self.value(value)?;
                }
                self.close('}', map.is_empty());
                self.budget.leave();
            }
            Value::Struct(of) if self.is_plain(value) => {
                self.budget.enter()?;
                self.open('{');
                let kept = of.fields().iter().filter(|field| !field.key.is_empty());
                let mut count = 0;
                for field in kept.filter(|field| !field.is_optional || field.value.truth()) {
                    self.next(count);
                    self.name(field.key);
                    self.value(&field.value)?;
                    count += 1;
                }
                self.close('}', count == 0);
                self.budget.leave();
            }
            other => {
                let json = other.to_json(&mut self.budget)?;
                match json.as_str() {
                    Some(text) => self.text(text),
                    None => self.out.push_str(&json.to_string()),
                }
            }
        }
        Ok(())
    }

    fn is_plain(&self, value: &Value) -> bool {
        match value {
            Value::Struct(of) => of.fields().iter().any(|field| !field.key.is_empty()) || value.described().is_none(),
            _ => false,
        }
    }

    fn name(&mut self, name: &str) {
        self.text(name);
        self.out.push(':');
        if self.style.pretty {
            self.out.push(' ');
        }
    }

    fn open(&mut self, bracket: char) {
        self.out.push(bracket);
        self.level += 1;
    }

    fn close(&mut self, bracket: char, is_empty: bool) {
        self.level -= 1;
        if !is_empty {
            self.line();
        }
        self.out.push(bracket);
    }

    fn next(&mut self, index: usize) {
        if index > 0 {
            self.out.push(',');
        }
        self.line();
    }

    fn line(&mut self) {
        if self.style.pretty {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n("  ", self.level));
        }
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                '<' | '>' | '&' if self.style.html => self.escape(c),
                '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => self.escape(c),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn escape(&mut self, c: char) {
        self.out.push_str(&format!("\\u{:04x}", u32::from(c)));
    }
}
