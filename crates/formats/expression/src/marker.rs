//! How secrets travel in JSON.

use crate::{SecretRef, Segment, Text, Value};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;

/// Writes texts with secrets as plain strings, and reads them back.
///
/// A secret becomes `[[secret:NONCE:…]]`. The nonce is chosen by the sender for each task and travels beside it. Data
/// cannot forge a secret: where a literal happens to hold the mark, even by someone who knows the nonce, the mark itself is
/// written as an escape, so that reading gives back exactly the segments that were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    prefix: String,
}

/// A nonce has 16 to 64 letters and digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a nonce has 16 to 64 ASCII letters and digits")]
pub struct InvalidNonce;

const SUFFIX: &str = "]]";
/// Stands for the mark itself; never the text of a secret, since base64 has no `!`.
const ESCAPE: &str = "!";

impl Marker {
    pub fn new(nonce: &str) -> Result<Self, InvalidNonce> {
        if !(16..=64).contains(&nonce.len()) || !nonce.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Err(InvalidNonce);
        }
        Ok(Self { prefix: format!("[[secret:{nonce}:") })
    }

    pub fn write(&self, text: &Text) -> String {
        let mut out = String::new();
        let literal_mark = format!("{}{ESCAPE}{SUFFIX}", self.prefix);
        for segment in text.segments() {
            match segment {
                Segment::Literal(literal) => out.push_str(&literal.replace(&self.prefix, &literal_mark)),
                Segment::Secret(secret) => {
                    out.push_str(&self.prefix);
                    BASE64.encode_string(secret.as_str(), &mut out);
                    out.push_str(SUFFIX);
                }
            }
        }
        out
    }

    /// What [`write`](Self::write) was given. Text that it did not write stays literal.
    pub fn read(&self, text: &str) -> Text {
        let mut out = Text::new();
        let mut rest = text;
        while let Some(at) = rest.find(&self.prefix) {
            let (before, marked) = rest.split_at(at);
            out.push_str(before);
            let inside = &marked[self.prefix.len()..];
            let parsed = inside.split_once(SUFFIX).and_then(|(name, after)| {
                if name == ESCAPE {
                    return Some((Text::from(self.prefix.as_str()), after));
                }
                let name = String::from_utf8(BASE64.decode(name).ok()?).ok()?;
                Some((Text::from(SecretRef::new(&name).ok()?), after))
            });
            match parsed {
                Some((segment, after)) => {
                    out.push(&segment);
                    rest = after;
                }
                None => {
                    out.push_str(&self.prefix);
                    rest = inside;
                }
            }
        }
        out.push_str(rest);
        out
    }

    /// JSON in which secrets are marked. Also neutralises marks in all plain strings and in the keys of maps.
    pub fn to_json(&self, value: &Value) -> serde_json::Value {
        match value {
            Value::String(text) => self.write(&Text::from(text.as_ref())).into(),
            Value::Secret(text) => self.write(text).into(),
            Value::List(items) => items.iter().map(|item| self.to_json(item)).collect(),
            Value::Map(entries) => entries
                .iter()
                .map(|(key, value)| (self.write(&Text::from(key.as_str())), self.to_json(value)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            plain => plain.to_shown_json(),
        }
    }

    /// The values that [`to_json`](Self::to_json) was given; dates have become text. Secrets in keys become text for eyes.
    pub fn from_json(&self, json: &serde_json::Value) -> Value {
        match json {
            serde_json::Value::String(text) => self.read(text).into(),
            serde_json::Value::Array(items) => items.iter().map(|item| self.from_json(item)).collect(),
            serde_json::Value::Object(entries) => Value::map(
                entries.iter().map(|(key, value)| (self.read(key).to_string(), self.from_json(value))).collect(),
            ),
            plain => plain.into(),
        }
    }
}
