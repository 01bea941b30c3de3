//! A line of a log.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windlass_model::Timestamp;

/// One line, in the shape that clients of log services know (kubernetes-deploy §4.6).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// `info`, `warn`, `error`, `debug`; empty when it was not told.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub level: String,
    /// The number of the line in its log, from 0. Given when it is appended.
    #[serde(default)]
    pub pos: u64,
    pub out: String,
    /// RFC 3339.
    #[serde(with = "rfc3339")]
    pub time: Timestamp,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, String>,
}

impl Line {
    pub fn new(level: impl Into<String>, time: Timestamp, out: impl Into<String>) -> Self {
        Self { level: level.into(), pos: 0, out: out.into(), time, args: BTreeMap::new() }
    }

    /// The line without what is beyond `longest` bytes, and how much that was.
    pub(crate) fn cut(&self, longest: usize) -> std::borrow::Cow<'_, Self> {
        if self.out.len() <= longest {
            return std::borrow::Cow::Borrowed(self);
        }
        let end = self.out.floor_char_boundary(longest);
        let out = format!("{}… ({} bytes more)", &self.out[..end], self.out.len() - end);
        std::borrow::Cow::Owned(Self { out, ..self.clone() })
    }
}

/// Why a chunk or an upload is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    #[error("a chunk holds {lines} lines and {bytes} bytes: send at most {most_lines} lines and {most_bytes} bytes at once", most_lines = crate::MOST_LINES, most_bytes = crate::LARGEST_CHUNK)]
    ChunkTooLarge { lines: usize, bytes: usize },
    #[error("the log holds {bytes} bytes: upload at most {}", crate::LARGEST_UPLOAD)]
    UploadTooLarge { bytes: usize },
    #[error("line {number} of the upload is not a log line: {reason}")]
    NotALine { number: usize, reason: String },
}

mod rfc3339 {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use windlass_model::Timestamp;

    pub(super) fn serialize<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&time.to_jiff())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(deserializer)?;
        Timestamp::parse(&text).ok_or_else(|| D::Error::custom(format!("`{text}` is not a time in RFC 3339")))
    }
}
