use crate::source::Offset;

/// A word of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub kind: Kind,
    pub at: Offset,
    pub text: &'t str,
}

impl Token<'_> {
    /// Behind its last byte.
    pub(crate) fn end(&self) -> Offset {
        self.at.saturating_add(Offset::try_from(self.text.len()).unwrap_or(0))
    }
}

/// The same as a list of them keeps it, without its text: one list serves for all files of a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    pub kind: Kind,
    pub at: Offset,
    /// In bytes.
    pub length: Offset,
}

impl Word {
    pub(crate) fn of(self, text: &str) -> Token<'_> {
        let end = self.at.saturating_add(self.length);
        Token { kind: self.kind, at: self.at, text: text.get(self.at as usize..end as usize).unwrap_or_default() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Outside of actions.
    Text,
    Open,
    Close,
    /// Space matters: `.a .b` are two words and `.a.b` is one.
    Space,
    Identifier,
    Keyword(Keyword),
    Dot,
    Nil,
    /// `.Name`, one link of a chain.
    Field,
    /// `$` or `$name`.
    Variable,
    Bool,
    Number,
    Character,
    Quoted,
    Raw,
    Assign,
    Declare,
    Pipe,
    Comma,
    LeftParen,
    RightParen,
    /// Any other printable character.
    Other,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyword {
    Block,
    Break,
    Continue,
    Define,
    Else,
    End,
    If,
    Range,
    Template,
    With,
}

impl Keyword {
    pub(crate) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "block" => Self::Block,
            "break" => Self::Break,
            "continue" => Self::Continue,
            "define" => Self::Define,
            "else" => Self::Else,
            "end" => Self::End,
            "if" => Self::If,
            "range" => Self::Range,
            "template" => Self::Template,
            "with" => Self::With,
            _ => return None,
        })
    }
}
