//! Functors: names with methods that belong to the language (pipelines §3.6).
//!
//! `configFile`, `fileStore` and `exportedVariables` belong to the scope: [`crate::Scope::call`].

mod json;
mod jsonpath;
mod regex;
mod xml;
mod xpath;

use crate::error::{ErrorKind, Fault, Outcome};
use crate::limits::Meter;
use crate::methods::{expect, text};
use crate::{SecretRef, Value};

pub(crate) const NAMES: &[&str] = &["json", "regex", "secrets", "shell", "xml"];

/// Calls a functor. Nothing when it selected nothing.
pub(crate) fn call(root: &str, name: &str, arguments: &[Value], meter: &mut Meter) -> Outcome<Option<Value>> {
    match root {
        "json" => json::call(name, arguments, meter),
        "xml" => xml::call(name, arguments, meter),
        "regex" => regex::call(name, arguments, meter).map(Some),
        _ => shell(name, arguments, meter).map(Some),
    }
}

/// `secrets.getValue("id")`: the place of a secret, never its value.
pub(crate) fn secret(name: &str, arguments: &[Value]) -> Outcome<SecretRef> {
    if name != "getValue" {
        return Err(Fault::unknown("method of `secrets`", name, ["getValue"]));
    }
    expect("secrets.getValue", arguments, 1..=1)?;
    let id = text("secrets.getValue", arguments, 0)?;
    SecretRef::new(&id).map_err(|error| ErrorKind::Argument(error.to_string()).into())
}

fn shell(name: &str, arguments: &[Value], meter: &mut Meter) -> Outcome<Value> {
    if name != "escapeChars" {
        return Err(Fault::unknown("method of `shell`", name, ["escapeChars"]));
    }
    expect("shell.escapeChars", arguments, 2..=2)?;
    let escaped = text("shell.escapeChars", arguments, 1)?;
    let mut out = String::new();
    for c in text("shell.escapeChars", arguments, 0)?.chars() {
        if escaped.contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    meter.allow_bytes(out.len())?;
    Ok(out.into())
}
