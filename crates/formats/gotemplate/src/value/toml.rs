//! Values as TOML, as Helm's `toToml` writes it: what stands in a table itself first, then the tables in it, two blanks deeper.

use super::{Budget, TooMuch, Value};
use std::fmt::Write as _;
use std::sync::Arc;

/// Why a value is no TOML.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoToml {
    #[error("toml: cannot encode array with nil element")]
    NilElement,
    #[error("toml: top-level values must be Go maps or structs")]
    NoKey,
    /// The reference ends with the words of its reflection.
    #[error("reflect: call of reflect.Value.Type on zero Value")]
    Nothing,
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
}

/// # Errors
/// When the value holds too much, or itself, or a null in a list.
pub(crate) fn write_toml(value: &Value) -> Result<String, NoToml> {
    if value.is_nil() {
        return Err(NoToml::Nothing);
    }
    let mut writer = Writer { out: String::new(), budget: Budget::new() };
    writer.entry(None, value)?;
    Ok(writer.out)
}

/// What a value is in TOML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Nothing,
    Table,
    /// A list of tables only.
    Tables,
    Other,
}

impl Kind {
    fn of(value: &Value, budget: &mut Budget) -> Result<Self, NoToml> {
        budget.enter()?;
        let kind = match value {
            Value::Missing | Value::Nil => Self::Nothing,
            value if value.was_never_made() => Self::Nothing,
            Value::Struct(_) if marshalled(value).is_some() => Self::Other,
            Value::Map(_) | Value::Struct(_) => Self::Table,
            Value::List(list) => {
                let mut kind = if list.is_empty() { Self::Other } else { Self::Tables };
                for item in list.iter() {
                    match Self::of(item, budget)? {
                        Self::Nothing => return Err(NoToml::NilElement),
                        Self::Table => {}
                        Self::Tables | Self::Other => kind = Self::Other,
                    }
                }
                kind
            }
            _ => Self::Other,
        };
        budget.leave();
        Ok(kind)
    }
}

/// Where a value stands.
#[derive(Clone, Copy)]
struct Key<'k> {
    /// As heads of tables say it.
    path: &'k str,
    /// The last part of it.
    name: &'k str,
    depth: usize,
}

/// A field of a table, with its number among all of them.
struct Entry {
    number: usize,
    name: Arc<str>,
    value: Value,
}

struct Writer {
    out: String,
    budget: Budget,
}

impl Writer {
    /// What stands behind a key; the whole has none.
    fn entry(&mut self, key: Option<Key<'_>>, value: &Value) -> Result<(), NoToml> {
        self.budget.enter()?;
        match (Kind::of(value, &mut self.budget)?, key) {
            (Kind::Nothing, _) if matches!(value, Value::Map(_)) => {}
            (Kind::Table, _) => {
                if let Some(key) = key {
                    if key.depth == 1 {
                        self.line_end();
                    }
                    self.head(key, "[", "]");
                }
                self.table(key, value)?;
            }
            (Kind::Tables, None) => return Err(NoToml::NoKey),
            (Kind::Tables, Some(key)) => {
                let Value::List(list) = value else { return Ok(()) };
                for item in list.iter() {
                    self.line_end();
                    self.head(key, "[[", "]]");
                    self.table(Some(key), item)?;
                }
            }
            (_, None) => self.element(value)?,
            (_, Some(key)) => {
                self.indent(key);
                self.pair(key.name, value)?;
                self.line_end();
            }
        }
        self.budget.leave();
        Ok(())
    }

    fn table(&mut self, key: Option<Key<'_>>, value: &Value) -> Result<(), NoToml> {
        let (direct, tables) = self.fields(value)?;
        for Entry { name, value, .. } in direct.iter().chain(&tables) {
            let mut path = key.map(|key| format!("{}.", key.path)).unwrap_or_default();
            push_name(&mut path, name);
            let key = Key { path: &path, name, depth: key.map_or(0, |key| key.depth) + 1 };
            if Kind::of(value, &mut self.budget)? != Kind::Nothing {
                self.entry(Some(key), value)?;
            }
        }
        Ok(())
    }

    /// The fields that are no tables, and those that are.
    fn fields(&mut self, value: &Value) -> Result<(Vec<Entry>, Vec<Entry>), NoToml> {
        let all: Vec<(Arc<str>, Value)> = match value {
            Value::Map(map) => map.entries(),
            // An embedded struct has no key, and its fields stand beside it.
            Value::Struct(of) => (of.fields().iter())
                .filter(|field| !(field.key.is_empty() && matches!(field.value, Value::Struct(_))))
                .map(|field| (field.name.into(), field.value.clone()))
                .collect(),
            _ => Vec::new(),
        };
        let (mut direct, mut tables) = (Vec::new(), Vec::new());
        for (number, (name, value)) in all.into_iter().enumerate() {
            let to = match Kind::of(&value, &mut self.budget)? {
                Kind::Table | Kind::Tables => &mut tables,
                Kind::Nothing | Kind::Other => &mut direct,
            };
            to.push(Entry { number, name, value });
        }
        Ok((direct, tables))
    }

    fn element(&mut self, value: &Value) -> Result<(), NoToml> {
        self.budget.enter()?;
        match value {
            Value::Missing | Value::Nil => return Err(NoToml::NilElement),
            Value::Bool(b) => self.show(b),
            Value::Int(i) | Value::Int64(i) => self.show(i),
            Value::Float(f) => self.float(*f),
            Value::Text(text) => push_quoted(&mut self.out, text),
            Value::Bytes(bytes) if bytes.is_text => push_quoted(&mut self.out, &String::from_utf8_lossy(&bytes.data)),
            Value::Bytes(bytes) => self.show(&format_args!("{:?}", bytes.data)),
            Value::List(list) => {
                self.out.push('[');
                for (number, item) in list.iter().enumerate() {
                    self.out.push_str(if number > 0 { ", " } else { "" });
                    self.element(item)?;
                }
                self.out.push(']');
            }
            Value::Map(_) | Value::Struct(_) => match marshalled(value) {
                Some(text) => push_quoted(&mut self.out, &text),
                None => self.inline(value)?,
            },
        }
        self.budget.leave();
        Ok(())
    }

    /// A table in a list, in one line. The reference writes a comma behind each field but the last of its list, also when what
    /// follows is left out.
    fn inline(&mut self, value: &Value) -> Result<(), NoToml> {
        let (direct, tables) = self.fields(value)?;
        let all = direct.len() + tables.len();
        self.out.push('{');
        for (place, Entry { number, name, value }) in direct.iter().chain(&tables).enumerate() {
            if Kind::of(value, &mut self.budget)? == Kind::Nothing {
                continue;
            }
            self.pair(name, value)?;
            let place = if matches!(value, Value::Struct(_)) { *number } else { place };
            self.out.push_str(if place + 1 < all { ", " } else { "" });
        }
        self.out.push('}');
        Ok(())
    }

    fn pair(&mut self, name: &str, value: &Value) -> Result<(), NoToml> {
        push_name(&mut self.out, name);
        self.out.push_str(" = ");
        self.element(value)
    }

    fn head(&mut self, key: Key<'_>, open: &str, close: &str) {
        self.indent(key);
        let _ = writeln!(self.out, "{open}{}{close}", key.path);
    }

    fn indent(&mut self, key: Key<'_>) {
        self.out.extend(std::iter::repeat_n("  ", key.depth - 1));
    }

    /// Nothing at the very beginning.
    fn line_end(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn show(&mut self, what: &dyn std::fmt::Display) {
        let _ = write!(self.out, "{what}");
    }

    fn float(&mut self, f: f64) {
        if !f.is_finite() {
            let sign = if f.is_sign_negative() { "-" } else { "" };
            self.show(&format_args!("{sign}{}", if f.is_nan() { "nan" } else { "inf" }));
            return;
        }
        let text = windlass_gofmt::shortest(f);
        self.out.push_str(&text);
        if !text.contains(['.', 'e']) {
            self.out.push_str(".0");
        }
    }
}

/// The text of a struct that says how it is written.
fn marshalled(value: &Value) -> Option<String> {
    match value.methods()?(value, "MarshalText", &[])?.ok()? {
        Value::Bytes(bytes) => Some(bytes.lossy()),
        _ => None,
    }
}

fn push_name(out: &mut String, name: &str) {
    if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
        out.push_str(name);
    } else {
        push_quoted(out, name);
    }
}

fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..='\u{1f}' | '\u{7f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
