use crate::Json;
use std::collections::VecDeque;

/// A JSON path: `$`, `.name`, `['name']`, `[0]`, `[*]`, `..name`, and `[?(@.name=='value')]`.
#[derive(Debug)]
pub(super) struct Path(Vec<Step>);

#[derive(Debug)]
enum Step {
    Name(String),
    Index(i64),
    Every,
    /// The name at any depth below.
    Below(String),
    /// Elements whose field has this text.
    Where {
        field: Vec<String>,
        text: String,
        equal: bool,
    },
}

/// How many values a selection looks at, and how many matches it keeps.
const MOST_VISITED: usize = 100_000;

impl Path {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is not a JSON path");
        let mut rest = text.trim().strip_prefix('$').ok_or_else(bad)?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix("..") {
                let (name, after) = name(after).ok_or_else(bad)?;
                steps.push(Step::Below(name.to_owned()));
                rest = after;
            } else if let Some(after) = rest.strip_prefix(".*") {
                steps.push(Step::Every);
                rest = after;
            } else if let Some(after) = rest.strip_prefix('.') {
                let (name, after) = name(after).ok_or_else(bad)?;
                steps.push(Step::Name(name.to_owned()));
                rest = after;
            } else {
                let inner = rest.strip_prefix('[').ok_or_else(bad)?;
                let (inner, after) = inner.split_at(end_of_bracket(inner).ok_or_else(bad)?);
                steps.push(bracket(inner).ok_or_else(bad)?);
                rest = after.strip_prefix(']').ok_or_else(bad)?;
            }
        }
        Ok(Self(steps))
    }

    /// The first match. Of several at different depths, one of the highest; the order of keys does not matter.
    pub(super) fn first<'j>(&self, root: &'j Json) -> Option<&'j Json> {
        let mut found = vec![root];
        for step in &self.0 {
            found = found.into_iter().flat_map(|value| step.from(value)).take(MOST_VISITED).collect();
        }
        found.into_iter().next()
    }
}

impl Step {
    fn from<'j>(&self, value: &'j Json) -> Vec<&'j Json> {
        match self {
            Self::Name(name) => value.get(name).into_iter().collect(),
            Self::Index(index) => {
                let list = value.as_array().map_or(&[][..], Vec::as_slice);
                let index =
                    if *index < 0 { i64::try_from(list.len()).unwrap_or(0).saturating_add(*index) } else { *index };
                usize::try_from(index).ok().and_then(|index| list.get(index)).into_iter().collect()
            }
            Self::Every => children(value),
            Self::Below(name) => below(value, name),
            Self::Where { field, text, equal } => {
                let matches = |element: &&Json| {
                    let found = field.iter().try_fold(*element, |at, name| at.get(name));
                    let same = found.is_some_and(|found| match found {
                        Json::String(found) => found == text,
                        other => *text == format!("{other}"),
                    });
                    same == *equal
                };
                value.as_array().into_iter().flatten().filter(matches).collect()
            }
        }
    }
}

fn children(value: &Json) -> Vec<&Json> {
    match value {
        Json::Array(list) => list.iter().collect(),
        Json::Object(map) => {
            let mut fields: Vec<(&String, &Json)> = map.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            fields.into_iter().map(|(_, value)| value).collect()
        }
        _ => Vec::new(),
    }
}

/// Level by level, so that what lies higher comes first.
fn below<'j>(root: &'j Json, name: &str) -> Vec<&'j Json> {
    let mut waiting = VecDeque::from([root]);
    let mut found = Vec::new();
    let mut visited = 0;
    while let (Some(value), true) = (waiting.pop_front(), visited < MOST_VISITED) {
        visited += 1;
        found.extend(value.as_object().and_then(|map| map.get(name)));
        waiting.extend(children(value));
    }
    found
}

fn name(text: &str) -> Option<(&str, &str)> {
    let end = text.find(['.', '[']).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn end_of_bracket(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, ']') => return Some(at),
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    None
}

fn bracket(inner: &str) -> Option<Step> {
    let inner = inner.trim();
    if inner == "*" {
        return Some(Step::Every);
    }
    if let Some(name) = unquote(inner) {
        return Some(Step::Name(name.to_owned()));
    }
    if let Ok(index) = inner.parse() {
        return Some(Step::Index(index));
    }
    let filter = inner.strip_prefix("?(")?.strip_suffix(')')?.trim();
    let (field, text, equal) = match filter.split_once("==") {
        Some((field, text)) => (field, text, true),
        None => filter.split_once("!=").map(|(field, text)| (field, text, false))?,
    };
    let field = field.trim().strip_prefix("@.")?.split('.').map(str::to_owned).collect();
    let text = unquote(text.trim()).unwrap_or_else(|| text.trim());
    Some(Step::Where { field, text: text.to_owned(), equal })
}

fn unquote(text: &str) -> Option<&str> {
    ['\'', '"'].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))
}
