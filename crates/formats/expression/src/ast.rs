//! The tree of one expression.

use crate::span::Span;
use crate::value::Value;

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Literal(Value),
    /// A string literal; expressions in it are spliced as text.
    Text(Vec<TextPart>),
    List(Vec<Node>),
    /// A list without repetitions.
    Set(Vec<Node>),
    Map(Vec<(Node, Node)>),
    /// `<+…>` bound as a typed value.
    Nested(Box<Node>),
    /// The first name of a path.
    Name(Word),
    /// `f(x)`
    Call {
        name: String,
        arguments: Vec<Node>,
    },
    /// What follows a value: members, indexes, methods. Flat, so that long paths are not deep.
    Chain {
        base: Box<Node>,
        links: Vec<Link>,
    },
    Unary {
        operator: Unary,
        operand: Box<Node>,
    },
    /// Operators of one precedence, applied from the left. Flat, so that long sums are not deep.
    Binary {
        first: Box<Node>,
        rest: Vec<(Operator, Node)>,
    },
    Ternary {
        condition: Box<Node>,
        yes: Box<Node>,
        no: Box<Node>,
    },
    /// `a ?: b`
    Elvis {
        value: Box<Node>,
        otherwise: Box<Node>,
    },
}

#[derive(Clone, Debug)]
pub(crate) enum TextPart {
    Literal(String),
    Expression(Node),
}

/// A name, possibly with expressions glued into it: `s1<+strategy.identifierPostFix>`.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) parts: Vec<TextPart>,
}

impl Word {
    /// The name, when nothing is spliced into it.
    pub(crate) fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [TextPart::Literal(name)] => Some(name),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) kind: LinkKind,
    /// From the start of the whole chain to the end of this link.
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum LinkKind {
    /// `.name`, `.'a name'`; safe: `?.name`.
    Member { name: Word, safe: bool },
    /// `[x]`
    Index(Node),
    /// `.name(x)`; safe: `?.name(x)`.
    Method { name: String, arguments: Vec<Node>, safe: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Minus,
    Plus,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Identical,
    NotIdentical,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Matches,
    NotMatches,
    StartsWith,
    NotStartsWith,
    EndsWith,
    NotEndsWith,
    Range,
    BitOr,
    BitXor,
    BitAnd,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
    /// `??`
    Coalesce,
}

impl Operator {
    /// Binds tighter the higher it is (pipelines §3.4).
    pub(crate) fn level(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Equal
            | Self::NotEqual
            | Self::Identical
            | Self::NotIdentical
            | Self::Less
            | Self::LessOrEqual
            | Self::Greater
            | Self::GreaterOrEqual
            | Self::In
            | Self::Matches
            | Self::NotMatches
            | Self::StartsWith
            | Self::NotStartsWith
            | Self::EndsWith
            | Self::NotEndsWith => 3,
            Self::Range => 4,
            Self::BitOr => 5,
            Self::BitXor => 6,
            Self::BitAnd => 7,
            Self::ShiftLeft | Self::ShiftRight | Self::ShiftRightUnsigned => 8,
            Self::Add | Self::Subtract => 9,
            Self::Multiply | Self::Divide | Self::Remainder => 10,
            Self::Power => 11,
            Self::Coalesce => 12,
        }
    }
}
