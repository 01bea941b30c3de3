//! Values as texts: OPA's for lists, sets and objects, Go's quotes for strings.

use regorus::Value;

/// A value inside of a text, as OPA writes terms.
pub(super) fn term(value: &Value) -> String {
    let list = |items: Vec<String>| items.join(", ");
    match value {
        Value::String(text) => quoted(text, false),
        Value::Array(items) => format!("[{}]", list(items.iter().map(term).collect())),
        Value::Set(items) if items.is_empty() => "set()".to_owned(),
        Value::Set(items) => format!("{{{}}}", list(items.iter().map(term).collect())),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort();
            format!(
                "{{{}}}",
                list(fields.iter().map(|(key, value)| format!("{}: {}", term(key), term(value))).collect())
            )
        }
        other => other.to_string(),
    }
}

/// In double quotes, with Go's escapes; `ascii` escapes everything else too.
pub(super) fn quoted(text: &str, ascii: bool) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    text.chars().for_each(|c| escape(&mut out, c, '"', ascii));
    out.push('"');
    out
}

/// A character in single quotes.
pub(super) fn quoted_char(c: char, ascii: bool) -> String {
    let mut out = String::from("'");
    escape(&mut out, c, '\'', ascii);
    out + "'"
}

fn escape(out: &mut String, c: char, quote: char, ascii: bool) {
    let short = match c {
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\u{c}' => 'f',
        '\n' => 'n',
        '\r' => 'r',
        '\t' => 't',
        '\u{b}' => 'v',
        '\\' => '\\',
        c if c == quote => quote,
        c if printable(c) && (c.is_ascii() || !ascii) => return out.push(c),
        c => {
            let code = u32::from(c);
            return out.push_str(&match code {
                0..=0x7f => format!("\\x{code:02x}"),
                0x80..=0xffff => format!("\\u{code:04x}"),
                _ => format!("\\U{code:08x}"),
            });
        }
    };
    out.push('\\');
    out.push(short);
}

fn printable(c: char) -> bool {
    // Behind a letter also marks that belong to one are shown as they are.
    c == ' ' || matches!(c, '\'' | '"') || !c.is_whitespace() && format!("a{c}").escape_debug().count() == 2
}
