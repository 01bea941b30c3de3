//! Which objects a patch or a replacement means (rendering §1.7).

use crate::error::{Problem, Result};
use crate::kustomization::Selector;
use crate::object::Object;
use crate::set::Set;
use regex::{Regex, RegexBuilder};

/// Bytes that a compiled expression may take.
const LARGEST_REGEX: usize = 1 << 20;

pub(crate) fn regex(pattern: &str) -> std::result::Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).size_limit(LARGEST_REGEX).build()
}

fn compile(pattern: &str) -> Result<Option<Regex>> {
    if pattern.is_empty() {
        return Ok(None);
    }
    let compiled = regex(&format!("^(?:{pattern})$")).map_err(|_| {
        Problem::Kustomization.says(format!("error parsing regexp: {pattern:?} is no regular expression"))
    })?;
    Ok(Some(compiled))
}

fn passes(regex: Option<&Regex>, text: &str) -> bool {
    regex.is_none_or(|regex| regex.is_match(text))
}

/// A selector that is ready to be asked.
#[derive(Debug)]
pub(crate) struct ObjectSelector {
    group: Option<Regex>,
    version: Option<Regex>,
    kind: Option<Regex>,
    name: Option<Regex>,
    namespace: Option<Regex>,
    labels: Requirements,
    annotations: Requirements,
}

impl ObjectSelector {
    pub(crate) fn new(selector: &Selector) -> Result<Self> {
        let id = &selector.id;
        Ok(Self {
            group: compile(&id.gvk.group)?,
            version: compile(&id.gvk.version)?,
            kind: compile(&id.gvk.kind)?,
            name: compile(&id.name)?,
            namespace: compile(&id.namespace)?,
            labels: Requirements::parse(&selector.labels)?,
            annotations: Requirements::parse(&selector.annotations)?,
        })
    }

    fn kind_passes(&self, id: &crate::id::Id<'_>) -> bool {
        passes(self.group.as_ref(), id.group)
            && passes(self.version.as_ref(), id.version)
            && passes(self.kind.as_ref(), id.kind)
    }

    /// Whether it takes one id by its own parts (replacements of 5.8).
    pub(crate) fn takes_id(&self, id: &crate::id::Id<'_>) -> bool {
        self.kind_passes(id) && passes(self.name.as_ref(), id.name) && passes(self.namespace.as_ref(), id.namespace)
    }

    /// Whether labels and annotations are as they must be.
    pub(crate) fn takes_metadata(&self, object: &Object) -> bool {
        self.labels.matches(object, "labels") && self.annotations.matches(object, "annotations")
    }

    /// The places of the objects that it takes, by their original or present names.
    pub(crate) fn select(&self, set: &Set) -> Result<Vec<usize>> {
        let taken = |object: &Object| {
            let (now, first) = (object.id(), object.original_id());
            let either = |regex: Option<&Regex>, first: &str, now: &str| passes(regex, first) || passes(regex, now);
            either(self.namespace.as_ref(), first.effective_namespace(), now.effective_namespace())
                && either(self.name.as_ref(), first.name, now.name)
                && self.kind_passes(&now)
                && self.takes_metadata(object)
        };
        let taken = set.objects().iter().enumerate().filter(|(_, object)| taken(object));
        Ok(taken.map(|(place, _)| place).collect())
    }
}

/// A selector of Kubernetes: `a=b,c!=d,e in (x,y),!f`.
#[derive(Debug, Default)]
pub(crate) struct Requirements(Vec<Requirement>);

#[derive(Debug)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Debug)]
enum Test {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    Absent,
    Above(i64),
    Below(i64),
}

impl Requirements {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut rest = text.trim();
        let mut all = Vec::new();
        while !rest.is_empty() {
            let (requirement, behind) = Requirement::parse(rest).ok_or_else(|| {
                Problem::Kustomization
                    .says(format!("unable to parse requirement: {text:?} is no selector"))
                    .remedy("write a selector as kubectl takes it: app=web,tier in (a,b),!old")
            })?;
            all.push(requirement);
            rest = behind.trim_start();
            if let Some(behind) = rest.strip_prefix(',') {
                rest = behind.trim_start();
            } else if !rest.is_empty() {
                return Err(
                    Problem::Kustomization.says(format!("unable to parse requirement: found {rest:?} in {text:?}"))
                );
            }
        }
        Ok(Self(all))
    }

    fn matches(&self, object: &Object, field: &str) -> bool {
        self.0.iter().all(|requirement| {
            let value = object.tree.meta_map(field).find(|(key, _)| *key == requirement.key).map(|(_, value)| value);
            match &requirement.test {
                Test::In(values) => value.is_some_and(|value| values.iter().any(|v| v == value)),
                Test::NotIn(values) => value.is_none_or(|value| values.iter().all(|v| v != value)),
                Test::Exists => value.is_some(),
                Test::Absent => value.is_none(),
                Test::Above(limit) => value.and_then(|value| value.parse().ok()).is_some_and(|n: i64| n > *limit),
                Test::Below(limit) => value.and_then(|value| value.parse().ok()).is_some_and(|n: i64| n < *limit),
            }
        })
    }
}

impl Requirement {
    fn parse(text: &str) -> Option<(Self, &str)> {
        if let Some(rest) = text.strip_prefix('!') {
            let (key, rest) = word(rest.trim_start())?;
            return Some((Self { key, test: Test::Absent }, rest));
        }
        let (key, rest) = word(text)?;
        let rest = rest.trim_start();
        let (test, rest) = match rest {
            "" => (Test::Exists, rest),
            _ if rest.starts_with(',') => (Test::Exists, rest),
            _ if rest.starts_with("!=") => {
                let (value, rest) = value(&rest[2..])?;
                (Test::NotIn(vec![value]), rest)
            }
            _ if rest.starts_with('=') => {
                let (value, rest) = value(rest.trim_start_matches('='))?;
                (Test::In(vec![value]), rest)
            }
            _ if rest.starts_with(['<', '>']) => {
                let (value, behind) = value(&rest[1..])?;
                let limit = value.parse().ok()?;
                (if rest.starts_with('>') { Test::Above(limit) } else { Test::Below(limit) }, behind)
            }
            _ => {
                let (operator, rest) = word(rest)?;
                let (inside, rest) = rest.trim_start().strip_prefix('(')?.split_once(')')?;
                let values = inside.split(',').map(|value| value.trim().to_owned()).collect();
                match operator.as_str() {
                    "in" => (Test::In(values), rest),
                    "notin" => (Test::NotIn(values), rest),
                    _ => return None,
                }
            }
        };
        Some((Self { key, test }, rest))
    }
}

fn is_word(c: char) -> bool {
    !c.is_whitespace() && !"=!(),<>".contains(c)
}

fn word(text: &str) -> Option<(String, &str)> {
    let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
    (end > 0).then(|| (text[..end].to_owned(), &text[end..]))
}

/// A value, which may be empty.
fn value(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
    Some((text[..end].to_owned(), &text[end..]))
}
