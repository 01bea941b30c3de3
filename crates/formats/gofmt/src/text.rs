use crate::{Spec, quote};

/// Writes a text. False, and nothing is written: the verb is none of texts.
pub fn text(out: &mut String, text: &str, verb: char, spec: &Spec) -> bool {
    let start = out.len();
    match verb {
        'v' if spec.go_syntax => quote::text(out, cut(text, spec), false),
        's' | 'v' => out.push_str(cut(text, spec)),
        'q' if spec.sharp && quote::is_raw(cut(text, spec)) => {
            out.push('`');
            out.push_str(cut(text, spec));
            out.push('`');
        }
        'q' => quote::text(out, cut(text, spec), spec.plus),
        'x' | 'X' => hexadecimal(out, text.as_bytes(), verb, spec),
        _ => return false,
    }
    spec.fill(out, start);
    true
}

/// As many characters as the precision says.
fn cut<'t>(text: &'t str, spec: &Spec) -> &'t str {
    let end = spec.precision.and_then(|precision| text.char_indices().nth(precision));
    end.map_or(text, |(at, _)| &text[..at])
}

/// Here the precision counts bytes. With a space each byte stands for itself.
fn hexadecimal(out: &mut String, bytes: &[u8], verb: char, spec: &Spec) {
    let digits = if verb == 'x' { b"0123456789abcdef" } else { b"0123456789ABCDEF" };
    let shown = &bytes[..spec.precision.unwrap_or(usize::MAX).min(bytes.len())];
    for (index, byte) in shown.iter().enumerate() {
        if spec.space && index > 0 {
            out.push(' ');
        }
        if spec.sharp && (spec.space || index == 0) {
            out.push('0');
            out.push(verb);
        }
        out.push(char::from(digits[usize::from(byte >> 4)]));
        out.push(char::from(digits[usize::from(byte & 15)]));
    }
}
