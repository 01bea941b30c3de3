//! One node of the tree.

use super::{Operand, Run, Stop};
use crate::ast::{Kind, LinkKind, Node, Operator, Unary};
use crate::error::{ErrorKind, Fault};
use crate::limits::STACK;
use crate::operators::{self, Equality};
use crate::span::Span;
use crate::status::STATUS_KEYS;
use crate::{Value, functions};
use indexmap::IndexMap;

impl Run<'_> {
    /// The final value of a node.
    pub(crate) fn value(&mut self, node: &Node) -> Result<Value, Stop> {
        self.settled_operand(node).map(|operand| operand.value)
    }

    fn settled_operand(&mut self, node: &Node) -> Result<Operand, Stop> {
        let operand = self.operand(node)?;
        self.settle(operand, node.span)
    }

    /// The final value of a node for whose absence its author has provided: nothing is noted as missing when it is null.
    fn provided(&mut self, node: &Node) -> Result<Operand, Stop> {
        let noted = self.missing.len();
        let operand = self.settled_operand(node)?;
        if operand.value.is_null() {
            self.missing.truncate(noted);
        }
        Ok(operand)
    }

    /// A value that may still hold texts to evaluate, so that one member of a map does not need all the others.
    pub(super) fn operand(&mut self, node: &Node) -> Result<Operand, Stop> {
        self.spend(1, node.span)?;
        if self.depth >= STACK {
            return Err(self.error(Fault::from(ErrorKind::Depth(STACK)).at(node.span)));
        }
        self.depth += 1;
        let mark = self.enter_node(node);
        let result = self.evaluate(node);
        self.leave_node(mark, &result);
        self.depth -= 1;
        result
    }

    /// Only chooses: its frame stays on the stack for every level.
    fn evaluate(&mut self, node: &Node) -> Result<Operand, Stop> {
        let span = node.span;
        match &node.kind {
            Kind::Literal(value) => Ok(Operand::known(value.clone())),
            Kind::Text(parts) => self.text(parts, span).map(Operand::known),
            Kind::List(items) => self.list(items, span),
            Kind::Set(items) => self.set(items, span),
            Kind::Map(entries) => self.map(entries, span),
            Kind::Nested(inner) => self.nested(inner, span),
            Kind::Name(_) => self.chain(node, &[], span),
            Kind::Chain { base, links } => self.chain(base, links, span),
            Kind::Call { name, arguments } => self.function(name, arguments, span),
            Kind::Unary { operator, operand } => self.unary(*operator, operand, span),
            Kind::Binary { first, rest } => self.binary(first, rest),
            Kind::Ternary { condition, yes, no } => {
                if self.bool(condition)? {
                    self.operand(yes)
                } else {
                    self.operand(no)
                }
            }
            Kind::Elvis { value, otherwise } => match self.provided(value)? {
                Operand { value: Value::Null | Value::Bool(false), .. } => self.operand(otherwise),
                operand => Ok(operand),
            },
        }
    }

    fn nested(&mut self, inner: &Node, span: Span) -> Result<Operand, Stop> {
        let Operand { value, standing } = self.settled_operand(inner)?;
        Ok(Operand { value: self.admit(value, span)?, standing })
    }

    fn unary(&mut self, operator: Unary, operand: &Node, span: Span) -> Result<Operand, Stop> {
        let value = self.value(operand)?;
        let result = match operator {
            Unary::Not => operators::to_bool(&value).map(|value| Value::Bool(!value)),
            Unary::Minus => operators::negate(&value),
            Unary::Plus => operators::number(&value).map(Value::from),
            Unary::Complement => operators::complement(&value),
        };
        result.map(Operand::known).map_err(|fault| self.error(fault.at(span)))
    }

    fn list(&mut self, nodes: &[Node], span: Span) -> Result<Operand, Stop> {
        let items = self.values(nodes)?;
        self.admit(Value::list(items), span).map(Operand::known)
    }

    pub(super) fn values(&mut self, nodes: &[Node]) -> Result<Vec<Value>, Stop> {
        nodes.iter().map(|node| self.value(node)).collect()
    }

    fn set(&mut self, nodes: &[Node], span: Span) -> Result<Operand, Stop> {
        let mut items: Vec<Value> = Vec::new();
        for value in self.values(nodes)? {
            self.spend(items.len(), span)?;
            if !items.contains(&value) {
                items.push(value);
            }
        }
        self.admit(Value::list(items), span).map(Operand::known)
    }

    fn map(&mut self, nodes: &[(Node, Node)], span: Span) -> Result<Operand, Stop> {
        let mut entries = IndexMap::with_capacity(nodes.len());
        for (key, value) in nodes {
            let Some(name) = self.value(key)?.to_plain() else {
                return Err(self.error(Fault::from(ErrorKind::SecretInspected("a map".into())).at(key.span)));
            };
            entries.insert(name, self.value(value)?);
        }
        self.admit(Value::map(entries), span).map(Operand::known)
    }

    /// Operators of one precedence, from the left.
    fn binary(&mut self, first: &Node, rest: &[(Operator, Node)]) -> Result<Operand, Stop> {
        let provides = |at: usize| {
            rest.get(at).is_some_and(|(operator, node)| match operator {
                Operator::Coalesce => true,
                _ => is_equality(*operator) && is_null(node),
            })
        };
        let mut left = if provides(0) { self.provided(first)? } else { self.settled_operand(first)? };
        let mut status = is_status(first);
        for (at, (operator, node)) in rest.iter().enumerate() {
            let span = first.span.to(node.span);
            left = match operator {
                Operator::Or | Operator::And => {
                    let decided = self.to_bool(&left.value, first.span)?;
                    let done = decided == (*operator == Operator::Or);
                    let value = if done { decided } else { self.bool(node)? };
                    Operand::known(Value::Bool(value))
                }
                Operator::Coalesce if !left.value.is_null() => left,
                Operator::Coalesce if provides(at + 1) => self.provided(node)?,
                Operator::Coalesce => self.settled_operand(node)?,
                _ => {
                    let null_first = at == 0 && is_equality(*operator) && is_null(first);
                    let right = if null_first { self.provided(node)? } else { self.settled_operand(node)? };
                    let equality = Equality { status: status || is_status(node) };
                    self.apply(*operator, &left.value, &right.value, equality, span)?
                }
            };
            status = false;
        }
        Ok(left)
    }

    fn apply(
        &mut self,
        operator: Operator,
        left: &Value,
        right: &Value,
        equality: Equality,
        span: Span,
    ) -> Result<Operand, Stop> {
        self.lint(operator, left, right, span);
        let value = operators::apply(operator, left, right, equality, &mut self.meter);
        let value = value.map_err(|fault| self.error(fault.at(span)))?;
        self.admit(value, span).map(Operand::known)
    }

    /// Comparing text with a boolean compares their texts here, and does something else elsewhere (pipelines §3.4).
    fn lint(&mut self, operator: Operator, left: &Value, right: &Value, span: Span) {
        let mixed = matches!((left, right), (Value::Bool(_), Value::String(_)) | (Value::String(_), Value::Bool(_)));
        if mixed && is_equality(operator) {
            self.warn("EXPR0019", span, "a string is compared with a boolean: their texts are compared");
        }
    }

    fn function(&mut self, name: &str, arguments: &[Node], span: Span) -> Result<Operand, Stop> {
        if name == "empty" && arguments.len() == 1 {
            let operand = self.provided(&arguments[0])?;
            return operators::is_empty(&operand.value)
                .map(|empty| Operand::known(Value::Bool(empty)))
                .map_err(|fault| self.error(fault.at(span)));
        }
        if self.in_advance && functions::CLOCK.contains(&name) {
            return Ok(self.not_yet(span, name.to_owned()));
        }
        let arguments = self.values(arguments)?;
        if let Some(answer) = self.scope.call(&[name], &arguments) {
            return self.found(answer, span, name.to_owned());
        }
        let value = functions::call(name, &arguments, self.now, &mut self.meter);
        let value = value.map_err(|fault| self.error(fault.at(span)))?;
        Ok(Operand::known(self.admit(value, span)?))
    }

    fn bool(&mut self, node: &Node) -> Result<bool, Stop> {
        let value = self.value(node)?;
        self.to_bool(&value, node.span)
    }

    fn to_bool(&self, value: &Value, span: Span) -> Result<bool, Stop> {
        operators::to_bool(value).map_err(|fault| self.error(fault.at(span)))
    }

    pub(super) fn spend(&mut self, steps: usize, span: Span) -> Result<(), Stop> {
        self.meter.spend(steps).map_err(|fault| self.error(fault.at(span)))
    }
}

fn is_equality(operator: Operator) -> bool {
    matches!(operator, Operator::Equal | Operator::NotEqual | Operator::Identical | Operator::NotIdentical)
}

fn is_null(node: &Node) -> bool {
    matches!(node.kind, Kind::Literal(Value::Null))
}

/// Whether a node reads the state of a stage or step.
fn is_status(node: &Node) -> bool {
    match &node.kind {
        Kind::Nested(inner) => is_status(inner),
        Kind::Text(parts) => match parts.as_slice() {
            [crate::ast::TextPart::Expression(inner)] => is_status(inner),
            _ => false,
        },
        Kind::Chain { links, .. } => match links.last().map(|link| &link.kind) {
            Some(LinkKind::Member { name, .. }) => name.plain().is_some_and(|name| STATUS_KEYS.contains(&name)),
            _ => false,
        },
        _ => false,
    }
}
