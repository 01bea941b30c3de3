//! Paths and what follows them (pipelines §3.5).

use super::{Operand, Run, Standing, Stop};
use crate::ast::{Kind, Link, LinkKind, Node};
use crate::error::{ErrorKind, Fault, Pending};
use crate::scope::{Lookup, Trust, spell, spell_key};
use crate::span::Span;
use crate::{Moment, Value, functions, functors, moment};
use windlass_diagnostic::nearest;

/// Keys of one path.
const LONGEST_PATH: usize = 64;

/// The first keys of a chain, and how many of its links they take.
struct Path {
    keys: Vec<String>,
    /// From the start of the chain to the end of each key.
    spans: Vec<Span>,
    links: usize,
}

impl Path {
    fn keys(&self) -> Vec<&str> {
        self.keys.iter().map(String::as_str).collect()
    }

    /// From the start of the chain to the end of the path.
    fn end(&self) -> Span {
        self.spans.last().copied().unwrap_or_default()
    }
}

impl Run<'_> {
    /// A value with its members, indexes and methods.
    pub(super) fn chain(&mut self, base: &Node, links: &[Link], span: Span) -> Result<Operand, Stop> {
        let safe = |link: &Link| match link.kind {
            LinkKind::Member { safe, .. } | LinkKind::Method { safe, .. } => safe,
            LinkKind::Index(_) => false,
        };
        let noted = self.missing.len();
        let operand = self.walk(base, links, span)?;
        if operand.is_absent() && links.iter().any(safe) {
            // `?.` says that absence is fine.
            self.missing.truncate(noted);
            return Ok(Operand::known(Value::Null));
        }
        Ok(operand)
    }

    fn walk(&mut self, base: &Node, links: &[Link], span: Span) -> Result<Operand, Stop> {
        let Kind::Name(word) = &base.kind else {
            let operand = self.operand(base)?;
            return self.follow(operand, base.span, links);
        };
        let root = self.keys(word, base.span)?;
        if root.len() == 1 && root[0] == "input" {
            let fault = Fault::from(ErrorKind::RuntimeInput).at(span);
            return Err(self.error(fault.remedy("give the input a value before the run starts")));
        }
        if let ([root], Some(Link { kind: LinkKind::Method { name, arguments, .. }, span })) =
            (root.as_slice(), links.first())
            // Written out: no spliced value chooses a functor.
            && word.plain().is_some_and(|root| functors::NAMES.contains(&root))
        {
            let operand = self.functor(root, name, arguments, *span)?;
            return self.follow(operand, *span, &links[1..]);
        }
        let Some(path) = self.path(root, base.span, links)? else { return Ok(Operand::absent()) };
        let rest = &links[path.links..];
        match rest.first() {
            Some(Link { kind: LinkKind::Method { name, arguments, .. }, span }) => {
                let arguments = self.values(arguments)?;
                let operand = self.call(&path, name, &arguments, *span)?;
                self.follow(operand, *span, &rest[1..])
            }
            _ => {
                let operand = self.resolve(&path)?;
                self.follow(operand, path.end(), rest)
            }
        }
    }

    /// `path.name(…)`: a functor of the scope, or a method of what is at the path.
    fn call(&mut self, path: &Path, name: &str, arguments: &[Value], span: Span) -> Result<Operand, Stop> {
        let mut call = path.keys();
        call.push(name);
        if let Some(answer) = self.scope.call(&call, arguments) {
            let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
            return self.found(answer, span, format!("{}({})", spell(&call), arguments.join(", ")));
        }
        let operand = self.resolve(path)?;
        self.method(operand, name, arguments, path.end(), span)
    }

    /// Collects keys until a method other than `get`. Nothing when a key has no value.
    fn path(&mut self, root: Vec<String>, start: Span, links: &[Link]) -> Result<Option<Path>, Stop> {
        let mut path = Path { spans: vec![start; root.len()], keys: root, links: 0 };
        for link in links {
            let keys = match &link.kind {
                LinkKind::Member { name, .. } => self.keys(name, link.span)?,
                LinkKind::Index(node) => match self.key(node)? {
                    Some(key) => vec![key],
                    None => return Ok(None),
                },
                LinkKind::Method { name, arguments, .. } if name == "get" && arguments.len() == 1 => {
                    match self.key(&arguments[0])? {
                        Some(key) => vec![key],
                        None => return Ok(None),
                    }
                }
                LinkKind::Method { .. } => break,
            };
            path.spans.extend(std::iter::repeat_n(link.span, keys.len()));
            path.keys.extend(keys);
            path.links += 1;
            if path.keys.len() > LONGEST_PATH {
                let kind = ErrorKind::Limit { what: "the number of names in a path", limit: LONGEST_PATH };
                return Err(self.error(Fault::from(kind).at(link.span)));
            }
        }
        Ok(Some(path))
    }

    /// A key in brackets; nothing, and noted, when it is null.
    pub(super) fn key(&mut self, node: &Node) -> Result<Option<String>, Stop> {
        match self.value(node)? {
            Value::Null => {
                self.note_missing(node.span.of(&self.source).to_owned(), node.span, None);
                Ok(None)
            }
            Value::Secret(_) => Err(self.error(Fault::from(ErrorKind::SecretInspected("a path".into())).at(node.span))),
            value @ (Value::String(_) | Value::Int(_)) => Ok(value.to_plain()),
            other => {
                let message = format!("{} cannot be a key: expected a string or a whole number", other.kind());
                Err(self.error(Fault::from(ErrorKind::Type(message)).at(node.span)))
            }
        }
    }

    /// The longest part of a path that exists, then its members.
    fn resolve(&mut self, path: &Path) -> Result<Operand, Stop> {
        let keys = path.keys();
        for known in (1..=keys.len()).rev() {
            let span = path.spans[known - 1];
            self.spend(1, span)?;
            let answer = self.scope.lookup(&keys[..known]);
            if answer == Lookup::Missing {
                continue;
            }
            let operand = self.found(answer, span, spell(&keys[..known]))?;
            return self.members(operand, path, known);
        }
        if functions::BUILT_IN_NAMES.contains(&keys[0]) {
            if self.in_advance {
                return Ok(self.not_yet(path.spans[0], keys[0].to_owned()));
            }
            let form = if keys[0] == "currentDate" { moment::Form::Date } else { moment::Form::Instant };
            let now = Operand::known(Value::Moment(Moment::new(self.now, form)));
            return self.members(now, path, 1);
        }
        let remedy = self.remedy_for_path(&keys, path.spans.last().copied());
        self.note_missing(spell(&keys), path.spans[0].to(path.spans[keys.len() - 1]), remedy);
        Ok(Operand::absent())
    }

    fn members(&mut self, mut operand: Operand, path: &Path, known: usize) -> Result<Operand, Stop> {
        for at in known..path.keys.len() {
            operand = self.member(operand, &path.keys[at], path.spans[at - 1], path.spans[at])?;
        }
        Ok(operand)
    }

    /// What a scope answered, as an operand.
    pub(super) fn found(&mut self, answer: Lookup, span: Span, path: String) -> Result<Operand, Stop> {
        match answer {
            Lookup::Found { value, trust } => {
                let value = self.guard_secret(value, span)?;
                let standing = match trust {
                    Trust::Author => Standing::Raw(path),
                    Trust::Outside => Standing::Known,
                };
                Ok(Operand { value, standing })
            }
            Lookup::Missing => {
                self.note_missing(span.of(&self.source).to_owned(), span, None);
                Ok(Operand::absent())
            }
            Lookup::NotYet { reference } => Ok(self.not_yet(span, reference)),
        }
    }

    pub(super) fn not_yet(&mut self, span: Span, reference: String) -> Operand {
        self.pending.push(Pending { expression: span.of(&self.source).to_owned(), reference });
        Operand::absent()
    }

    fn functor(&mut self, root: &str, name: &str, arguments: &[Node], span: Span) -> Result<Operand, Stop> {
        let values = self.values(arguments)?;
        if root == "secrets" {
            let secret = functors::secret(name, &values).map_err(|fault| self.error(fault.at(span)))?;
            return self.guard_secret(Value::secret(secret), span).map(Operand::known);
        }
        let value = functors::call(root, name, &values, &mut self.meter);
        match value.map_err(|fault| self.error(fault.at(span)))? {
            Some(value) => Ok(Operand::known(self.admit(value, span)?)),
            None => {
                self.note_missing(span.of(&self.source).to_owned(), span, Some("nothing was selected".into()));
                Ok(Operand::absent())
            }
        }
    }

    /// "Did you mean" among the names beside the first one that does not exist.
    fn remedy_for_path(&self, keys: &[&str], span: Option<Span>) -> Option<String> {
        if let Some(remedy) = span.and_then(|span| self.remedy_for_hyphen(span)) {
            return Some(remedy);
        }
        for known in (0..keys.len()).rev() {
            let names = self.scope.names(&keys[..known]);
            if names.is_empty() {
                continue;
            }
            let near = nearest(keys[known], names.iter().map(String::as_str))?;
            return Some(format!("did you mean `{}`?", spell_key(&spell(&keys[..known]), near)));
        }
        None
    }
}
