use crate::SecretRef;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A text in which secrets are places, not characters.
///
/// What came from outside can only ever be a [`Segment::Literal`], whatever it looks like: a payload that holds
/// `<+secrets.getValue("x")>` stays that text on the worker too. Carry it as segments, or through a [`crate::Marker`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Text {
    segments: Vec<Segment>,
}

/// A piece of a [`Text`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Segment {
    Literal(String),
    Secret(SecretRef),
}

impl Text {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    pub fn push_str(&mut self, literal: &str) {
        if literal.is_empty() {
            return;
        }
        match self.segments.last_mut() {
            Some(Segment::Literal(last)) => last.push_str(literal),
            _ => self.segments.push(Segment::Literal(literal.to_owned())),
        }
    }

    pub fn push_secret(&mut self, secret: SecretRef) {
        self.segments.push(Segment::Secret(secret));
    }

    pub fn push(&mut self, other: &Text) {
        for segment in &other.segments {
            match segment {
                Segment::Literal(literal) => self.push_str(literal),
                Segment::Secret(secret) => self.push_secret(secret.clone()),
            }
        }
    }

    /// The characters, when there is no secret in it.
    pub fn plain(&self) -> Option<&str> {
        match self.segments.as_slice() {
            [] => Some(""),
            [Segment::Literal(literal)] => Some(literal),
            _ => None,
        }
    }

    pub fn secrets(&self) -> impl Iterator<Item = &SecretRef> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Secret(secret) => Some(secret),
            Segment::Literal(_) => None,
        })
    }

    /// The text with every secret replaced by what `resolve` answers.
    pub fn reveal<E>(&self, mut resolve: impl FnMut(&SecretRef) -> Result<String, E>) -> Result<String, E> {
        let mut out = String::new();
        for segment in &self.segments {
            match segment {
                Segment::Literal(literal) => out.push_str(literal),
                Segment::Secret(secret) => out.push_str(&resolve(secret)?),
            }
        }
        Ok(out)
    }

    /// Bytes it takes as it is shown.
    pub(crate) fn size(&self) -> usize {
        let size = |segment: &Segment| match segment {
            Segment::Literal(literal) => literal.len(),
            Segment::Secret(secret) => secret.as_str().len() + 25,
        };
        self.segments.iter().map(size).sum()
    }
}

impl fmt::Display for Text {
    /// For eyes only: secrets appear as the expression that names them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for segment in &self.segments {
            match segment {
                Segment::Literal(literal) => f.write_str(literal)?,
                Segment::Secret(secret) => f.write_str(&secret.expression())?,
            }
        }
        Ok(())
    }
}

impl From<&str> for Text {
    fn from(literal: &str) -> Self {
        let mut text = Self::new();
        text.push_str(literal);
        text
    }
}

impl From<String> for Text {
    fn from(literal: String) -> Self {
        if literal.is_empty() { Self::new() } else { Self { segments: vec![Segment::Literal(literal)] } }
    }
}

impl From<SecretRef> for Text {
    fn from(secret: SecretRef) -> Self {
        Self { segments: vec![Segment::Secret(secret)] }
    }
}
