//! Texts: string literals with expressions in them, and variables whose text holds expressions (pipelines §3.3).

use super::{Operand, Run, Standing, Stop};
use crate::ast::{TextPart, Word};
use crate::error::ErrorKind;
use crate::scan::OPEN;
use crate::span::{Cursor, Span};
use crate::{Template, Text, Value};
use indexmap::IndexMap;

impl Run<'_> {
    /// A string literal, every expression in it spliced as text.
    pub(super) fn text(&mut self, parts: &[TextPart], span: Span) -> Result<Value, Stop> {
        let mut text = Text::new();
        for part in parts {
            match part {
                TextPart::Literal(literal) => text.push_str(literal),
                TextPart::Expression(node) => {
                    let value = self.expression(node)?;
                    text.push(&value.to_text());
                }
            }
            self.meter.allow_bytes(text.size()).map_err(|fault| self.error(fault.at(span)))?;
        }
        Ok(text.into())
    }

    /// The keys that a word of a path stands for. A spliced value may hold dots, and nothing else of the language.
    pub(super) fn keys(&mut self, word: &Word, span: Span) -> Result<Vec<String>, Stop> {
        if let Some(name) = word.plain() {
            return Ok(vec![name.to_owned()]);
        }
        let text = self.text(&word.parts, span)?;
        match text.to_plain() {
            Some(name) => Ok(name.split('.').map(str::to_owned).collect()),
            None => Err(self.error(ErrorKind::SecretInspected("a path".into()).into())),
        }
    }

    /// The final value of an operand: texts of an author are evaluated now, texts from outside never.
    pub(crate) fn settle(&mut self, operand: Operand, span: Span) -> Result<Operand, Stop> {
        let Standing::Raw(path) = &operand.standing else { return Ok(operand) };
        let before = self.missing.len();
        let value = self.settled(&operand.value, path, span)?;
        // A variable that is nothing but a missing path is missing itself.
        let absent = value.is_null() && self.missing.len() > before;
        Ok(if absent { Operand::absent() } else { Operand::known(value) })
    }

    fn settled(&mut self, value: &Value, path: &str, span: Span) -> Result<Value, Stop> {
        self.meter.spend(1).map_err(|fault| self.error(fault.at(span)))?;
        match value {
            Value::String(text) if text.contains(OPEN) => self.again(text, path, span),
            Value::Secret(_) => self.guard_secret(value.clone(), span),
            Value::List(items) => {
                let items = items.iter().enumerate();
                let items = items.map(|(i, item)| self.settled(item, &format!("{path}[{i}]"), span));
                items.collect::<Result<Vec<_>, _>>().map(Value::list)
            }
            Value::Map(entries) => {
                let mut settled = IndexMap::with_capacity(entries.len());
                for (key, value) in entries.iter() {
                    settled.insert(key.clone(), self.settled(value, &crate::scope::spell_key(path, key), span)?);
                }
                Ok(Value::map(settled))
            }
            plain => Ok(plain.clone()),
        }
    }

    /// Evaluates the text of a variable.
    fn again(&mut self, text: &str, path: &str, span: Span) -> Result<Value, Stop> {
        if self.via.iter().any(|open| open == path) {
            let circle = self.via.iter().skip_while(|open| *open != path).cloned();
            let circle = circle.chain([path.to_owned()]).collect();
            return Err(self.error(ErrorKind::Cycle(circle).into()));
        }
        if self.via.len() >= self.meter.limits().depth {
            let limit = self.meter.limits().depth;
            return Err(self.error(crate::error::Fault::from(ErrorKind::Depth(limit)).at(span)));
        }
        self.meter.spend_bytes(text.len()).map_err(|fault| self.error(fault.at(span)))?;
        let template = Template::parse(text);
        let outer = std::mem::replace(&mut self.source, template.shared_source());
        let near = std::mem::replace(&mut self.near, Cursor::START);
        self.via.push(path.to_owned());
        let mark = self.enter_text(path, text);
        let result = self.template(&template);
        self.leave_text(mark, &result);
        self.via.pop();
        self.source = outer;
        self.near = near;
        result
    }

    /// Refuses a secret in a condition.
    pub(crate) fn guard_secret(&mut self, value: Value, span: Span) -> Result<Value, Stop> {
        match &value {
            Value::Secret(text) if self.in_condition => {
                let names: Vec<&str> = text.secrets().map(crate::SecretRef::as_str).collect();
                let kind = ErrorKind::SecretInCondition(names.join(", "));
                Err(self.error(crate::error::Fault::from(kind).at(span)))
            }
            _ => Ok(value),
        }
    }
}
