//! Names that are made: suffixes, label values, hashes.

use crate::Json;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The longest name of an object (a DNS subdomain).
const LONGEST_NAME: usize = 253;
/// The longest value of a label.
const LONGEST_LABEL: usize = 63;
/// Digits of the hash that stands for what was cut off.
const CUT_DIGITS: usize = 6;

/// A name with a suffix. One that would be too long is cut and gets six digits of its hash (kubernetes-deploy §2.6.4).
pub fn suffixed(name: &str, suffix: &str) -> String {
    if name.len() + suffix.len() <= LONGEST_NAME {
        return format!("{name}{suffix}");
    }
    format!("{}{suffix}", cut(name, LONGEST_NAME.saturating_sub(suffix.len())))
}

/// A text as the value of a label: as it is when it fits, else cut with six digits of its hash.
pub fn label_value(text: &str) -> String {
    if text.len() <= LONGEST_LABEL { text.to_owned() } else { cut(text, LONGEST_LABEL) }
}

/// At most `length` bytes of a text, with a hash of the whole at the end.
fn cut(text: &str, length: usize) -> String {
    let mut end = length.saturating_sub(CUT_DIGITS + 1).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text.get(..end).unwrap_or_default().trim_end_matches(['-', '.', '_']);
    format!("{head}-{}", digits(&sha256(text.as_bytes()), CUT_DIGITS))
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

pub(crate) fn digits(hex: &str, count: usize) -> &str {
    hex.get(..count).unwrap_or(hex)
}

/// The text of a value with sorted keys: the same for equal values, whoever parsed them.
pub fn canonical(value: &Json) -> String {
    let mut out = String::new();
    write_canonical(&mut out, value);
    out
}

fn write_canonical(out: &mut String, value: &Json) {
    match value {
        Json::Object(map) => {
            let mut fields: Vec<(&String, &Json)> = map.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (index, (name, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                let _ = write!(out, "{}:", Json::from(name.as_str()));
                write_canonical(out, value);
            }
            out.push('}');
        }
        Json::Array(list) => {
            out.push('[');
            for (index, value) in list.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(out, value);
            }
            out.push(']');
        }
        scalar => {
            let _ = write!(out, "{scalar}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        assert_eq!(suffixed("web", "-canary"), "web-canary");
        let long = "a".repeat(250);
        let made = suffixed(&long, "-canary");
        assert_eq!(made.len(), 253);
        assert!(made.ends_with("-canary") && made != suffixed(&format!("{}b", "a".repeat(249)), "-canary"));
        assert_eq!(suffixed(&"a".repeat(246), "-canary"), format!("{}-canary", "a".repeat(246)));
        assert_eq!(label_value("release-1"), "release-1");
        assert_eq!(label_value(&"r".repeat(64)).len(), 63);
        assert!(!label_value(&format!("{}--------", "r".repeat(56))).contains("--"));
        assert_eq!(label_value(&"ä".repeat(40)).len(), 63);
    }

    #[test]
    fn canonical_text_does_not_depend_on_the_order_of_keys() {
        let text = canonical(&serde_json::from_str(r#"{"b": [1, {"z": null, "a": "\n"}], "a": true}"#).unwrap());
        assert_eq!(text, r#"{"a":true,"b":[1,{"a":"\n","z":null}]}"#);
        assert_eq!(canonical(&json!([])), "[]");
    }
}
