//! `sprintf` by the rules of Go's package `fmt`.
//!
//! What does not fit a verb shows in the text, `%!d(string=x)`: a message with a fault still denies. Without that the call would
//! have no value, and the rule around it would not hold.

mod argument;
mod term;

use crate::bounded;
use argument::Operand;
use regorus::Value;

pub(crate) const NAME: &str = "sprintf";

pub(crate) fn call(values: &[Value]) -> anyhow::Result<Value> {
    let size = bounded::size_all(values);
    let [Value::String(format), Value::Array(values)] = values else { return Ok(Value::Undefined) };
    bounded::allow(NAME, || size.saturating_add(widths(format)))?;
    let operands: Vec<_> = values.iter().map(Operand::of).collect();
    let text = windlass_gofmt::sprintf(format, &operands, |text| bounded::allow(NAME, || text.len()))?;
    Ok(Value::from(text))
}

/// `%1000000d`: every width counts as it is written.
fn widths(format: &str) -> usize {
    let runs = format.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
    runs.map(|run| run.parse::<usize>().unwrap_or(usize::MAX)).fold(0, usize::saturating_add)
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
        let big = Value::from_numeric_string("123456789012345678901").unwrap();
        for (format, wanted) in [
            ("%s|%-30d|%+v", "123456789012345678901|123456789012345678901         |+123456789012345678901"),
            (
                "%030d|%.25d|%08.25d",
                "000000000123456789012345678901|0000123456789012345678901|0000123456789012345678901",
            ),
            ("%x|%O|%#30x", "6b14e9f812f366c35|0o15305164770045715466065|           0x6b14e9f812f366c35"),
            ("%#030x|%5q|%T", "0x000000000006b14e9f812f366c35|%!q(big.Int=123456789012345678901)|*big.Int"),
        ] {
            assert_eq!(sprintf(format, vec![big.clone(), big.clone(), big.clone()]).unwrap(), wanted, "{format}");
        }
        let negative = Value::from_numeric_string("-123456789012345678901").unwrap();
        assert_eq!(sprintf("%030d", vec![negative]).unwrap(), "-00000000123456789012345678901");
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
