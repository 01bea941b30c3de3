//! What OPA gives to Go's `Sprintf`.

use super::term::term;
use regorus::Value;
use std::borrow::Cow;
use windlass_gofmt::{Argument, Spec, float, integer, misfit, number, text};

/// One argument.
#[derive(Debug)]
pub(super) enum Operand<'v> {
    Int(i64),
    /// Does not fit 64 bits.
    Big(&'v Value),
    Float(f64),
    Text(Cow<'v, str>),
}

/// A float by a verb that shows its bits.
#[derive(Debug, thiserror::Error)]
#[error("sprintf cannot write a number with a fraction by `%{0}`: use `%v` or `%f`")]
struct Bits(char);

impl<'v> Operand<'v> {
    pub(super) fn of(value: &'v Value) -> Self {
        match value {
            Value::Number(number) => match (number.is_integer(), number.as_i64(), number.as_f64()) {
                (true, Some(int), _) => Self::Int(int),
                (true, None, _) => Self::Big(value),
                (false, _, Some(float)) => Self::Float(float),
                _ => Self::Text(value.to_string().into()),
            },
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            other => Self::Text(term(other).into()),
        }
    }
}

impl Argument for Operand<'_> {
    type Error = anyhow::Error;

    fn type_name(&self) -> Option<&str> {
        Some(match self {
            Self::Int(_) => "int64",
            Self::Big(_) => "*big.Int",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
        })
    }

    fn size(&self) -> Option<i64> {
        if let Self::Int(int) = self { Some(*int) } else { None }
    }

    fn write(&self, out: &mut String, verb: char, spec: &Spec) -> anyhow::Result<()> {
        let fits = match self {
            Self::Int(int) => integer(out, *int, verb, spec),
            Self::Big(whole) => {
                big(out, whole, verb, spec);
                true
            }
            Self::Float(_) if matches!(verb, 'x' | 'X' | 'b') => return Err(Bits(verb).into()),
            Self::Float(f) => float(out, *f, verb, spec),
            Self::Text(all) => text(out, all, verb, spec),
        };
        if fits { Ok(()) } else { misfit(out, self, verb, spec) }
    }
}

/// A `*big.Int` writes itself, by rules of its own: `%s` is `%d`, the prefix counts for the zeros, and what does not fit has no
/// flags.
fn big(out: &mut String, value: &Value, verb: char, spec: &Spec) {
    let Ok(big) = value.as_number() else { return };
    let (prefix, all) = match verb {
        'd' | 's' | 'v' => ("", big.format_decimal()),
        'b' => ("0b", big.format_bin()),
        'o' => ("0", big.format_octal()),
        'O' => ("0o", big.format_octal()),
        'x' => ("0x", big.format_hex()),
        'X' => ("0X", big.format_big_hex()),
        _ => return out.push_str(&format!("%!{verb}(big.Int={})", big.format_decimal())),
    };
    let (is_negative, digits) = all.strip_prefix('-').map_or((false, all.as_str()), |digits| (true, digits));
    let sign = Spec { plus: spec.plus || spec.fields, ..*spec }.sign(is_negative);
    let prefix = if spec.sharp || verb == 'O' { prefix } else { "" };
    let length = sign.len() + prefix.len() + digits.len();
    let zeros = match spec.precision {
        Some(precision) => precision.saturating_sub(digits.len()),
        None => spec.zeros().unwrap_or(0).saturating_sub(length),
    };
    number(out, sign, prefix, zeros, digits, spec);
}
