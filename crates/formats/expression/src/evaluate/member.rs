//! What follows a value: members, elements, properties, methods (pipelines §3.5).

use super::{Operand, Run, Stop};
use crate::ast::{Link, LinkKind};
use crate::error::{ErrorKind, Fault};
use crate::scope::spell_key;
use crate::span::Span;
use crate::{Value, methods, moment};
use windlass_diagnostic::nearest;

/// Names that are looked at for "did you mean".
const MOST_NAMES: usize = 200;

impl Run<'_> {
    pub(super) fn follow(&mut self, mut operand: Operand, base: Span, links: &[Link]) -> Result<Operand, Stop> {
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
    pub(super) fn member(&mut self, operand: Operand, key: &str, whole: Span, span: Span) -> Result<Operand, Stop> {
        let operand = match &operand.value {
            Value::String(_) => self.settle(operand, whole)?,
            _ => operand,
        };
        let part = match &operand.value {
            Value::Null => return Ok(self.null(&operand, whole)),
            Value::Map(entries) => match entries.get(key) {
                Some(value) => Some(value.clone()),
                None => {
                    let near = nearest(key, entries.keys().take(MOST_NAMES).map(String::as_str));
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

    pub(super) fn method(
        &mut self,
        operand: Operand,
        name: &str,
        arguments: &[Value],
        whole: Span,
        span: Span,
    ) -> Result<Operand, Stop> {
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

    /// `tags.managed-by` reads as a subtraction.
    pub(super) fn remedy_for_hyphen(&self, span: Span) -> Option<String> {
        let rest = self.source.get(span.end..)?.strip_prefix('-')?;
        rest.starts_with(crate::lexer::is_name_char)
            .then(|| "a name with a hyphen needs brackets and quotes, as in tags[\"managed-by\"]".to_owned())
    }
}
