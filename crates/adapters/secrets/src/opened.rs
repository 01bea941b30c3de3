use crate::clear::Clear;
use crate::mask::MaskPatterns;
use crate::token::{Piece, Tokens, UnknownToken};
use std::collections::BTreeMap;
use windlass_model::Json;
use zeroize::Zeroizing;

/// The secrets of one task in clear text, on the worker that runs it.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    pub(crate) tokens: Option<Tokens>,
    pub(crate) values: BTreeMap<String, Clear>,
}

impl Opened {
    /// A text of the task with its tokens replaced. Binary secrets keep their bytes.
    pub fn text(&self, text: &str) -> Result<Clear, UnknownToken> {
        let Some(tokens) = &self.tokens else { return Ok(Clear::from(text)) };
        let mut out = Zeroizing::new(Vec::with_capacity(text.len()));
        for piece in tokens.pieces(text) {
            match piece {
                Piece::Literal(literal) => out.extend_from_slice(literal.as_bytes()),
                Piece::Secret(reference) => out.extend_from_slice(self.find(reference)?.bytes()),
            }
        }
        Ok(Clear::new(std::mem::take(&mut *out)))
    }

    /// A document of the task with the tokens in its strings replaced; keys are left alone. Bytes that are no text become
    /// replacement characters. The result is ordinary JSON: keep it short-lived and print it nowhere.
    pub fn json(&self, json: &Json) -> Result<Json, UnknownToken> {
        Ok(match json {
            Json::String(text) => {
                let clear = self.text(text)?;
                Json::String(String::from_utf8_lossy(clear.bytes()).into_owned())
            }
            Json::Array(items) => Json::Array(items.iter().map(|item| self.json(item)).collect::<Result<_, _>>()?),
            Json::Object(fields) => Json::Object(
                fields.iter().map(|(key, value)| Ok((key.clone(), self.json(value)?))).collect::<Result<_, _>>()?,
            ),
            plain => plain.clone(),
        })
    }

    /// Whether a text has a place for a secret.
    pub fn has_secret(&self, text: &str) -> bool {
        let pieces = self.tokens.as_ref().map(|tokens| tokens.pieces(text)).unwrap_or_default();
        pieces.iter().any(|piece| matches!(piece, Piece::Secret(_)))
    }

    /// What must not be printed while the task runs.
    pub fn mask(&self) -> MaskPatterns {
        MaskPatterns::new(self.values.values())
    }

    fn find(&self, reference: &str) -> Result<&Clear, UnknownToken> {
        self.values.get(reference).ok_or_else(|| UnknownToken(reference.to_owned()))
    }
}
