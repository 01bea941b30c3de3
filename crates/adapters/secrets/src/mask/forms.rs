//! The forms in which a secret gets printed.

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use std::collections::BTreeSet;

/// Shorter secrets are not masked: they occur everywhere by chance.
pub(super) const SHORTEST: usize = 3;

/// Lines of a secret with several lines are masked from this length on.
const SHORTEST_LINE: usize = 6;

/// Pieces of base64 are masked from this length on.
const SHORTEST_BASE64: usize = 6;

/// Every form of a secret, as bytes.
pub(super) fn of(secret: &[u8]) -> BTreeSet<Vec<u8>> {
    let mut forms = BTreeSet::new();
    if trimmed(secret).len() < SHORTEST {
        return forms;
    }
    texts(secret, &mut forms);
    // Printing a secret often drops the newline at its end.
    texts(trimmed(secret), &mut forms);
    base64(secret, &mut forms);
    base64(trimmed(secret), &mut forms);
    for line in secret.split(|byte| *byte == b'\n').map(trimmed) {
        if line.len() >= SHORTEST_LINE && line.len() < secret.len() {
            texts(line, &mut forms);
        }
    }
    forms.retain(|form| form.len() >= SHORTEST);
    forms
}

fn trimmed(bytes: &[u8]) -> &[u8] {
    bytes.trim_ascii()
}

/// As it is, in a URL, in JSON.
fn texts(secret: &[u8], forms: &mut BTreeSet<Vec<u8>>) {
    forms.insert(secret.to_vec());
    for upper in [true, false] {
        for spared in ["-._~", "-._~!*'()", "-._*"] {
            forms.insert(percent(secret, spared, upper, false));
            forms.insert(percent(secret, spared, upper, true));
        }
    }
    if let Ok(text) = std::str::from_utf8(secret) {
        for style in [Escape::Json, Escape::Slash, Escape::Html] {
            forms.insert(json(text, style));
        }
    }
}

/// Percent encoding. Libraries differ in what they spare and in the case of digits; forms write a space as `+`.
fn percent(secret: &[u8], spared: &str, upper: bool, plus: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(secret.len());
    for byte in secret {
        match byte {
            b' ' if plus => out.push(b'+'),
            byte if byte.is_ascii_alphanumeric() || spared.as_bytes().contains(byte) => out.push(*byte),
            byte if upper => out.extend(format!("%{byte:02X}").bytes()),
            byte => out.extend(format!("%{byte:02x}").bytes()),
        }
    }
    out
}

/// Writers of JSON differ in what they escape beyond need.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    Json,
    /// `/` as well.
    Slash,
    /// `<`, `>` and `&` as well, as Go does.
    Html,
}

fn json(text: &str, style: Escape) -> Vec<u8> {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match (c, style) {
            ('"', _) => out.push_str("\\\""),
            ('\\', _) => out.push_str("\\\\"),
            ('\n', _) => out.push_str("\\n"),
            ('\r', _) => out.push_str("\\r"),
            ('\t', _) => out.push_str("\\t"),
            ('\u{8}', _) => out.push_str("\\b"),
            ('\u{c}', _) => out.push_str("\\f"),
            ('/', Escape::Slash) => out.push_str("\\/"),
            ('<' | '>' | '&', Escape::Html) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            (c, _) if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            (c, _) => out.push(c),
        }
    }
    out.into_bytes()
}

/// The digits of base64 that the secret alone decides, for each of the three ways it can lie in what is encoded.
fn base64(secret: &[u8], forms: &mut BTreeSet<Vec<u8>>) {
    for alphabet in [&STANDARD, &URL_SAFE] {
        let engine = GeneralPurpose::new(alphabet, GeneralPurposeConfig::new().with_encode_padding(false));
        for before in 0..3 {
            let bytes = [&[0, 0, 0][..before], secret].concat();
            let digits = engine.encode(&bytes);
            // A digit holds 6 bits: the first ones mix with what stands before, the last one with what stands behind.
            let (first, last) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
            if let Some(own) = digits.as_bytes().get(first..last).filter(|own| own.len() >= SHORTEST_BASE64) {
                forms.insert(own.to_vec());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    fn shown(secret: &str) -> String {
        of(secret.as_bytes()).into_iter().map(|form| String::from_utf8(form).unwrap()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn forms_of_a_password() {
        insta::assert_snapshot!(shown("p<s w\"d/ä"), @r#"
        A8cyB3ImQvw6
        cDxzIHciZC/Dp
        cDxzIHciZC_Dp
        p%3Cs%20w%22d%2F%C3%A4
        p%3Cs+w%22d%2F%C3%A4
        p%3cs%20w%22d%2f%c3%a4
        p%3cs+w%22d%2f%c3%a4
        p<s w"d/ä
        p<s w\"d/ä
        p<s w\"d\/ä
        p\u003cs w\"d/ä
        wPHMgdyJkL8Ok
        "#);
    }

    #[test]
    fn lines_of_a_key() {
        let key = "-----BEGIN KEY-----\nabcdefgh\nxyz\n-----END KEY-----\n";
        let forms = of(key.as_bytes());
        for line in ["-----BEGIN KEY-----", "abcdefgh", "-----END KEY-----", key, key.trim()] {
            assert!(forms.contains(line.as_bytes()), "{line}");
        }
        assert!(!forms.contains(&b"xyz"[..]));
    }

    #[test]
    fn what_is_too_short_is_not_masked() {
        for short in ["", "a", "ab", " ab\n"] {
            assert!(of(short.as_bytes()).is_empty(), "{short:?}");
        }
        assert!(of(b"abc").contains(&b"abc"[..]));
        assert!(of(&[0xff, 0xfe, 0xfd]).contains(&[0xff, 0xfe, 0xfd][..]));
    }
}
