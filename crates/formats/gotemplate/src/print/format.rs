//! `printf`, as Go's package `fmt` does it.

use super::{MOST, float, quoted};
use crate::value::{Budget, Value};
use std::iter::Peekable;
use std::str::Chars;

/// What stands between `%` and the verb.
#[derive(Clone, Copy, Debug, Default)]
struct Spec {
    plus: bool,
    minus: bool,
    sharp: bool,
    /// `%#v`
    go_syntax: bool,
    space: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
}

/// Go takes no larger widths either.
const WIDEST: usize = 1_000_000;

/// Formats values. What does not fit shows in the text, as in Go: `%!d(string=x)`.
pub(crate) fn printf(format: &str, values: &[Value]) -> Result<String, String> {
    let mut printer = Printer { values, next: 0, reordered: false, bad_index: false, out: String::new() };
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '%' {
            printer.directive(&mut rest)?;
        } else {
            printer.out.push(c);
        }
        if printer.out.len() > MOST {
            return Err(format!("the text is larger than {MOST} bytes"));
        }
    }
    printer.extra()?;
    Ok(printer.out)
}

struct Printer<'v> {
    values: &'v [Value],
    next: usize,
    /// `%[1]d` was used: values may be left over.
    reordered: bool,
    bad_index: bool,
    out: String,
}

impl Printer<'_> {
    fn directive(&mut self, rest: &mut Peekable<Chars<'_>>) -> Result<(), String> {
        let mut spec = Spec::default();
        while let Some(flag) = rest.next_if(|c| "+-# 0".contains(*c)) {
            match flag {
                '+' => spec.plus = true,
                '-' => spec.minus = true,
                '#' => spec.sharp = true,
                ' ' => spec.space = true,
                _ => spec.zero = true,
            }
        }
        self.index(rest);
        spec.width = self.size(rest, "%!(BADWIDTH)");
        if let Some(width) = spec.width
            && width > WIDEST
        {
            self.out.push_str("%!(BADWIDTH)");
            spec.width = None;
        }
        if rest.next_if_eq(&'.').is_some() {
            self.index(rest);
            spec.precision = Some(self.size(rest, "%!(BADPREC)").unwrap_or(0).min(WIDEST));
        }
        self.index(rest);
        let Some(verb) = rest.next() else {
            self.out.push_str("%!(NOVERB)");
            return Ok(());
        };
        if verb == '%' {
            self.out.push('%');
            return Ok(());
        }
        if std::mem::take(&mut self.bad_index) {
            self.out.push_str(&format!("%!{verb}(BADINDEX)"));
            return Ok(());
        }
        let Some(value) = self.values.get(self.next) else {
            self.out.push_str(&format!("%!{verb}(MISSING)"));
            return Ok(());
        };
        self.next += 1;
        if verb == 'v' {
            // `%+v` names the fields of structs, of which there are none here.
            spec = Spec { plus: false, go_syntax: spec.sharp, sharp: false, ..spec };
        }
        let text = one(value, verb, spec, true, &mut Budget::new())?;
        self.out.push_str(&text);
        Ok(())
    }

    /// `[2]`
    fn index(&mut self, rest: &mut Peekable<Chars<'_>>) {
        if rest.next_if_eq(&'[').is_none() {
            return;
        }
        self.reordered = true;
        let mut digits = String::new();
        while let Some(c) = rest.next_if(|c| *c != ']' && *c != '%') {
            digits.push(c);
        }
        let closed = rest.next_if_eq(&']').is_some();
        match digits.parse::<usize>() {
            Ok(index) if closed && (1..=self.values.len()).contains(&index) => self.next = index - 1,
            _ => self.bad_index = true,
        }
    }

    /// A number, or `*`, which takes it from the values.
    fn size(&mut self, rest: &mut Peekable<Chars<'_>>, bad: &str) -> Option<usize> {
        if rest.next_if_eq(&'*').is_some() {
            let value = self.values.get(self.next);
            self.next += 1;
            let size = match value {
                Some(Value::Int(i)) => usize::try_from(*i).ok().filter(|size| *size <= WIDEST),
                _ => None,
            };
            if size.is_none() {
                self.out.push_str(bad);
            }
            return size;
        }
        let mut digits = String::new();
        while let Some(digit) = rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        if digits.is_empty() { None } else { Some(digits.parse().unwrap_or(usize::MAX)) }
    }

    fn extra(&mut self) -> Result<(), String> {
        if self.reordered || self.next >= self.values.len() {
            return Ok(());
        }
        let mut extra = Vec::new();
        for value in &self.values[self.next..] {
            extra.push(if value.is_nil() {
                "<nil>".to_owned()
            } else {
                format!("{}={}", value.type_name(), super::plain(value)?)
            });
        }
        self.out.push_str(&format!("%!(EXTRA {})", extra.join(", ")));
        Ok(())
    }
}

/// A value by a verb; the parts of lists and maps by the same one.
fn one(value: &Value, verb: char, spec: Spec, top: bool, budget: &mut Budget) -> Result<String, String> {
    if verb == 'T' {
        return Ok(padded(value.type_name(), spec));
    }
    budget.enter()?;
    let text = match value {
        Value::Missing | Value::Nil if spec.go_syntax && !top => "interface {}(nil)".to_owned(),
        Value::Missing | Value::Nil if !top => "<nil>".to_owned(),
        Value::Missing | Value::Nil if verb == 'v' => padded("<nil>", spec),
        Value::Missing | Value::Nil => format!("%!{verb}(<nil>)"),
        Value::Bool(b) if matches!(verb, 't' | 'v') => padded(if *b { "true" } else { "false" }, spec),
        Value::Int(i) | Value::Int64(i) => integer(*i, verb, spec).map_or_else(|| mismatch(value, verb, spec), Ok)?,
        Value::Float(f) => decimal(*f, verb, spec).map_or_else(|| mismatch(value, verb, spec), Ok)?,
        Value::Text(text) => string(text, verb, spec).map_or_else(|| mismatch(value, verb, spec), Ok)?,
        Value::Bytes(bytes) if bytes.is_text => {
            string(&bytes.lossy(), verb, spec).map_or_else(|| mismatch(value, verb, spec), Ok)?
        }
        Value::Bytes(bytes) => match verb {
            's' | 'q' | 'x' | 'X' => string(&bytes.lossy(), verb, spec).unwrap_or_default(),
            _ => {
                let mut items = Vec::with_capacity(bytes.data.len());
                for byte in bytes.data.iter() {
                    items.push(one(&Value::Int(i64::from(*byte)), verb, spec, false, budget)?);
                }
                format!("[{}]", items.join(" "))
            }
        },
        Value::Struct(_) if matches!(verb, 'v' | 's' | 'q' | 'x' | 'X') && value.described().is_some() => {
            match value.described() {
                Some(text) => one(&text?, verb, spec, top, budget)?,
                None => String::new(),
            }
        }
        Value::Struct(of) => {
            let mut items = Vec::new();
            for field in of.fields() {
                items.push(one(&field.value, verb, spec, false, budget)?);
            }
            format!("{}{{{}}}", if of.is_pointer() { "&" } else { "" }, items.join(" "))
        }
        Value::List(list) => {
            let go = spec.go_syntax;
            let mut items = Vec::with_capacity(list.len());
            for item in list.iter() {
                items.push(one(item, verb, spec, false, budget)?);
            }
            if go { format!("{}{{{}}}", list.kind().name, items.join(", ")) } else { format!("[{}]", items.join(" ")) }
        }
        Value::Map(map) => {
            let go = spec.go_syntax;
            let mut items = Vec::with_capacity(map.len());
            for (name, value) in map.entries() {
                let name = if go { quoted(&name) } else { one(&Value::Text(name), verb, spec, false, budget)? };
                items.push(format!("{name}:{}", one(&value, verb, spec, false, budget)?));
            }
            if go {
                format!("{}{{{}}}", map.kind().name, items.join(", "))
            } else {
                format!("map[{}]", items.join(" "))
            }
        }
        Value::Bool(_) => mismatch(value, verb, spec)?,
    };
    budget.leave();
    if text.len() > MOST {
        return Err(format!("the text is larger than {MOST} bytes"));
    }
    Ok(text)
}

/// The value by `%v`, with the same width and precision.
fn mismatch(value: &Value, verb: char, spec: Spec) -> Result<String, String> {
    Ok(format!("%!{verb}({}={})", value.type_name(), one(value, 'v', spec, true, &mut Budget::new())?))
}

fn integer(i: i64, verb: char, spec: Spec) -> Option<String> {
    let magnitude = i.unsigned_abs();
    let (prefix, digits) = match verb {
        'd' | 'v' => ("", magnitude.to_string()),
        'b' => (if spec.sharp { "0b" } else { "" }, format!("{magnitude:b}")),
        'o' => (if spec.sharp { "0" } else { "" }, format!("{magnitude:o}")),
        'O' => ("0o", format!("{magnitude:o}")),
        'x' => (if spec.sharp { "0x" } else { "" }, format!("{magnitude:x}")),
        'X' => (if spec.sharp { "0X" } else { "" }, format!("{magnitude:X}")),
        'c' | 'q' => {
            let c = u32::try_from(i).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
            if verb == 'c' {
                return Some(padded(c.encode_utf8(&mut [0; 4]), spec));
            }
            let inner = quoted(c.encode_utf8(&mut [0; 4]));
            let inner = inner.trim_matches('"').replace("\\\"", "\"");
            let inner = if c == '"' {
                "\"".to_owned()
            } else if c == '\'' {
                "\\'".to_owned()
            } else {
                inner
            };
            return Some(padded(&format!("'{inner}'"), spec));
        }
        'U' => return Some(padded(&format!("U+{magnitude:04X}"), spec)),
        _ => return None,
    };
    let digits = match spec.precision {
        Some(precision) if digits.len() < precision => format!("{}{digits}", "0".repeat(precision - digits.len())),
        _ => digits,
    };
    Some(number(i < 0, &format!("{prefix}{digits}"), Spec { zero: spec.zero && spec.precision.is_none(), ..spec }))
}

fn decimal(f: f64, verb: char, spec: Spec) -> Option<String> {
    let text = match verb {
        'v' if spec.precision.is_none() => float::shortest(f),
        'g' | 'v' => float::short(f, spec.precision),
        'G' => float::short(f, spec.precision).to_uppercase(),
        'e' => float::scientific(f, spec.precision.unwrap_or(6)),
        'E' => float::scientific(f, spec.precision.unwrap_or(6)).to_uppercase(),
        'b' => float::binary(f),
        'x' if spec.precision.is_none() => float::hexadecimal(f),
        'X' if spec.precision.is_none() => float::hexadecimal(f).to_uppercase(),
        'f' | 'F' => float::fixed(f, spec.precision.unwrap_or(6)),
        _ => return None,
    };
    Some(number(text.starts_with('-'), text.trim_start_matches('-'), spec))
}

/// A number with its sign, widened.
fn number(negative: bool, digits: &str, spec: Spec) -> String {
    let sign = match (negative, spec.plus, spec.space) {
        (true, _, _) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    };
    match spec.width {
        Some(width) if spec.zero && !spec.minus => {
            let missing = width.saturating_sub(sign.len() + digits.len());
            format!("{sign}{}{digits}", "0".repeat(missing))
        }
        _ => padded(&format!("{sign}{digits}"), spec),
    }
}

fn string(text: &str, verb: char, spec: Spec) -> Option<String> {
    let cut = match spec.precision {
        Some(precision) => text.char_indices().nth(precision).map_or(text, |(at, _)| &text[..at]),
        None => text,
    };
    let made = match verb {
        'v' if spec.go_syntax => quoted(cut),
        's' | 'v' => cut.to_owned(),
        'q' if spec.sharp && !cut.contains(['`', '\n']) => format!("`{cut}`"),
        'q' if spec.plus => {
            let quoted = quoted(cut);
            let escape = |c: char| match u32::from(c) {
                0..=0x7f => c.to_string(),
                code @ 0x80..=0xffff => format!("\\u{code:04x}"),
                code => format!("\\U{code:08x}"),
            };
            quoted.chars().map(escape).collect()
        }
        'q' => quoted(cut),
        'x' | 'X' => {
            let bytes = cut.bytes().map(|byte| if verb == 'x' { format!("{byte:02x}") } else { format!("{byte:02X}") });
            bytes.collect::<Vec<_>>().join(if spec.space { " " } else { "" })
        }
        _ => return None,
    };
    Some(padded(&made, spec))
}

/// Filled up: on the left with spaces, or zeros, on the right with `-`.
fn padded(text: &str, spec: Spec) -> String {
    let missing = spec.width.unwrap_or(0).saturating_sub(text.chars().count());
    if spec.minus {
        return format!("{text}{}", " ".repeat(missing));
    }
    format!("{}{text}", if spec.zero { "0" } else { " " }.repeat(missing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Map;

    fn map(name: &str, value: Value) -> Value {
        let map = Map::new();
        map.set(name.into(), value);
        Value::Map(map)
    }

    /// What Go 1.26 prints.
    #[test]
    fn as_go_prints() {
        let int = Value::Int;
        let float = Value::Float;
        let text = |text: &str| Value::from(text);
        for (format, values, wanted) in [
            (
                "%.10g %.2e %6.2f|%-8.3f|%08.3f",
                vec![float(1234567.5), float(12345.678), float(4.14159), float(4.14159), float(-4.14159)],
                "1234567.5 1.23e+04   4.14|4.142   |-004.142",
            ),
            (
                "%+d|% d|%x|%X|%o|%b|%c|%U",
                [5, 5, 255, 255, 8, 5, 65, 0x1F600].map(int).to_vec(),
                "+5| 5|ff|FF|10|101|A|U+1F600",
            ),
            ("%T|%q|%#x", vec![float(3.5), text("a\"b"), int(255)], "float64|\"a\\\"b\"|0xff"),
            (
                "%+v|%#v",
                vec![map("a", int(1)), map("a", Value::list(vec![int(1), text("x"), Value::Nil, float(1.5)]))],
                "map[a:1]|map[string]interface {}{\"a\":[]interface {}{1, \"x\", interface {}(nil), 1.5}}",
            ),
            (
                "%t|%5t|%v|%s|%d",
                vec![true.into(), true.into(), Value::Nil, Value::Nil, Value::Nil],
                "true| true|<nil>|%!s(<nil>)|%!d(<nil>)",
            ),
            ("%d %s %x %q", vec![text("x"), int(5), text("hi"), int(65)], "%!d(string=x) %!s(int=5) 6869 'A'"),
            (
                "%v %s",
                vec![
                    Value::list(vec![int(1), text("a"), Value::Nil]),
                    Value::list(vec![int(1), text("a"), Value::Nil]),
                ],
                "[1 a <nil>] [%!s(int=1) a <nil>]",
            ),
            ("%d %d", vec![int(1)], "1 %!d(MISSING)"),
            ("%d", vec![int(1), text("a"), float(2.5)], "1%!(EXTRA string=a, float64=2.5)"),
            ("%[2]d %[1]d", vec![int(1), int(2)], "2 1"),
            (
                "%q %q %t",
                vec![Value::list(vec![text("a"), text("b")]), map("k", text("v")), text("x")],
                "[\"a\" \"b\"] map[\"k\":\"v\"] %!t(string=x)",
            ),
            ("%s|%d", vec![float(1.5), float(1e6)], "%!s(float64=1.5)|%!d(float64=1e+06)"),
            (
                "%5.1f%%|%3c|%-4q|%#q|%+q",
                vec![float(99.55), int(120), int(121), text("abc"), text("é")],
                " 99.5%|  x|'y' |`abc`|\"\\u00e9\"",
            ),
            ("%6v|%-6v|%06d|%*d", vec![text("ab"), int(3), int(-42), int(4), int(7)], "    ab|3     |-00042|   7"),
            ("%05s|%05v", vec![text("ab"), true.into()], "000ab|0true"),
            ("%.2s|%z|%", vec![text("abc"), int(2)], "ab|%!z(int=2)|%!(NOVERB)"),
        ] {
            assert_eq!(printf(format, &values).unwrap(), wanted, "{format}");
        }
    }

    #[test]
    fn widths_have_an_end() {
        assert_eq!(printf("%99999999999d", &[Value::Int(1)]).unwrap(), "%!(BADWIDTH)1");
        let text = Value::text("x".repeat(1 << 20));
        let many = vec![text; 100];
        assert!(printf(&"%v".repeat(100), &many).is_err());
    }
}
