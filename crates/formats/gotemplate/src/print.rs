//! Values as texts, as Go's `%v` prints them (rendering §2.2).

pub(crate) mod float;
mod format;

pub(crate) use format::printf;

use crate::value::{Budget, Value};

/// A value as `print` shows it; nothing is `<nil>`.
pub(crate) fn value(value: &Value, most: usize) -> Result<String, String> {
    let mut printer = Printer { out: String::new(), most, budget: Budget::new() };
    printer.value(value)?;
    Ok(printer.out)
}

/// A value as part of a text, within what a text may hold.
pub(crate) fn plain(value: &Value) -> Result<String, String> {
    self::value(value, MOST)
}

/// The largest text that a function makes.
pub(crate) const MOST: usize = 64 << 20;

struct Printer {
    out: String,
    most: usize,
    budget: Budget,
}

impl Printer {
    fn push(&mut self, text: &str) -> Result<(), String> {
        if self.out.len() + text.len() > self.most {
            return Err(format!("the text is larger than {} bytes", self.most));
        }
        self.out.push_str(text);
        Ok(())
    }

    fn value(&mut self, value: &Value) -> Result<(), String> {
        self.budget.enter()?;
        match value {
            Value::Missing | Value::Nil => self.push("<nil>")?,
            Value::Bool(b) => self.push(if *b { "true" } else { "false" })?,
            Value::Int(i) | Value::Int64(i) => self.push(&i.to_string())?,
            Value::Float(f) => self.push(&windlass_gofmt::shortest(*f))?,
            Value::Text(text) => self.push(text)?,
            Value::Bytes(bytes) if bytes.is_text => self.push(&bytes.lossy())?,
            Value::Bytes(bytes) => {
                let all: Vec<String> = bytes.data.iter().map(u8::to_string).collect();
                self.push(&format!("[{}]", all.join(" ")))?;
            }
            Value::Struct(of) => match value.described() {
                Some(text) => self.value(&text?)?,
                None => {
                    self.push(if of.is_pointer() { "&{" } else { "{" })?;
                    for (index, field) in of.fields().iter().enumerate() {
                        self.push(if index > 0 { " " } else { "" })?;
                        self.value(&field.value)?;
                    }
                    self.push("}")?;
                }
            },
            Value::List(list) => {
                self.push("[")?;
                for (index, item) in list.iter().enumerate() {
                    self.push(if index > 0 { " " } else { "" })?;
                    self.value(item)?;
                }
                self.push("]")?;
            }
            Value::Map(map) => {
                self.push("map[")?;
                for (index, (name, value)) in map.entries().iter().enumerate() {
                    self.push(if index > 0 { " " } else { "" })?;
                    self.push(name)?;
                    self.push(":")?;
                    self.value(value)?;
                }
                self.push("]")?;
            }
        }
        self.budget.leave();
        Ok(())
    }
}

/// `print`: a space between two values of which neither is a text.
pub(crate) fn print(values: &[Value]) -> Result<String, String> {
    let mut out = String::new();
    let mut after_text = true;
    for value in values {
        let is_text = value.is_text();
        if !is_text && !after_text {
            out.push(' ');
        }
        out.push_str(&plain(value)?);
        after_text = is_text;
    }
    Ok(out)
}

/// `println`: spaces between all, and a line break.
pub(crate) fn println(values: &[Value]) -> Result<String, String> {
    let all: Result<Vec<String>, String> = values.iter().map(plain).collect();
    Ok(all?.join(" ") + "\n")
}
