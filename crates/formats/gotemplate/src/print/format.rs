//! `printf`: the values of templates by the verbs of Go's package `fmt`.

use super::MOST;
use crate::value::{Budget, Struct, Value};
use windlass_gofmt::{Argument, Spec, float, integer, misfit, sprintf, text};

/// Formats values. What does not fit shows in the text, as in Go: `%!d(string=x)`.
pub(crate) fn printf(format: &str, values: &[Value]) -> Result<String, String> {
    sprintf(format, values, within)
}

fn within(out: &str) -> Result<(), String> {
    if out.len() > MOST { Err(format!("the text is larger than {MOST} bytes")) } else { Ok(()) }
}

impl Argument for Value {
    type Error = String;

    fn type_name(&self) -> Option<&str> {
        if self.is_nil() { None } else { Some(Value::type_name(self)) }
    }

    fn size(&self) -> Option<i64> {
        if let Value::Int(i) | Value::Int64(i) = self { Some(*i) } else { None }
    }

    fn write(&self, out: &mut String, verb: char, spec: &Spec) -> Result<(), String> {
        Writer { out, verb, spec, budget: Budget::new() }.value(self)
    }
}

/// Writes a value by a verb; the parts of lists and maps by the same one.
struct Writer<'o> {
    out: &'o mut String,
    verb: char,
    spec: &'o Spec,
    budget: Budget,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value) -> Result<(), String> {
        self.budget.enter()?;
        let (verb, spec) = (self.verb, self.spec);
        let fits = match value {
            Value::Missing | Value::Nil => {
                self.out.push_str(if spec.go_syntax { "interface {}(nil)" } else { "<nil>" });
                true
            }
            Value::Bool(b) => {
                matches!(verb, 't' | 'v') && {
                    spec.pad(self.out, if *b { "true" } else { "false" });
                    true
                }
            }
            Value::Int(i) | Value::Int64(i) => integer(self.out, *i, verb, spec),
            Value::Float(f) => float(self.out, *f, verb, spec),
            Value::Text(all) => text(self.out, all, verb, spec),
            Value::Bytes(bytes) if bytes.is_text || matches!(verb, 's' | 'q' | 'x' | 'X') => {
                text(self.out, &bytes.lossy(), verb, spec)
            }
            // No list or map is an error, which `%w` is for.
            _ if verb == 'w' => false,
            whole => {
                self.whole(whole)?;
                true
            }
        };
        if !fits {
            misfit(self.out, value, verb, spec)?;
        }
        self.budget.leave();
        within(self.out)
    }

    /// What has parts.
    fn whole(&mut self, value: &Value) -> Result<(), String> {
        let go = self.spec.go_syntax;
        match value {
            Value::Bytes(bytes) => {
                let items = bytes.data.iter().map(|byte| Value::Int(i64::from(*byte)));
                self.parts("[", items, " ", "]")
            }
            Value::Struct(of) => {
                // Go's own syntax shows what there is, whatever a value says of itself.
                let is_asked = !go && matches!(self.verb, 'v' | 's' | 'q' | 'x' | 'X');
                let described = is_asked.then(|| value.described()).flatten();
                if let Some(text) = described {
                    return self.value(&text?);
                }
                if go {
                    return self.named_fields(of);
                }
                let open = if of.is_pointer() { "&{" } else { "{" };
                self.parts(open, of.fields().iter().map(|field| &field.value), " ", "}")
            }
            _ if go && value.was_never_made() => {
                self.out.push_str(value.type_name());
                self.out.push_str("(nil)");
                Ok(())
            }
            Value::List(list) if go => {
                self.out.push_str(list.kind().name);
                self.parts("{", list.iter(), ", ", "}")
            }
            Value::List(list) => self.parts("[", list.iter(), " ", "]"),
            Value::Map(map) => {
                let (open, between, close) = if go { ("{", ", ", "}") } else { ("[", " ", "]") };
                self.out.push_str(if go { map.kind().name } else { "map" });
                self.out.push_str(open);
                for (index, (name, value)) in map.entries().into_iter().enumerate() {
                    self.out.push_str(if index > 0 { between } else { "" });
                    self.value(&Value::Text(name))?;
                    self.out.push(':');
                    self.value(&value)?;
                }
                self.out.push_str(close);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `&semver.Version{major:1, …}`
    fn named_fields(&mut self, of: &Struct) -> Result<(), String> {
        self.out.push_str(if of.is_pointer() { "&" } else { "" });
        self.out.push_str(of.kind().name.trim_start_matches('*'));
        self.out.push('{');
        for (index, field) in of.fields().iter().enumerate() {
            self.out.push_str(if index > 0 { ", " } else { "" });
            self.out.push_str(field.name);
            self.out.push(':');
            self.value(&field.value)?;
        }
        self.out.push('}');
        Ok(())
    }

    fn parts(
        &mut self,
        open: &str,
        items: impl Iterator<Item = impl std::borrow::Borrow<Value>>,
        between: &str,
        close: &str,
    ) -> Result<(), String> {
        self.out.push_str(open);
        for (index, item) in items.enumerate() {
            self.out.push_str(if index > 0 { between } else { "" });
            self.value(item.borrow())?;
        }
        self.out.push_str(close);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{List, Map, NO_TEXTS};

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
            (
                "%v|%#v|%#v",
                vec![
                    Value::List(List::of(&NO_TEXTS, Vec::new())),
                    Value::List(List::of(&NO_TEXTS, Vec::new())),
                    Value::list(Vec::new()),
                ],
                "[]|[]string(nil)|[]interface {}{}",
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
            ("%*d|%v", vec![Value::Int64(5), int(1), Value::Int64(2)], "    1|2"),
            (
                "%5d|%x|%#q|%w",
                vec![
                    Value::list(vec![int(1), Value::Nil]),
                    map("a", text("b")),
                    map("a", text("b")),
                    map("a", Value::list(vec![int(1), text("x")])),
                ],
                "[    1 <nil>]|map[61:62]|map[`a`:`b`]|%!w(map[string]interface {}=map[a:[1 x]])",
            ),
        ] {
            assert_eq!(printf(format, &values).unwrap(), wanted, "{format}");
        }
    }

    #[test]
    fn widths_have_an_end() {
        assert_eq!(printf("%99999999999d", &[Value::Int(1)]).unwrap(), "%!(NOVERB)%!(EXTRA int=1)");
        assert!(printf("%9999999d", &[Value::list(vec![Value::Int(1); 1000])]).is_err());
        let text = Value::text("x".repeat(1 << 20));
        let many = vec![text; 100];
        assert!(printf(&"%v".repeat(100), &many).is_err());
    }
}
