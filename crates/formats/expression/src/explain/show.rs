//! An explanation as lines of text.

use super::{Explanation, Seen, Trace};
use crate::error::shorten;
use crate::{Moment, Value};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::fmt;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            line(step, 0, f)?;
        }
        match &self.result {
            Ok(value) => write!(f, "= {}", shown(value)),
            Err(error) => write!(f, "{error}"),
        }
    }
}

fn line(trace: &Trace, depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{:width$}", "", width = depth * 2)?;
    match &trace.variable {
        Some(path) => write!(f, "{path} holds {}", one_line(&trace.text))?,
        None => write!(f, "{}:{} {}", trace.line, trace.column, one_line(&trace.text))?,
    }
    writeln!(f, " → {}", trace.seen)?;
    trace.parts.iter().try_for_each(|part| line(part, depth + 1, f))
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => f.write_str(&shown(value)),
            Self::Missing(None) => f.write_str("nothing there, counts as null"),
            Self::Missing(Some(remedy)) => write!(f, "nothing there, counts as null ({remedy})"),
            Self::NotYet(reference) => write!(f, "not available yet: {reference}"),
            Self::Failed(reason) => write!(f, "failed: {reason}"),
        }
    }
}

/// Strings with quotes, so that `"1"` differs from `1`.
fn shown(value: &Value) -> String {
    let moment = |moment: &Moment| format!("date {moment}");
    shorten(&match value {
        Value::Moment(at) => moment(at),
        other => other.to_shown_json().to_string(),
    })
}

fn one_line(text: &str) -> String {
    shorten(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

impl Serialize for Explanation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Explanation", 3)?;
        match &self.result {
            Ok(value) => out.serialize_field("result", &value.to_shown_json())?,
            Err(error) => out.serialize_field("error", &error.to_diagnostic())?,
        }
        out.serialize_field("steps", &self.steps)?;
        out.end()
    }
}

impl Serialize for Trace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Trace", 6)?;
        out.serialize_field("text", &self.text)?;
        out.serialize_field("line", &self.line)?;
        out.serialize_field("column", &self.column)?;
        if let Some(variable) = &self.variable {
            out.serialize_field("variable", variable)?;
        }
        match &self.seen {
            Seen::Value(value) => out.serialize_field("value", &value.to_shown_json())?,
            Seen::Missing(remedy) => out.serialize_field("missing", remedy)?,
            Seen::NotYet(reference) => out.serialize_field("notYet", reference)?,
            Seen::Failed(reason) => out.serialize_field("failed", reason)?,
        }
        if !self.parts.is_empty() {
            out.serialize_field("parts", &self.parts)?;
        }
        out.end()
    }
}
