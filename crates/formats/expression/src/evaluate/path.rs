//! Paths and what follows them (pipelines §3.5).

use super::{Operand, Run, Standing};
use crate::ast::{Kind, Link, LinkKind, Node};
use crate::error::{Error, ErrorKind, Fault, Pending};
use crate::scope::{Lookup, Trust, spell, spell_key};
use crate::span::Span;
use crate::{Moment, SecretRef, Value, functions, functors, methods, moment};
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
}

impl Run<'_> {
    /// A value with its members, indexes and methods.
    pub(super) fn chain(&mut self, base: &Node, links: &[Link], span: Span) -> Result<Operand, Error> {
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

    fn walk(&mut self, base: &Node, links: &[Link], span: Span) -> Result<Operand, Error> {
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
            && functors::NAMES.contains(&root.as_str())
        {
            let operand = self.functor(root, name, arguments, *span)?;
            return self.follow(operand, *span, &links[1..]);
        }
        let Some(path) = self.path(root, base.span, links)? else { return Ok(Operand::absent()) };
        let rest = &links[path.links..];
        let mut arguments = None;
        if let Some(Link { kind: LinkKind::Method { name, arguments: nodes, .. }, span }) = rest.first() {
            let values = self.values(nodes)?;
            let mut call = path.keys();
            call.push(name);
            if let Some(answer) = self.scope.call(&call, &values) {
                let operand = self.found(answer, *span, spell(&call))?;
                return self.follow(operand, *span, &rest[1..]);
            }
            arguments = Some(values);
        }
        let end = path.spans.last().copied().unwrap_or(base.span);
        let mut operand = self.resolve(&path)?;
        match (rest.first(), arguments) {
            (Some(Link { kind: LinkKind::Method { name, .. }, span }), Some(arguments)) => {
                operand = self.method(operand, name, &arguments, end, *span)?;
                self.follow(operand, *span, &rest[1..])
            }
            _ => self.follow(operand, end, rest),
        }
    }

    /// Collects keys until a method other than `get`. Nothing when a key has no value.
    fn path(&mut self, root: Vec<String>, start: Span, links: &[Link]) -> Result<Option<Path>, Error> {
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
    fn key(&mut self, node: &Node) -> Result<Option<String>, Error> {
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
    fn resolve(&mut self, path: &Path) -> Result<Operand, Error> {
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

    fn members(&mut self, mut operand: Operand, path: &Path, known: usize) -> Result<Operand, Error> {
        for at in known..path.keys.len() {
            operand = self.member(operand, &path.keys[at], path.spans[at - 1], path.spans[at])?;
        }
        Ok(operand)
    }

    /// What a scope answered, as an operand.
    pub(super) fn found(&mut self, answer: Lookup, span: Span, path: String) -> Result<Operand, Error> {
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

    fn follow(&mut self, mut operand: Operand, base: Span, links: &[Link]) -> Result<Operand, Error> {
        let mut reached = base;
        for link in links {
            self.spend(1, link.span)?;
            let safe = matches!(link.kind, LinkKind::Member { safe: true, .. } | LinkKind::Method { safe: true, .. });
            if operand.is_absent() {
                return Ok(operand);
            }
            if safe && operand.value.is_null() {
                return Ok(Operand::known(Value::Null));
            }
            operand = match &link.kind {
                LinkKind::Member { name, .. } => {
                    for key in self.keys(name, link.span)? {
                        operand = self.member(operand, &key, reached, link.span)?;
                    }
                    operand
                }
                LinkKind::Index(node) => match self.key(node)? {
                    Some(key) => self.member(operand, &key, reached, link.span)?,
                    None => Operand::absent(),
                },
                LinkKind::Method { name, arguments, .. } => {
                    let arguments = self.values(arguments)?;
                    self.method(operand, name, &arguments, reached, link.span)?
                }
            };
            reached = link.span;
        }
        Ok(operand)
    }

    /// A member of a map, an element of a list, a property of a date. `whole` is the operand's own text.
    fn member(&mut self, operand: Operand, key: &str, whole: Span, span: Span) -> Result<Operand, Error> {
        let operand = match &operand.value {
            Value::String(_) => self.settle(operand, whole)?,
            _ => operand,
        };
        let part = match &operand.value {
            Value::Null => return Ok(self.null(&operand, whole)),
            Value::Map(entries) => match entries.get(key) {
                Some(value) => Some(value.clone()),
                None => {
                    let near = nearest(key, entries.keys().map(String::as_str));
                    let owner = whole.of(&self.source).to_owned();
                    let remedy = near.map(|near| format!("did you mean `{}`?", spell_key(&owner, near)));
                    let remedy = self.remedy_for_hyphen(span).or(remedy);
                    self.note_missing(span.of(&self.source).to_owned(), span, remedy);
                    return Ok(Operand::absent());
                }
            },
            Value::List(items) => key.parse::<usize>().ok().and_then(|at| items.get(at)).cloned(),
            Value::Moment(moment) => match moment.property(key) {
                Some(value) => return Ok(Operand::known(value)),
                None => {
                    let fault = Fault::unknown("date property", key, moment::PROPERTIES.iter().copied());
                    return Err(self.error(fault.at(span)));
                }
            },
            _ if key == "class" => return Err(self.error(Fault::from(ErrorKind::Forbidden("class".into())).at(span))),
            _ => None,
        };
        match part {
            Some(value) => Ok(operand.part(value, key)),
            None => {
                let remedy = format!("it is {}", operand.value.kind());
                self.note_missing(span.of(&self.source).to_owned(), span, Some(remedy));
                Ok(Operand::absent())
            }
        }
    }

    fn method(
        &mut self,
        operand: Operand,
        name: &str,
        arguments: &[Value],
        whole: Span,
        span: Span,
    ) -> Result<Operand, Error> {
        if operand.is_absent() {
            return Ok(operand);
        }
        // Looking at the shape of a map or list needs none of the texts in it.
        let structure = matches!(operand.value, Value::Map(_) | Value::List(_));
        let operand = if structure && methods::SHAPE.contains(&name) { operand } else { self.settle(operand, whole)? };
        if let ("get", [key @ (Value::String(_) | Value::Int(_))], true) = (name, arguments, structure) {
            let key = key.to_plain().unwrap_or_default();
            return self.member(operand, &key, whole, span);
        }
        if operand.value.is_null() {
            return Ok(self.null(&operand, whole));
        }
        let value = methods::call(&operand.value, name, arguments, &mut self.meter);
        let value = value.map_err(|fault| self.error(fault.at(span)))?;
        Ok(Operand::known(self.admit(value, span)?))
    }

    /// Nothing can be asked of null: that is noted once.
    fn null(&mut self, operand: &Operand, whole: Span) -> Operand {
        if !operand.is_absent() {
            self.note_missing(whole.of(&self.source).to_owned(), whole, Some("it is null".into()));
        }
        Operand::absent()
    }

    fn functor(&mut self, root: &str, name: &str, arguments: &[Node], span: Span) -> Result<Operand, Error> {
        let values = self.values(arguments)?;
        if root == "secrets" {
            let secret = functors::secret(name, &values).map_err(|fault| self.error(fault.at(span)))?;
            return self.secret(secret, span);
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

    fn secret(&mut self, secret: SecretRef, span: Span) -> Result<Operand, Error> {
        self.guard_secret(Value::secret(secret), span).map(Operand::known)
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

    /// `tags.managed-by` reads as a subtraction.
    fn remedy_for_hyphen(&self, span: Span) -> Option<String> {
        let rest = self.source.get(span.end..)?.strip_prefix('-')?;
        rest.starts_with(crate::lexer::is_name_char)
            .then(|| "a name with a hyphen needs brackets and quotes, as in tags[\"managed-by\"]".to_owned())
    }
}
