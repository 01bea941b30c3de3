use crate::number::digits;
use crate::spec::many;
use crate::{Spec, quote};

/// Writes an integer. False, and nothing is written: the verb is none of integers.
pub fn integer(out: &mut String, value: i64, verb: char, spec: &Spec) -> bool {
    let (base, prefix) = match verb {
        'd' | 'v' => (10, ""),
        'b' => (2, if spec.sharp { "0b" } else { "" }),
        'o' => (8, if spec.sharp { "0" } else { "" }),
        'O' => (8, if spec.sharp { "0o0" } else { "0o" }),
        'x' => (16, if spec.sharp { "0x" } else { "" }),
        'X' => (16, if spec.sharp { "0X" } else { "" }),
        'c' | 'q' => {
            let start = out.len();
            match verb {
                'c' => out.push(character(value)),
                _ => quote::character(out, character(value), spec.plus),
            }
            spec.fill(out, start);
            return true;
        }
        'U' => {
            unicode(out, value, spec);
            return true;
        }
        _ => return false,
    };
    let mut room = [0; 64];
    let written = in_base(&mut room, value.unsigned_abs(), base, verb == 'X');
    digits(out, value < 0, prefix, written, spec);
    true
}

fn in_base(room: &mut [u8; 64], mut value: u64, base: u64, upper: bool) -> &str {
    let mut start = room.len();
    loop {
        let digit = u8::try_from(value % base).unwrap_or_default();
        start -= 1;
        room[start] = match digit {
            0..=9 => b'0' + digit,
            _ if upper => b'A' + digit - 10,
            _ => b'a' + digit - 10,
        };
        value /= base;
        if value == 0 {
            return str::from_utf8(&room[start..]).unwrap_or_default();
        }
    }
}

/// `U+0041`, with `#` also the character itself.
fn unicode(out: &mut String, value: i64, spec: &Spec) {
    let start = out.len();
    let mut room = [0; 64];
    let code = in_base(&mut room, value.cast_unsigned(), 16, true);
    out.push_str("U+");
    let least = spec.precision.unwrap_or(0).max(4);
    many(out, "0", least.saturating_sub(code.len()));
    out.push_str(code);
    let shown = u32::try_from(value).ok().and_then(char::from_u32).filter(|c| spec.sharp && quote::is_printable(*c));
    if let Some(c) = shown {
        out.push_str(" '");
        out.push(c);
        out.push('\'');
    }
    Spec { zero: false, ..*spec }.fill(out, start);
}

fn character(value: i64) -> char {
    u32::try_from(value).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}
