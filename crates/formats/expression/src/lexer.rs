//! Cuts the source of one expression into tokens.

mod literal;

use crate::ast::{Node, Operator, TextPart, Word};
use crate::error::{ErrorKind, Fault, Outcome};
use crate::limits::NESTING;
use crate::parser;
use crate::scan::{OPEN, Scanner};
use crate::span::Span;

#[derive(Clone, Debug)]
pub(crate) enum Token {
    End,
    Int(i64),
    Float(f64),
    Text(Vec<TextPart>),
    Word(Word),
    /// `<+…>` that stands alone: a typed value.
    Nested(Node),
    /// One of `( ) [ ] { } , : ? . ! ~`.
    Punctuation(char),
    /// `?.`
    SafeDot,
    /// `?:`
    Elvis,
    Operator(Operator),
}

/// The text that is being parsed; shared by the parsers of nested expressions.
pub(crate) struct Source<'t> {
    pub(crate) text: &'t str,
    pub(crate) scanner: &'t mut Scanner,
    depth: usize,
}

impl<'t> Source<'t> {
    pub(crate) fn new(text: &'t str, scanner: &'t mut Scanner) -> Self {
        Self { text, scanner, depth: 0 }
    }

    /// Goes one level deeper, unless that is too deep.
    pub(crate) fn enter(&mut self, span: Span) -> Outcome<()> {
        if self.depth >= NESTING {
            return Err(Fault::from(ErrorKind::Depth(NESTING)).at(span));
        }
        self.depth += 1;
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }
}

pub(crate) struct Lexer<'s, 't> {
    pub(crate) source: &'s mut Source<'t>,
    at: usize,
    end: usize,
    /// The last token ends a value, so that an operator may follow.
    after_value: bool,
}

/// Operators written with signs, longest first.
const SIGNS: &[(&str, Operator)] = &[
    (">>>", Operator::ShiftRightUnsigned),
    ("===", Operator::Identical),
    ("!==", Operator::NotIdentical),
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("=~", Operator::Matches),
    ("!~", Operator::NotMatches),
    ("=^", Operator::StartsWith),
    ("!^", Operator::NotStartsWith),
    ("=$", Operator::EndsWith),
    ("!$", Operator::NotEndsWith),
    ("<<", Operator::ShiftLeft),
    (">>", Operator::ShiftRight),
    ("||", Operator::Or),
    ("&&", Operator::And),
    ("**", Operator::Power),
    ("??", Operator::Coalesce),
    ("..", Operator::Range),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("|", Operator::BitOr),
    ("^", Operator::BitXor),
    ("&", Operator::BitAnd),
    ("+", Operator::Add),
    ("-", Operator::Subtract),
    ("*", Operator::Multiply),
    ("/", Operator::Divide),
    ("%", Operator::Remainder),
];

/// Operators written as words (pipelines §3.4).
const WORDS: &[(&str, Operator)] = &[
    ("or", Operator::Or),
    ("and", Operator::And),
    ("eq", Operator::Equal),
    ("ne", Operator::NotEqual),
    ("lt", Operator::Less),
    ("le", Operator::LessOrEqual),
    ("gt", Operator::Greater),
    ("ge", Operator::GreaterOrEqual),
    ("in", Operator::In),
    ("div", Operator::Divide),
    ("mod", Operator::Remainder),
];

/// Signs of statements, which are no part of the language.
const STATEMENTS: &[&str] = &["->", "=>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", ";", "="];

pub(crate) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

impl<'s, 't> Lexer<'s, 't> {
    pub(crate) fn new(source: &'s mut Source<'t>, start: usize, end: usize) -> Self {
        Self { source, at: start, end, after_value: false }
    }

    /// Whether an operator may stand here; words such as `in` are names elsewhere.
    pub(crate) fn word_operator(word: &Word) -> Option<Operator> {
        let name = word.plain()?;
        WORDS.iter().find(|(word, _)| *word == name).map(|(_, operator)| *operator)
    }

    pub(crate) fn next(&mut self) -> Outcome<(Token, Span)> {
        self.skip_blanks();
        let start = self.at;
        let token = self.token().map_err(|fault| fault.at(Span::new(start, self.at.max(start))))?;
        self.after_value = match &token {
            Token::Int(_) | Token::Float(_) | Token::Text(_) | Token::Nested(_) => true,
            Token::Word(word) => Self::word_operator(word).is_none() && word.plain() != Some("not"),
            Token::Punctuation(c) => matches!(c, ')' | ']' | '}'),
            _ => false,
        };
        Ok((token, Span::new(start, self.at)))
    }

    /// The name after a dot: a word, digits, or a quoted name.
    pub(crate) fn member(&mut self) -> Outcome<(Word, Span)> {
        self.skip_blanks();
        let start = self.at;
        let word = match self.peek() {
            Some(quote @ ('"' | '\'')) => Word { parts: self.quoted(quote)? },
            _ => self.word()?,
        };
        let span = Span::new(start, self.at);
        if word.parts.is_empty() {
            return Err(Fault::syntax(Span::new(start, start), "expected a name after the dot"));
        }
        self.after_value = true;
        Ok((word, span))
    }

    fn token(&mut self) -> Outcome<Token> {
        let Some(c) = self.peek() else { return Ok(Token::End) };
        if c == '"' || c == '\'' {
            return Ok(Token::Text(self.quoted(c)?));
        }
        if c == '`' {
            return Ok(Token::Text(self.template()?));
        }
        if c.is_ascii_digit() {
            return self.number();
        }
        if is_name_char(c) {
            return Ok(Token::Word(self.word()?));
        }
        if let Some(close) = self.nested_end() {
            let glued = self.rest_from(close + 1).starts_with(is_name_char);
            return Ok(if glued { Token::Word(self.word()?) } else { Token::Nested(self.nested(close)?) });
        }
        if !self.after_value && self.rest().starts_with("~/") {
            return Ok(Token::Text(self.regex()?));
        }
        self.sign(c)
    }

    fn sign(&mut self, c: char) -> Outcome<Token> {
        let rest = self.rest();
        let digit_after = |at: usize| rest[at..].starts_with(|c: char| c.is_ascii_digit());
        if rest.starts_with("?.") && !digit_after(2) {
            self.at += 2;
            return Ok(Token::SafeDot);
        }
        if rest.starts_with("?:") {
            self.at += 2;
            return Ok(Token::Elvis);
        }
        let negates = rest.starts_with(['!', '~']) && !self.after_value && !rest.starts_with("!=");
        if !negates && let Some((sign, operator)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            let assigned = STATEMENTS.iter().find(|s| s.len() > sign.len() && rest.starts_with(**s));
            if let Some(statement) = assigned {
                return Err(ErrorKind::Script(format!("`{statement}`")).into());
            }
            self.at += sign.len();
            return Ok(Token::Operator(*operator));
        }
        if let Some(statement) = STATEMENTS.iter().find(|s| rest.starts_with(**s)) {
            return Err(Fault::from(ErrorKind::Script(format!("`{statement}`"))).remedy("compare with `==`"));
        }
        if "()[]{},:?.!~".contains(c) {
            self.at += 1;
            return Ok(Token::Punctuation(c));
        }
        Err(Fault::syntax(Span::new(self.at, self.at + c.len_utf8()), format!("unexpected character `{c}`")))
    }

    /// Name characters and expressions glued to them.
    fn word(&mut self) -> Outcome<Word> {
        let mut parts = Vec::new();
        loop {
            let name: usize = self.rest().chars().take_while(|c| is_name_char(*c)).map(char::len_utf8).sum();
            if name > 0 {
                parts.push(TextPart::Literal(self.rest()[..name].to_owned()));
                self.at += name;
            } else if let Some(close) = self.nested_end() {
                parts.push(TextPart::Expression(self.nested(close)?));
            } else {
                return Ok(Word { parts });
            }
        }
    }

    /// Where the expression that starts here ends.
    fn nested_end(&mut self) -> Option<usize> {
        if self.rest().starts_with(OPEN) {
            self.source.scanner.closing(self.source.text, self.at, self.end)
        } else {
            None
        }
    }

    /// Parses the expression that starts here and whose `>` is at `close`.
    fn nested(&mut self, close: usize) -> Outcome<Node> {
        let node = parser::program(self.source, self.at + OPEN.len(), close)?;
        self.at = close + 1;
        Ok(node)
    }

    fn skip_blanks(&mut self) {
        let blanks: usize = self.rest().chars().take_while(|c| c.is_whitespace()).map(char::len_utf8).sum();
        self.at += blanks;
    }

    fn rest(&self) -> &'t str {
        self.rest_from(self.at)
    }

    fn rest_from(&self, at: usize) -> &'t str {
        self.source.text.get(at..self.end).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }
}
