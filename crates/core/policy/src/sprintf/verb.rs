//! One argument by one verb.

use super::{Bits, float, text};
use regorus::Value;

/// What stands between `%` and the verb.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spec {
    pub(super) plus: bool,
    pub(super) minus: bool,
    pub(super) sharp: bool,
    pub(super) space: bool,
    pub(super) zero: bool,
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
}

/// What OPA gives to Go's `Sprintf`.
#[derive(Debug)]
pub(super) enum Argument {
    Int(i64),
    /// Does not fit 64 bits: its digits.
    Big(String),
    Float(f64),
    Text(String),
}

impl Argument {
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Number(number) => match (number.is_integer(), number.as_i64(), number.as_f64()) {
                (true, Some(int), _) => Self::Int(int),
                (true, None, _) => Self::Big(number.format_decimal()),
                (false, _, Some(float)) => Self::Float(float),
                _ => Self::Text(value.to_string()),
            },
            Value::String(text) => Self::Text(text.to_string()),
            other => Self::Text(text::term(other)),
        }
    }

    /// As a width or precision.
    pub(super) fn size(&self) -> Option<i64> {
        if let Self::Int(int) = self { Some(*int) } else { None }
    }

    fn type_name(&self) -> &'static str {
        match self {
            Self::Int(_) => "int64",
            Self::Big(_) => "*big.Int",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
        }
    }

    /// `string=x`, for what is left over.
    pub(super) fn described(&self) -> String {
        format!("{}={}", self.type_name(), self.plain(Spec::default()))
    }

    /// By `%v`.
    fn plain(&self, spec: Spec) -> String {
        match self {
            Self::Int(int) => integer(*int, 'd', spec).unwrap_or_default(),
            Self::Big(digits) => big(digits, 'd', spec).unwrap_or_default(),
            Self::Float(f) => signed(&float::general(*f, spec.precision), spec),
            Self::Text(text) => string(text, 's', spec).unwrap_or_default(),
        }
    }

    pub(super) fn write(&self, out: &mut String, verb: char, spec: Spec) -> Result<(), Bits> {
        let made = match (verb, self) {
            // `%#v` is Go's own syntax, and `%+v` about fields, of which there are none.
            ('v', Self::Text(text)) if spec.sharp => string(text, 'q', Spec { sharp: false, plus: false, ..spec }),
            ('v', _) => Some(self.plain(Spec { sharp: false, plus: false, ..spec })),
            ('T', _) => Some(padded(self.type_name(), spec)),
            (_, Self::Int(int)) => integer(*int, verb, spec),
            (_, Self::Big(digits)) => big(digits, verb, spec),
            ('x' | 'X' | 'b', Self::Float(_)) => return Err(Bits(verb)),
            (_, Self::Float(f)) => decimal(*f, verb, spec),
            (_, Self::Text(text)) => string(text, verb, spec),
        };
        match made {
            Some(made) => out.push_str(&made),
            None => out.push_str(&format!("%!{verb}({}={})", self.type_name(), self.plain(spec))),
        }
        Ok(())
    }
}

fn integer(int: i64, verb: char, spec: Spec) -> Option<String> {
    let size = int.unsigned_abs();
    let (prefix, digits) = match verb {
        'd' => ("", size.to_string()),
        'b' => ("0b", format!("{size:b}")),
        'o' => ("0", format!("{size:o}")),
        'O' => ("0o", format!("{size:o}")),
        'x' => ("0x", format!("{size:x}")),
        'X' => ("0X", format!("{size:X}")),
        'c' => return Some(padded(character(int).encode_utf8(&mut [0; 4]), spec)),
        'q' => return Some(padded(&text::quoted_char(character(int), spec.plus), spec)),
        'U' => {
            let digits = format!("{:04X}", int as u64);
            let zeros = "0".repeat(spec.precision.unwrap_or(0).saturating_sub(digits.len()));
            let sharp = if spec.sharp { format!(" '{}'", character(int)) } else { String::new() };
            return Some(padded(&format!("U+{zeros}{digits}{sharp}"), Spec { zero: false, ..spec }));
        }
        _ => return None,
    };
    let prefix = if spec.sharp || verb == 'O' { prefix } else { "" };
    Some(filled(int < 0, prefix, &digits, spec))
}

fn big(digits: &str, verb: char, spec: Spec) -> Option<String> {
    let (negative, digits) = digits.strip_prefix('-').map_or((false, digits), |digits| (true, digits));
    matches!(verb, 'd' | 's').then(|| filled(negative, "", digits, spec))
}

/// Digits filled up with zeros to the precision, or to the width where zeros were asked for.
fn filled(negative: bool, prefix: &str, digits: &str, spec: Spec) -> String {
    let sign = sign(negative, spec);
    let least = match (spec.precision, spec.width) {
        (Some(0), _) if digits == "0" => return padded("", Spec { zero: false, ..spec }),
        (Some(precision), _) => precision,
        (None, Some(width)) if spec.zero && !spec.minus => width.saturating_sub(sign.len()),
        _ => 0,
    };
    let zeros = "0".repeat(least.saturating_sub(digits.len()));
    let prefix = if prefix == "0" && (!zeros.is_empty() || digits.starts_with('0')) { "" } else { prefix };
    padded(&format!("{sign}{prefix}{zeros}{digits}"), Spec { zero: false, ..spec })
}

fn decimal(f: f64, verb: char, spec: Spec) -> Option<String> {
    let text = match verb {
        'g' => float::general(f, spec.precision),
        'G' => float::general(f, spec.precision).to_uppercase(),
        'e' => float::scientific(f, spec.precision.unwrap_or(6)),
        'E' => float::scientific(f, spec.precision.unwrap_or(6)).to_uppercase(),
        'f' | 'F' => float::fixed(f, spec.precision.unwrap_or(6)),
        _ => return None,
    };
    Some(signed(&text, spec))
}

/// A number with its sign in front of the zeros.
fn signed(text: &str, spec: Spec) -> String {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let sign = sign(negative, spec);
    let zeros = match spec.width {
        Some(width) if spec.zero && !spec.minus => width.saturating_sub(sign.len() + digits.len()),
        _ => 0,
    };
    padded(&format!("{sign}{}{digits}", "0".repeat(zeros)), spec)
}

fn sign(negative: bool, spec: Spec) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    }
}

fn character(int: i64) -> char {
    u32::try_from(int).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn string(all: &str, verb: char, spec: Spec) -> Option<String> {
    let cut = spec.precision.and_then(|precision| all.char_indices().nth(precision));
    let shown = cut.map_or(all, |(at, _)| &all[..at]);
    let made = match verb {
        's' => shown.to_owned(),
        'q' if spec.sharp
            && !shown.contains(|c: char| c == '`' || c == '\u{feff}' || c == '\u{7f}' || c < ' ' && c != '\t') =>
        {
            format!("`{shown}`")
        }
        'q' => text::quoted(shown, spec.plus),
        'x' | 'X' => {
            // Here the precision counts bytes.
            let bytes = all.bytes().take(spec.precision.unwrap_or(usize::MAX));
            let hex: Vec<_> =
                bytes.map(|byte| if verb == 'x' { format!("{byte:02x}") } else { format!("{byte:02X}") }).collect();
            let prefix = if spec.sharp && !hex.is_empty() { if verb == 'x' { "0x" } else { "0X" } } else { "" };
            let between = if spec.space { format!(" {prefix}") } else { String::new() };
            format!("{prefix}{}", hex.join(&between))
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
