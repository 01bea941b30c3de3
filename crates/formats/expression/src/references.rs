//! What an expression refers to, without evaluating it: for validation and permission checks.

use crate::ast::{Kind, LinkKind, Node, TextPart, Word};
use crate::functions::BUILT_IN_NAMES;
use crate::span::Span;
use crate::template::Part;
use crate::{Condition, SecretRef, Template, Value};

/// Paths, calls and secrets that a text names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// Every path, in the order of the text. A key that is known only when evaluated is `None`.
    pub paths: Vec<PathReference>,
    /// Functors and functions: `configFile.getAsString`, `currentDate`.
    pub calls: Vec<PathReference>,
    pub secrets: Vec<SecretReference>,
}

/// A path in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathReference {
    pub keys: Vec<Option<String>>,
    pub span: Span,
}

/// A secret in a text; no name when the name is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretReference {
    pub name: Option<SecretRef>,
    pub span: Span,
}

impl Template {
    pub fn references(&self) -> References {
        let mut found = References::default();
        for part in self.parts.iter() {
            if let Part::Expression(_, Ok(node)) = part {
                found.visit(node);
            }
        }
        found
    }
}

impl Condition {
    pub fn references(&self) -> References {
        let mut found = References::default();
        if let Ok(node) = &self.program {
            found.visit(node);
        }
        found
    }
}

impl References {
    fn visit(&mut self, node: &Node) {
        match &node.kind {
            Kind::Literal(_) => {}
            Kind::Text(parts) => self.parts(parts),
            Kind::List(items) | Kind::Set(items) => items.iter().for_each(|item| self.visit(item)),
            Kind::Map(entries) => entries.iter().for_each(|(key, value)| {
                self.visit(key);
                self.visit(value);
            }),
            Kind::Nested(inner) => self.visit(inner),
            Kind::Name(word) => {
                self.parts(&word.parts);
                self.paths.push(PathReference { keys: vec![word.plain().map(str::to_owned)], span: node.span });
            }
            Kind::Call { name, arguments } => {
                self.calls.push(PathReference { keys: vec![Some(name.clone())], span: node.span });
                arguments.iter().for_each(|argument| self.visit(argument));
            }
            Kind::Chain { .. } => self.chain(node),
            Kind::Unary { operand, .. } => self.visit(operand),
            Kind::Binary { first, rest } => {
                self.visit(first);
                rest.iter().for_each(|(_, operand)| self.visit(operand));
            }
            Kind::Ternary { condition, yes, no } => [condition, yes, no].into_iter().for_each(|node| self.visit(node)),
            Kind::Elvis { value, otherwise } => [value, otherwise].into_iter().for_each(|node| self.visit(node)),
        }
    }

    fn parts(&mut self, parts: &[TextPart]) {
        for part in parts {
            if let TextPart::Expression(node) = part {
                self.visit(node);
            }
        }
    }

    fn chain(&mut self, node: &Node) {
        let Kind::Chain { base, links } = &node.kind else { return };
        links.iter().for_each(|link| self.link(&link.kind));
        let Kind::Name(root) = &base.kind else { return self.visit(base) };
        self.parts(&root.parts);
        let mut keys = vec![plain(root)];
        let mut span = base.span;
        for (i, link) in links.iter().enumerate() {
            match &link.kind {
                LinkKind::Member { name, .. } => keys.push(plain(name)),
                LinkKind::Index(index) => keys.push(constant(index)),
                LinkKind::Method { name, arguments, .. } => {
                    if i == 0 && !root.plain().is_some_and(|root| BUILT_IN_NAMES.contains(&root)) {
                        return self.functor(keys, name, arguments, link.span);
                    }
                    match arguments.as_slice() {
                        [key] if name == "get" => keys.push(constant(key)),
                        _ => break,
                    }
                }
            }
            span = link.span;
        }
        self.paths.push(PathReference { keys, span });
    }

    /// `root.name(…)`
    fn functor(&mut self, mut keys: Vec<Option<String>>, name: &str, arguments: &[Node], span: Span) {
        if matches!(keys.as_slice(), [Some(root)] if root == "secrets") {
            let name = match arguments {
                [argument] => constant(argument).and_then(|name| SecretRef::new(&name).ok()),
                _ => None,
            };
            return self.secrets.push(SecretReference { name, span });
        }
        keys.push(Some(name.to_owned()));
        self.calls.push(PathReference { keys, span });
    }

    fn link(&mut self, link: &LinkKind) {
        match link {
            LinkKind::Member { name, .. } => self.parts(&name.parts),
            LinkKind::Index(index) => self.visit(index),
            LinkKind::Method { arguments, .. } => arguments.iter().for_each(|argument| self.visit(argument)),
        }
    }
}

fn plain(word: &Word) -> Option<String> {
    word.plain().map(str::to_owned)
}

fn constant(node: &Node) -> Option<String> {
    match &node.kind {
        Kind::Literal(Value::String(text)) => Some(text.as_ref().to_owned()),
        Kind::Literal(Value::Int(index)) => Some(index.to_string()),
        _ => None,
    }
}
