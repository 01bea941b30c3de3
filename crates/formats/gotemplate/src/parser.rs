//! From words to a tree (rendering §2.1).

mod literal;
mod pipeline;

pub(crate) use literal::integer;

use crate::ast::{Arm, Command, Name, Node, Operand, Template};
use crate::code;
use crate::lexer;
use crate::limits::Dialect;
use crate::source::{Offset, Source};
use crate::token::{Keyword, Kind, Token, Word};
use std::sync::Arc;
use windlass_diagnostic::{Diagnostic, Diagnostics};

type Failed = Box<Diagnostic>;

/// Blocks and parentheses within each other.
const DEEPEST: usize = 100;

/// The templates of a text: itself, and what it defines.
///
/// # Errors
/// The first mistake of grammar, and every function that there is none of.
pub(crate) fn parse(
    source: &Arc<Source>,
    dialect: Dialect,
    words: &mut Vec<Word>,
) -> Result<Vec<Template>, Diagnostics> {
    lexer::words(source, words).map_err(|problem| Diagnostics::from(*problem))?;
    let mut parser = Parser {
        source,
        dialect,
        words,
        next: 0,
        variables: vec!["$".into()],
        nodes: Vec::new(),
        commands: Vec::new(),
        operands: Vec::new(),
        ranges: 0,
        depth: 0,
        stopped: 0,
        found: Vec::new(),
        problems: Diagnostics::new(),
    };
    match parser.file() {
        Ok(body) => {
            if let Err(problem) = parser.add(0, Arc::clone(&source.path), body) {
                parser.problems.push(*problem);
            }
        }
        Err(problem) => parser.problems.push(*problem),
    }
    if parser.problems.is_empty() { Ok(parser.found) } else { Err(parser.problems) }
}

struct Parser<'s> {
    source: &'s Arc<Source>,
    dialect: Dialect,
    words: &'s [Word],
    next: usize,
    /// Those that are known here.
    variables: Vec<Name>,
    /// What is being read: each list takes its own from the end and is as long as it must be.
    nodes: Vec<Node>,
    commands: Vec<Command>,
    operands: Vec<Operand>,
    /// How many `range` are around.
    ranges: usize,
    depth: usize,
    /// Where the last list of nodes ended.
    stopped: Offset,
    found: Vec<Template>,
    problems: Diagnostics,
}

/// What ended a list of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    End,
    Else,
    /// Where a file ends.
    Nothing,
}

impl<'s> Parser<'s> {
    fn failed(&self, at: Offset, message: impl Into<String>) -> Failed {
        self.source.error(code::SYNTAX, at, message)
    }

    /// The word `ahead` of the next one.
    fn look(&self, ahead: usize) -> Token<'s> {
        let end = Word { kind: Kind::End, at: Offset::MAX, length: 0 };
        let word = self.words.get(self.next + ahead).or_else(|| self.words.last()).copied();
        word.unwrap_or(end).of(&self.source.text)
    }

    fn peek(&self) -> Token<'s> {
        self.look(0)
    }

    fn take(&mut self) -> Token<'s> {
        let word = self.peek();
        self.next += 1;
        word
    }

    fn skip_space(&mut self) -> Token<'s> {
        while self.peek().kind == Kind::Space {
            self.next += 1;
        }
        self.peek()
    }

    fn unexpected(&self, word: Token<'_>, context: &str) -> Failed {
        match word.kind {
            Kind::End => self.failed(word.at, format!("the text ends inside {context}")),
            Kind::Close => self.failed(word.at, format!("{context} ends too early")),
            _ => self.failed(word.at, format!("`{}` is not expected in {context}", word.text)),
        }
    }

    /// The end of an action.
    fn close(&mut self, context: &str) -> Result<(), Failed> {
        match self.skip_space() {
            Token { kind: Kind::Close, .. } => {
                self.next += 1;
                Ok(())
            }
            word => Err(self.unexpected(word, context)),
        }
    }

    fn deeper<T>(&mut self, at: Offset, inside: impl FnOnce(&mut Self) -> Result<T, Failed>) -> Result<T, Failed> {
        if self.depth >= DEEPEST {
            return Err(self.failed(at, format!("more than {DEEPEST} blocks and parentheses within each other")));
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    fn file(&mut self) -> Result<Vec<Node>, Failed> {
        match self.nodes(0)? {
            (body, Stop::Nothing) => Ok(body),
            (_, stop) => {
                let word = if stop == Stop::End { "end" } else { "else" };
                Err(self.failed(self.stopped, format!("`{word}` closes nothing")))
            }
        }
    }

    /// Nodes up to `end`, `else`, or the end of the file, which is right at the top level only.
    fn nodes(&mut self, opened: Offset) -> Result<(Vec<Node>, Stop), Failed> {
        let before = self.nodes.len();
        loop {
            let word = self.take();
            match word.kind {
                Kind::Text => self.nodes.push(Node::Text { at: word.at, end: word.end() }),
                Kind::End if self.depth == 0 => return Ok((self.nodes.drain(before..).collect(), Stop::Nothing)),
                Kind::End => return Err(self.failed(opened, "this block has no {{ end }}")),
                Kind::Open => {
                    let first = self.skip_space();
                    self.stopped = first.at;
                    match first.kind {
                        Kind::Keyword(Keyword::End) => {
                            self.next += 1;
                            self.close("`end`")?;
                            return Ok((self.nodes.drain(before..).collect(), Stop::End));
                        }
                        // What follows `else` is for the block that it belongs to.
                        Kind::Keyword(Keyword::Else) => {
                            self.next += 1;
                            return Ok((self.nodes.drain(before..).collect(), Stop::Else));
                        }
                        Kind::Keyword(keyword) => {
                            self.next += 1;
                            let node = self.control(keyword, first.at)?;
                            self.nodes.extend(node);
                        }
                        _ => {
                            let pipe = self.pipeline("an action", Kind::Close)?;
                            self.nodes.push(Node::Action(pipe));
                        }
                    }
                }
                _ => return Err(self.unexpected(word, "a template")),
            }
        }
    }

    fn control(&mut self, keyword: Keyword, at: Offset) -> Result<Option<Node>, Failed> {
        let node = match keyword {
            Keyword::If => self.deeper(at, |parser| parser.branch(at, false))?,
            Keyword::With => self.deeper(at, |parser| parser.branch(at, true))?,
            Keyword::Range => self.deeper(at, |parser| parser.range(at))?,
            Keyword::Define => {
                if self.depth > 0 {
                    return Err(self.failed(at, "`define` stands at the top of a file, not inside of a block"));
                }
                let name = self.name("`define`")?;
                self.close("`define`")?;
                self.definition(at, name)?;
                return Ok(None);
            }
            Keyword::Block => {
                let name = self.name("`block`")?;
                let pipe = self.pipeline("`block`", Kind::Close)?;
                self.definition(at, Arc::clone(&name))?;
                Node::Template { at, name, pipe: Some(pipe) }
            }
            Keyword::Template => {
                let name = self.name("`template`")?;
                let bare = self.skip_space().kind == Kind::Close;
                let pipe = if bare {
                    self.close("`template`")?;
                    None
                } else {
                    Some(self.pipeline("`template`", Kind::Close)?)
                };
                Node::Template { at, name, pipe }
            }
            Keyword::Break | Keyword::Continue => {
                let word = if keyword == Keyword::Break { "break" } else { "continue" };
                self.close(&format!("`{word}`"))?;
                if self.ranges == 0 {
                    return Err(self.failed(at, format!("`{word}` stands outside of a `range`")));
                }
                if keyword == Keyword::Break { Node::Break } else { Node::Continue }
            }
            Keyword::End | Keyword::Else => return Err(self.failed(at, "this closes nothing")),
        };
        Ok(Some(node))
    }

    /// `if` and `with`. Variables of the conditions live up to `end`.
    fn branch(&mut self, at: Offset, with: bool) -> Result<Node, Failed> {
        let (word, own) = if with { ("`with`", Keyword::With) } else { ("`if`", Keyword::If) };
        let known = self.variables.len();
        let mut arms = Vec::new();
        let mut otherwise = Vec::new();
        loop {
            let pipe = self.pipeline(word, Kind::Close)?;
            let inside = self.variables.len();
            let (body, stop) = self.nodes(at)?;
            self.variables.truncate(inside);
            arms.push(Arm { pipe, body });
            if stop == Stop::End {
                break;
            }
            if self.skip_space().kind == Kind::Keyword(own) {
                self.next += 1;
                continue;
            }
            otherwise = self.last_else(at)?;
            break;
        }
        self.variables.truncate(known);
        Ok(Node::Branch { with, arms, otherwise })
    }

    fn range(&mut self, at: Offset) -> Result<Node, Failed> {
        let known = self.variables.len();
        let pipe = self.pipeline("`range`", Kind::Close)?;
        // A block that fails inside leaves another count behind.
        let outside = self.ranges;
        self.ranges = outside + 1;
        let inside = self.nodes(at);
        self.ranges = outside;
        let (body, stop) = inside?;
        let otherwise = if stop == Stop::Else { self.last_else(at)? } else { Vec::new() };
        self.variables.truncate(known);
        Ok(Node::Range { pipe, body, otherwise })
    }

    fn last_else(&mut self, at: Offset) -> Result<Vec<Node>, Failed> {
        self.close("`else`")?;
        let after = self.peek().at;
        match self.nodes(at)? {
            (nodes, Stop::End) => Ok(nodes),
            _ => Err(self.failed(after, "after `else` comes `end`, and no second `else`")),
        }
    }

    /// The body of `define` and `block`: it knows no variables but its own, and no `range` around it.
    fn definition(&mut self, at: Offset, name: Name) -> Result<(), Failed> {
        let variables = std::mem::replace(&mut self.variables, vec!["$".into()]);
        let ranges = std::mem::take(&mut self.ranges);
        let (body, stop) = self.deeper(at, |parser| parser.nodes(at))?;
        self.variables = variables;
        self.ranges = ranges;
        if stop != Stop::End {
            return Err(self.failed(at, "`define` and `block` have no `else`"));
        }
        self.add(at, name, body)
    }

    /// One text defines a name once; an empty definition never counts against a full one.
    fn add(&mut self, at: Offset, name: Name, body: Vec<Node>) -> Result<(), Failed> {
        let template = Template { name, source: Arc::clone(self.source), body };
        match self.found.iter_mut().find(|known| known.name == template.name) {
            None => self.found.push(template),
            Some(known) if known.is_empty() => *known = template,
            Some(_) if template.is_empty() => {}
            Some(known) => {
                let message = format!("`{}` is defined twice in this file", known.name);
                return Err(self.failed(at, message));
            }
        }
        Ok(())
    }

    fn name(&mut self, context: &str) -> Result<Name, Failed> {
        let word = self.skip_space();
        self.next += 1;
        match word.kind {
            Kind::Quoted | Kind::Raw => self.text(word),
            _ => Err(self.failed(word.at, format!("{context} wants a name in quotes"))),
        }
    }
}
