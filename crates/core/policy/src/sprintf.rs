//! `sprintf` by the rules of Go's package `fmt`.
//!
//! What does not fit a verb shows in the text, `%!d(string=x)`: a message with a fault still denies. Without that the call would
//! have no value, and the rule around it would not hold.

mod float;
mod text;
mod verb;

use crate::bounded;
use regorus::Value;
use std::iter::Peekable;
use std::str::Chars;
use verb::{Argument, Spec};

pub(crate) const NAME: &str = "sprintf";

/// Go takes no larger widths either.
const WIDEST: i64 = 1_000_000;

/// A float by a verb that shows its bits.
#[derive(Debug, thiserror::Error)]
#[error("sprintf cannot write a number with a fraction by `%{0}`: use `%v` or `%f`")]
pub(crate) struct Bits(char);

pub(crate) fn call(values: &[Value]) -> anyhow::Result<Value> {
    let size = bounded::size_all(values);
    let [Value::String(format), Value::Array(values)] = values else { return Ok(Value::Undefined) };
    bounded::allow(NAME, || size.saturating_add(widths(format)))?;
    let arguments = values.iter().map(Argument::of).collect();
    let mut printer = Printer { arguments, next: 0, reordered: false, good_index: true, out: String::new() };
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '%' => printer.directive(&mut rest)?,
            c => printer.out.push(c),
        }
        bounded::allow(NAME, || printer.out.len())?;
    }
    printer.extra();
    Ok(Value::from(printer.out))
}

/// `%1000000d`: every width counts as it is written.
fn widths(format: &str) -> usize {
    let runs = format.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
    runs.map(|run| run.parse::<usize>().unwrap_or(usize::MAX)).fold(0, usize::saturating_add)
}

struct Printer {
    arguments: Vec<Argument>,
    next: usize,
    /// `%[1]d` was used: arguments may be left over.
    reordered: bool,
    good_index: bool,
    out: String,
}

impl Printer {
    fn directive(&mut self, rest: &mut Peekable<Chars<'_>>) -> Result<(), Bits> {
        let mut spec = Spec::default();
        self.good_index = true;
        while let Some(flag) = rest.next_if(|c| "+-# 0".contains(*c)) {
            match flag {
                '+' => spec.plus = true,
                '-' => spec.minus = true,
                '#' => spec.sharp = true,
                ' ' => spec.space = true,
                _ => spec.zero = true,
            }
        }
        let mut indexed = self.index(rest);
        if rest.next_if_eq(&'*').is_some() {
            let width = self.taken();
            if width.is_none() {
                self.out.push_str("%!(BADWIDTH)");
            }
            spec.minus |= width.is_some_and(|width| width < 0);
            spec.width = width.and_then(|width| usize::try_from(width.abs()).ok());
            indexed = false;
        } else {
            spec.width = number(rest);
            self.good_index &= !(indexed && spec.width.is_some());
        }
        if rest.next_if_eq(&'.').is_some() {
            self.good_index &= !indexed;
            indexed = self.index(rest);
            if rest.next_if_eq(&'*').is_some() {
                let precision = self.taken();
                if precision.is_none_or(|precision| precision < 0) {
                    self.out.push_str(if precision.is_none() { "%!(BADPREC)" } else { "" });
                }
                spec.precision = precision.and_then(|precision| usize::try_from(precision).ok());
                indexed = false;
            } else {
                spec.precision = Some(number(rest).unwrap_or(0));
            }
        }
        if !indexed {
            self.index(rest);
        }
        let Some(verb) = rest.next() else {
            self.out.push_str("%!(NOVERB)");
            return Ok(());
        };
        match self.arguments.get(self.next) {
            _ if verb == '%' => self.out.push('%'),
            _ if !self.good_index => self.out.push_str(&format!("%!{verb}(BADINDEX)")),
            None => self.out.push_str(&format!("%!{verb}(MISSING)")),
            Some(argument) => {
                argument.write(&mut self.out, verb, spec)?;
                self.next += 1;
            }
        }
        Ok(())
    }

    /// `[2]`: whether there was one.
    fn index(&mut self, rest: &mut Peekable<Chars<'_>>) -> bool {
        if rest.next_if_eq(&'[').is_none() {
            return false;
        }
        self.reordered = true;
        // What is not closed is passed over by its bracket only.
        let ahead: String = rest.clone().take_while(|c| *c != ']').collect();
        if !rest.clone().any(|c| c == ']') {
            self.good_index = false;
            return false;
        }
        rest.nth(ahead.chars().count());
        match ahead.parse::<usize>() {
            Ok(index) if (1..=self.arguments.len()).contains(&index) => {
                self.next = index - 1;
                true
            }
            _ => {
                self.good_index = false;
                false
            }
        }
    }

    /// The number for a `*`.
    fn taken(&mut self) -> Option<i64> {
        let number = self.arguments.get(self.next).and_then(Argument::size);
        self.next += usize::from(self.next < self.arguments.len());
        number.filter(|number| (-WIDEST..=WIDEST).contains(number))
    }

    fn extra(&mut self) {
        if self.reordered || self.next >= self.arguments.len() {
            return;
        }
        let extra: Vec<_> = self.arguments[self.next..].iter().map(Argument::described).collect();
        self.out.push_str(&format!("%!(EXTRA {})", extra.join(", ")));
    }
}

/// Digits. Behind a number that is too large nothing is read any more.
fn number(rest: &mut Peekable<Chars<'_>>) -> Option<usize> {
    let mut number: Option<i64> = None;
    while let Some(digit) = rest.next_if(char::is_ascii_digit) {
        let digit = i64::from(digit.to_digit(10).unwrap_or_default());
        number = Some(number.unwrap_or(0) * 10 + digit);
        if number.is_some_and(|number| number > WIDEST) {
            rest.by_ref().for_each(drop);
            return None;
        }
    }
    number.and_then(|number| usize::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use super::{Value, call};
    use proptest::prelude::{any, proptest};

    fn sprintf(format: &str, values: Vec<Value>) -> Option<String> {
        Some(call(&[format.into(), values.into()]).ok()?.as_string().ok()?.to_string())
    }

    #[test]
    fn as_go_writes() {
        for (format, values, wanted) in [
            (
                "%d of %5d|%-5d|%05d|%+d|% d",
                [1, 2, 3, -4, 5, 6].map(Value::from).to_vec(),
                "1 of     2|3    |-0004|+5| 6",
            ),
            (
                "%x %X %#x %o %#o %b %c %q %U",
                [255, 255, 255, 8, 8, 5, 65, 65, 65].map(Value::from).to_vec(),
                "ff FF 0xff 10 010 101 A 'A' U+0041",
            ),
            (
                "%s|%5s|%-5s|%.1s|%q|%x",
                ["a", "b", "c", "de", "f\"", "g"].map(Value::from).to_vec(),
                "a|    b|c    |d|\"f\\\"\"|67",
            ),
            ("%[2]d %[1]d %d", [1, 2].map(Value::from).to_vec(), "2 1 2"),
            ("%*d|%-*d|%[9]d", [4, 1, 3, 2].map(Value::from).to_vec(), "   1|2  |%!d(BADINDEX)"),
            ("%", Vec::new(), "%!(NOVERB)"),
            ("100%%", vec![Value::from("x")], "100%%!(EXTRA string=x)"),
        ] {
            assert_eq!(sprintf(format, values).unwrap(), wanted, "{format}");
        }
        let float = |format: &str, f: f64| sprintf(format, vec![Value::from(f)]).unwrap();
        assert_eq!(float("%v", 1_234_567.5), "1.2345675e+06");
        assert_eq!(float("%8.3f|", -2.5), "  -2.500|");
        assert_eq!(float("%e", 1.5), "1.500000e+00");
        assert_eq!(float("%08.2f", -1.25), "-0001.25");
        assert_eq!(float("%d", 1.5), "%!d(float64=1.5)");
    }

    proptest! {
        #[test]
        fn every_format_has_an_end(
            format in "(%[-+# 0]{0,3}(\\*|[0-9]{0,7}|\\[[0-9]{0,2}\\]?)(\\.(\\*|[0-9]{0,7})?)?[a-zA-Z%½]?|\\PC){0,8}",
            int in any::<i64>(), float in any::<f64>(), text in "\\PC{0,6}",
        ) {
            let values = vec![int.into(), float.into(), text.as_str().into(), Value::Null, Value::from(vec![Value::from(text.as_str())])];
            if let Some(made) = sprintf(&format, values) {
                assert!(made.len() <= 5 << 20);
            }
        }
    }
}
