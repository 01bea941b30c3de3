//! XPath: names, `*`, `//`, `.`, `..`, attributes, `text()`, positions, and comparisons with a text.

use super::xml::{Document, Kind};
use crate::error::{ErrorKind, Fault, Outcome, shorten};
use crate::limits::Meter;

const LONGEST: usize = 4096;

pub(super) struct XPath {
    steps: Vec<Step>,
}

struct Step {
    /// `//`: also below.
    deep: bool,
    choice: Choice,
    predicates: Vec<Predicate>,
}

enum Choice {
    Name(String),
    All,
    Itself,
    Parent,
    Attribute(String),
    Text,
}

enum Predicate {
    /// `[2]`, counted from 1.
    Position(usize),
    /// `[last()]`
    Last,
    /// `[@a]`, `[@a='v']`
    Attribute(String, Option<String>),
    /// `[b]`, `[b='v']`
    Child(String, Option<String>),
    /// `[text()='v']`, `[.='v']`
    Content(String),
}

impl XPath {
    pub(super) fn parse(text: &str) -> Outcome<Self> {
        if text.len() > LONGEST {
            return Err(ErrorKind::Limit { what: "the XPath", limit: LONGEST }.into());
        }
        let mut reader = Reader { text, rest: text.trim() };
        let mut steps = Vec::new();
        let mut deep = reader.eat("//");
        if !deep {
            reader.eat("/");
        }
        loop {
            steps.push(reader.step(deep)?);
            deep = reader.eat("//");
            if !deep && !reader.eat("/") {
                break;
            }
        }
        if reader.rest.is_empty() { Ok(Self { steps }) } else { Err(reader.refuse()) }
    }

    /// The text of the first node that it selects.
    pub(super) fn first(&self, document: &Document, meter: &mut Meter) -> Outcome<Option<String>> {
        let mut current = vec![0];
        for step in &self.steps {
            if let Choice::Attribute(name) = &step.choice {
                return Ok(current.into_iter().find_map(|at| {
                    let end = if step.deep { document.nodes[at].end } else { at + 1 };
                    (at..end).find_map(|node| attribute(document, node, name).map(str::to_owned))
                }));
            }
            let mut next = Vec::new();
            for at in current {
                let parents = if step.deep { at..document.nodes[at].end } else { at..at + 1 };
                for parent in parents {
                    meter.spend(1)?;
                    step.of(document, parent, &mut next, meter)?;
                }
            }
            next.sort_unstable();
            next.dedup();
            current = next;
        }
        Ok(current.first().map(|node| document.text(*node)))
    }
}

impl Step {
    fn of(&self, document: &Document, parent: usize, found: &mut Vec<usize>, meter: &mut Meter) -> Outcome<()> {
        let mut chosen: Vec<usize> = match &self.choice {
            Choice::Itself => vec![parent],
            Choice::Parent => vec![document.nodes[parent].parent],
            choice => document.children(parent).filter(|child| choice.accepts(&document.nodes[*child].kind)).collect(),
        };
        for predicate in &self.predicates {
            meter.spend(chosen.len() + 1)?;
            let last = chosen.len();
            let mut position = 0;
            chosen.retain(|node| {
                position += 1;
                predicate.holds(document, *node, position, last)
            });
        }
        found.extend(chosen);
        Ok(())
    }
}

impl Choice {
    fn accepts(&self, kind: &Kind) -> bool {
        match (self, kind) {
            (Self::Name(wanted), Kind::Element { name, .. }) => name == wanted,
            (Self::All, Kind::Element { .. }) | (Self::Text, Kind::Text(_)) => true,
            _ => false,
        }
    }
}

impl Predicate {
    fn holds(&self, document: &Document, node: usize, position: usize, last: usize) -> bool {
        match self {
            Self::Position(wanted) => position == *wanted,
            Self::Last => position == last,
            Self::Attribute(name, wanted) => attribute(document, node, name)
                .is_some_and(|value| wanted.as_deref().is_none_or(|wanted| value == wanted)),
            Self::Child(name, wanted) => document.children(node).any(|child| {
                Choice::Name(name.clone()).accepts(&document.nodes[child].kind)
                    && wanted.as_ref().is_none_or(|wanted| document.text(child) == *wanted)
            }),
            Self::Content(wanted) => document.text(node) == *wanted,
        }
    }
}

fn attribute<'d>(document: &'d Document, node: usize, wanted: &str) -> Option<&'d str> {
    match &document.nodes[node].kind {
        Kind::Element { attributes, .. } => {
            attributes.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
        }
        _ => None,
    }
}

struct Reader<'t> {
    text: &'t str,
    rest: &'t str,
}

impl Reader<'_> {
    fn eat(&mut self, sign: &str) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn refuse(&self) -> Fault {
        let at = self.text.len() - self.rest.len() + 1;
        let message = format!("XPath `{}` cannot be read from position {at} on", shorten(self.text));
        let fault = Fault::from(ErrorKind::Argument(message));
        fault.remedy("supported are names, *, //, ., .., @a, text(), [n], [last()], [@a='v'], [b='v']")
    }

    fn step(&mut self, deep: bool) -> Outcome<Step> {
        let choice = if self.eat("..") {
            Choice::Parent
        } else if self.eat(".") {
            Choice::Itself
        } else if self.eat("@") {
            Choice::Attribute(self.name()?)
        } else if self.eat("text()") {
            Choice::Text
        } else if self.eat("*") {
            Choice::All
        } else {
            Choice::Name(self.name()?)
        };
        let mut predicates = Vec::new();
        while self.eat("[") {
            predicates.push(self.predicate()?);
            if !self.eat("]") {
                return Err(self.refuse());
            }
        }
        // An attribute is the end of a path.
        if matches!(choice, Choice::Attribute(_)) && !(self.rest.is_empty() && predicates.is_empty()) {
            return Err(self.refuse());
        }
        Ok(Step { deep, choice, predicates })
    }

    fn predicate(&mut self) -> Outcome<Predicate> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let position = self.rest[..digits].parse().map_err(|_| self.refuse())?;
            self.rest = &self.rest[digits..];
            return Ok(Predicate::Position(position));
        }
        if self.eat("last()") {
            return Ok(Predicate::Last);
        }
        if self.eat("@") {
            return Ok(Predicate::Attribute(self.name()?, self.comparison()?));
        }
        if self.eat("text()") || self.eat(".") {
            return self.comparison()?.map(Predicate::Content).ok_or_else(|| self.refuse());
        }
        Ok(Predicate::Child(self.name()?, self.comparison()?))
    }

    /// `= 'text'`, if it is there.
    fn comparison(&mut self) -> Outcome<Option<String>> {
        self.rest = self.rest.trim_start();
        if !self.eat("=") {
            return Ok(None);
        }
        self.rest = self.rest.trim_start();
        let quote = self.rest.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or_else(|| self.refuse())?;
        let (text, rest) = self.rest[1..].split_once(quote).ok_or_else(|| self.refuse())?;
        self.rest = rest.trim_start();
        Ok(Some(text.to_owned()))
    }

    fn name(&mut self) -> Outcome<String> {
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        let end = self.rest.find(|c| !fits(c)).unwrap_or(self.rest.len());
        // `string(…)`, `count(…)` and axes are not supported.
        if end == 0 || self.rest[end..].starts_with('(') || self.rest[..end].contains("::") {
            return Err(self.refuse());
        }
        let name = self.rest[..end].to_owned();
        self.rest = &self.rest[end..];
        Ok(name)
    }
}
