//! Where generated data comes from: env files, literals, files, in this order.

use crate::conf::Text;
use crate::error::{Problem, Result, Within};
use crate::kustomization::GeneratorArgs;
use crate::loader::{LoadFailure, Loader};
use std::sync::Arc;
use windlass_diagnostic::Place;

/// A value with the place where it was written.
pub(super) struct Pair {
    pub(super) value: Vec<u8>,
    pub(super) place: Option<Place>,
}

/// Longer lines silently end the file for the reference (correction n).
const LONGEST_LINE: usize = 64 * 1024;

pub(super) fn load(loader: &Loader<'_>, args: &GeneratorArgs) -> Result<Vec<(String, Pair)>> {
    let mut all = Vec::new();
    let listed = |texts: &[Text]| texts.iter().map(|text| &**text).collect::<Vec<_>>().join(" ");
    for env in &args.envs {
        env_file(loader, env, &mut all).within(|| format!("env source files: [{}]", listed(&args.envs)))?;
    }
    for literal in &args.literals {
        let pair = parse_literal(literal).within(|| format!("literal sources [{}]", listed(&args.literals)))?;
        all.push(pair);
    }
    for file in &args.files {
        let pair = load_file(loader, file).within(|| format!("file sources: [{}]", listed(&args.files)))?;
        all.push(pair);
    }
    Ok(all)
}

fn says(what: String, place: Option<&Place>) -> Box<crate::KustomizeError> {
    Problem::Generator.says(what).at(place)
}

fn bytes(loader: &Loader<'_>, path: &str, named: &Text) -> Result<(String, Arc<[u8]>)> {
    loader.load(path).map_err(|failure| LoadFailure::into_error(failure).at(named.place.as_ref()))
}

fn parse_literal(literal: &Text) -> Result<(String, Pair)> {
    match literal.split_once('=') {
        Some((key, value)) if !key.is_empty() => {
            let pair = Pair { value: unquoted(value).into(), place: literal.place.clone() };
            Ok((key.to_owned(), pair))
        }
        _ => Err(says(format!("invalid literal source {}, expected key=value", literal.text), literal.place.as_ref())),
    }
}

/// The text without one pair of quotes around it.
fn unquoted(text: &str) -> &str {
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

fn load_file(loader: &Loader<'_>, source: &Text) -> Result<(String, Pair)> {
    let place = source.place.as_ref();
    let (key, path) = match source.matches('=').count() {
        0 => (base_name(source), &**source),
        1 => match source.split_once('=').unwrap_or_default() {
            ("", path) => {
                let text = &source.text;
                return Err(says(format!("missing key name for file path {path:?} in source {text:?}"), place));
            }
            (key, "") => {
                let text = &source.text;
                return Err(says(format!("missing file path for key name {key:?} in source {text:?}"), place));
            }
            (key, path) => (key.to_owned(), path),
        },
        _ => return Err(says(format!("source {:?} key name or file path contains '='", source.text), place)),
    };
    let (file, content) = bytes(loader, path, source)?;
    Ok((key, Pair { value: content.to_vec(), place: Some(Place::new(file, 1, 1)) }))
}

/// The last part of a path.
fn base_name(path: &str) -> String {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    match (name.is_empty(), path.is_empty()) {
        (true, true) => ".".into(),
        (true, false) => "/".into(),
        _ => name.to_owned(),
    }
}

fn env_file(loader: &Loader<'_>, source: &Text, all: &mut Vec<(String, Pair)>) -> Result<()> {
    let (file, content) = bytes(loader, source, source)?;
    let file: Arc<str> = file.into();
    for (number, line) in content.split(|byte| *byte == b'\n').enumerate() {
        let place = Place::new(Arc::clone(&file), u32::try_from(number + 1).unwrap_or(u32::MAX), 1);
        if line.len() >= LONGEST_LINE {
            let what = format!("line {} of the env file is longer than {LONGEST_LINE} bytes", number + 1);
            return Err(says(what, Some(&place)));
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Ok(text) = std::str::from_utf8(line) else {
            return Err(says(format!("line {number} has invalid utf8 bytes"), Some(&place)));
        };
        let text = if number == 0 { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text };
        let text = text.trim_start();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        if !key.is_empty() {
            all.push((key.to_owned(), Pair { value: value.into(), place: Some(place) }));
        }
    }
    Ok(())
}
