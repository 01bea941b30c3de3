//! What a template says.

use crate::function::Function;
use crate::source::{Offset, Source};
use std::sync::Arc;

/// A name in a template.
pub(crate) type Name = Arc<str>;

/// A file, or one `define` of it.
#[derive(Debug)]
pub(crate) struct Template {
    pub name: Name,
    pub source: Arc<Source>,
    pub body: Vec<Node>,
}

#[derive(Debug)]
pub(crate) enum Node {
    /// A piece of the source as it is.
    Text {
        at: Offset,
        end: Offset,
    },
    Action(Pipe),
    /// `if` or `with`, each `else if` an arm of its own.
    Branch {
        with: bool,
        arms: Vec<Arm>,
        otherwise: Vec<Node>,
    },
    Range {
        pipe: Pipe,
        body: Vec<Node>,
        otherwise: Vec<Node>,
    },
    Template {
        at: Offset,
        name: Name,
        pipe: Option<Pipe>,
    },
    Break,
    Continue,
}

#[derive(Debug)]
pub(crate) struct Arm {
    pub pipe: Pipe,
    pub body: Vec<Node>,
}

/// `$a, $b := first | second`
#[derive(Debug)]
pub(crate) struct Pipe {
    pub at: Offset,
    pub variables: Vec<Name>,
    /// `=` and not `:=`.
    pub assigns: bool,
    pub commands: Vec<Command>,
}

/// A value, or a function or method with its arguments.
#[derive(Debug)]
pub(crate) struct Command {
    pub first: Operand,
    pub arguments: Vec<Operand>,
}

#[derive(Debug)]
pub(crate) struct Operand {
    pub at: Offset,
    pub end: Offset,
    pub term: Term,
}

#[derive(Debug)]
pub(crate) enum Term {
    Dot,
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Name),
    /// `.a.b`
    Fields(Vec<Name>),
    /// `$x.a.b`
    Variable(Name, Vec<Name>),
    /// `(…)`
    Pipe(Box<Pipe>),
    /// `(…).a.b`
    Chain(Box<Operand>, Vec<Name>),
    Function(&'static Function),
}

impl Template {
    /// Nothing but space and other definitions.
    pub(crate) fn is_empty(&self) -> bool {
        self.body
            .iter()
            .all(|node| matches!(node, Node::Text { at, end } if self.source.text(*at, *end).trim().is_empty()))
    }
}
