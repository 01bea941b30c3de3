//! Labels of a series, and matchers for them.

use crate::image::whole;
use fancy_regex::Regex;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The label that holds the name of a metric.
pub(crate) const NAME: &str = "__name__";

/// Labels in the order of their names. An empty value is the same as no label.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Labels(#[serde(serialize_with = "as_texts")] BTreeMap<Arc<str>, Arc<str>>);

fn as_texts<S: serde::Serializer>(labels: &BTreeMap<Arc<str>, Arc<str>>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(labels.iter().map(|(name, value)| (&**name, &**value)))
}

impl Labels {
    pub fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value)
    }

    pub fn set(&mut self, name: impl Into<Arc<str>>, value: impl Into<Arc<str>>) {
        let (name, value) = (name.into(), value.into());
        if value.is_empty() {
            self.0.remove(&name)
        } else {
            self.0.insert(name, value)
        };
    }

    #[must_use]
    pub fn with(mut self, name: impl Into<Arc<str>>, value: impl Into<Arc<str>>) -> Self {
        self.set(name, value);
        self
    }

    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.0.remove(name);
        self
    }

    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.0.retain(|name, _| keep(name));
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Labels {
    fn from(pairs: [(&str, &str); N]) -> Self {
        pairs.into_iter().fold(Self::default(), |labels, (name, value)| labels.with(name, value))
    }
}

/// `name{a="b"}`, as expositions and messages write it.
impl fmt::Display for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get(NAME))?;
        let others: Vec<_> = self.iter().filter(|(name, _)| *name != NAME).collect();
        for (i, (name, value)) in others.iter().enumerate() {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            write!(f, "{}{name}=\"{value}\"", if i == 0 { "{" } else { "," })?;
        }
        if others.is_empty() { Ok(()) } else { f.write_str("}") }
    }
}

/// One condition of a selector.
#[derive(Clone, Debug)]
pub struct Matcher {
    pub name: String,
    pub test: Test,
}

#[derive(Clone, Debug)]
pub enum Test {
    Is(String),
    IsNot(String),
    Fits(Box<Regex>),
    FitsNot(Box<Regex>),
}

/// Why an expression of a matcher is none.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a regular expression")]
pub(crate) struct MatcherError(String, #[source] Box<fancy_regex::Error>);

impl Matcher {
    pub(crate) fn is(name: &str, value: &str) -> Self {
        Self { name: name.to_owned(), test: Test::Is(value.to_owned()) }
    }

    pub(crate) fn expression(text: &str) -> Result<Box<Regex>, MatcherError> {
        whole(text).map(Box::new).map_err(|error| MatcherError(text.to_owned(), error))
    }

    pub fn fits(&self, labels: &Labels) -> bool {
        let value = labels.get(&self.name);
        match &self.test {
            Test::Is(text) => value == text,
            Test::IsNot(text) => value != text,
            Test::Fits(regex) => regex.is_match(value).unwrap_or(false),
            Test::FitsNot(regex) => !regex.is_match(value).unwrap_or(true),
        }
    }

    /// Whether a series without this label fits.
    pub(crate) fn fits_nothing(&self) -> bool {
        self.fits(&Labels::default())
    }
}
