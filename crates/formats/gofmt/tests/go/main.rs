//! What Go 1.26 answered, and the same here.
#![allow(clippy::unwrap_used)]

mod directives;
mod floats;
mod integers;
mod texts;

use std::convert::Infallible;
use windlass_gofmt::{Argument, Spec, float, integer, misfit, sprintf, text};

/// A format, its values, and what Go makes of them.
type Answer = (&'static str, &'static [Value], &'static str);

enum Value {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(&'static str),
}
use Value::{Bool, Float, Int, Nil, Text};

impl Argument for Value {
    type Error = Infallible;

    fn type_name(&self) -> Option<&str> {
        match self {
            Nil => None,
            Bool(_) => Some("bool"),
            Int(_) => Some("int"),
            Float(_) => Some("float64"),
            Text(_) => Some("string"),
        }
    }

    fn size(&self) -> Option<i64> {
        if let Int(int) = self { Some(*int) } else { None }
    }

    fn write(&self, out: &mut String, verb: char, spec: &Spec) -> Result<(), Infallible> {
        let fits = match self {
            Nil => false,
            Bool(b) if matches!(verb, 't' | 'v') => {
                spec.pad(out, &b.to_string());
                true
            }
            Bool(_) => false,
            Int(int) => integer(out, *int, verb, spec),
            Float(f) => float(out, *f, verb, spec),
            Text(all) => text(out, all, verb, spec),
        };
        if fits { Ok(()) } else { misfit(out, self, verb, spec) }
    }
}

fn written(format: &str, values: &[Value]) -> String {
    sprintf(format, values, |_| Ok(())).unwrap()
}

#[test]
fn as_go_writes() {
    for answers in [directives::ANSWERS, integers::ANSWERS, floats::ANSWERS, texts::ANSWERS] {
        for (format, values, wanted) in answers {
            assert_eq!(written(format, values), *wanted, "{format}");
        }
    }
}

/// Go takes one digit more than its limit says.
#[test]
fn large_widths_and_precisions() {
    for (format, length) in
        [("%1000001d", 1_000_001), ("%.1000001f", 1_000_010), ("%100000090d", "%!(NOVERB)%!(EXTRA int=1)".len())]
    {
        assert_eq!(written(format, &[Int(1)]).len(), length, "{format}");
    }
    for (format, f, length) in
        [("%.70000e", 1.5, 70_006), ("%.70000g", 0.1, 57), ("%#.70000g", 0.1, 70_002), ("%.70000x", 1.5, 70_008)]
    {
        assert_eq!(written(format, &[Float(f)]).len(), length, "{format}");
    }
}
