use super::{Failed, Parser};
use crate::ast::{Command, Name, Operand, Pipe, Term};
use crate::code;
use crate::functions;
use crate::source::Offset;
use crate::token::{Kind, Token};
use windlass_diagnostic::Diagnostic;

impl<'s> Parser<'s> {
    /// Commands up to `end`, which is taken too.
    pub(super) fn pipeline(&mut self, context: &str, end: Kind) -> Result<Pipe, Failed> {
        let at = self.skip_space().at;
        let (variables, assigns) = self.declarations(context)?;
        let before = self.commands.len();
        loop {
            let word = self.skip_space();
            if word.kind == end {
                self.next += 1;
                break;
            }
            let command = self.command(context)?;
            if self.commands.len() > before && is_constant(&command.first.term) {
                return Err(self.failed(command.first.at, "behind | stands a function: this value cannot take another"));
            }
            self.commands.push(command);
        }
        if self.commands.len() == before {
            return Err(self.failed(at, format!("{context} has no value")));
        }
        let commands = self.commands.drain(before..).collect();
        Ok(Pipe { at, variables, assigns, commands })
    }

    /// `$x :=`, `$x =`, and in `range` also `$i, $x :=`.
    fn declarations(&mut self, context: &str) -> Result<(Vec<Name>, bool), Failed> {
        let mut names: Vec<Name> = Vec::new();
        loop {
            let word = self.skip_space();
            if word.kind != Kind::Variable {
                if names.is_empty() {
                    return Ok((names, false));
                }
                return Err(self.failed(word.at, "behind the comma stands a second variable"));
            }
            let space = usize::from(self.look(1).kind == Kind::Space);
            let next = self.look(1 + space);
            match next.kind {
                Kind::Assign | Kind::Declare => {
                    self.next += 2 + space;
                    let assigns = next.kind == Kind::Assign;
                    if assigns {
                        self.known(word)?;
                    }
                    names.push(word.text.into());
                    self.variables.extend(names.iter().cloned());
                    return Ok((names, assigns));
                }
                Kind::Comma if context == "`range`" && names.is_empty() => {
                    self.next += 2 + space;
                    names.push(word.text.into());
                }
                Kind::Comma => return Err(self.failed(next.at, format!("too many variables for {context}"))),
                _ if names.is_empty() => return Ok((names, false)),
                _ => return Err(self.failed(word.at, "expected := or = behind the variables")),
            }
        }
    }

    fn command(&mut self, context: &str) -> Result<Command, Failed> {
        let mut first = None;
        let before = self.operands.len();
        loop {
            let word = self.skip_space();
            match self.operand()? {
                Some(operand) if first.is_none() => first = Some(operand),
                Some(operand) => self.operands.push(operand),
                None => match word.kind {
                    Kind::Close | Kind::RightParen => break,
                    // Go lets a pipeline end with `|`.
                    Kind::Pipe if first.is_some() => {
                        self.next += 1;
                        break;
                    }
                    _ => return Err(self.unexpected(word, context)),
                },
            }
            match self.peek().kind {
                Kind::Space | Kind::Close | Kind::RightParen | Kind::Pipe => {}
                _ => return Err(self.unexpected(self.peek(), context)),
            }
        }
        let first = first.ok_or_else(|| self.unexpected(self.peek(), context))?;
        Ok(Command { first, arguments: self.operands.drain(before..).collect() })
    }

    /// A term, and the fields that hang on it.
    fn operand(&mut self) -> Result<Option<Operand>, Failed> {
        let word = self.peek();
        let Some(mut term) = self.term(word)? else { return Ok(None) };
        let mut fields: Vec<Name> = Vec::new();
        while self.peek().kind == Kind::Field {
            fields.push(self.take().text[1..].into());
        }
        if !fields.is_empty() {
            term = match term {
                Term::Fields(mut own) => {
                    own.append(&mut fields);
                    Term::Fields(own)
                }
                Term::Variable(name, _) => Term::Variable(name, fields),
                Term::Pipe(_) | Term::Function(_) => {
                    let end = self.end_of_last();
                    Term::Chain(Box::new(Operand { at: word.at, end, term }), fields)
                }
                _ => return Err(self.failed(word.at, format!("`{}` has no fields", word.text))),
            };
        }
        Ok(Some(Operand { at: word.at, end: self.end_of_last(), term }))
    }

    fn end_of_last(&self) -> Offset {
        let last = self.words.get(self.next.saturating_sub(1));
        last.map_or(0, |word| word.of(&self.source.text).end())
    }

    fn term(&mut self, word: Token<'s>) -> Result<Option<Term>, Failed> {
        let term = match word.kind {
            Kind::Identifier => {
                self.next += 1;
                return self.function(word).map(Some);
            }
            Kind::Dot => Term::Dot,
            Kind::Nil => Term::Nil,
            Kind::Bool => Term::Bool(word.text == "true"),
            Kind::Field => Term::Fields(vec![word.text[1..].into()]),
            Kind::Variable => {
                self.known(word)?;
                Term::Variable(word.text.into(), Vec::new())
            }
            Kind::Number => self.number(word)?,
            Kind::Character => self.character(word)?,
            Kind::Quoted | Kind::Raw => Term::Text(self.text(word)?),
            Kind::LeftParen => {
                self.next += 1;
                let pipe = self.deeper(word.at, |parser| parser.pipeline("the parentheses", Kind::RightParen))?;
                return Ok(Some(Term::Pipe(Box::new(pipe))));
            }
            _ => return Ok(None),
        };
        self.next += 1;
        Ok(Some(term))
    }

    fn known(&self, word: Token<'s>) -> Result<(), Failed> {
        if self.variables.iter().any(|known| **known == *word.text) {
            return Ok(());
        }
        let mut problem = self.failed(word.at, format!("there is no variable `{}` here", word.text));
        let near = windlass_diagnostic::nearest(word.text, self.variables.iter().map(|known| &**known));
        problem.remedy = near.map(|near| format!("did you mean `{near}`?"));
        Err(problem)
    }

    /// A function that there is none of is told, and the rest is read all the same.
    fn function(&mut self, word: Token<'s>) -> Result<Term, Failed> {
        match functions::find(word.text, self.dialect) {
            Ok(function) => Ok(Term::Function(function)),
            Err(reason) => {
                let place = self.source.place(word.at);
                let problem = match reason {
                    Some(reason) => {
                        let message = format!("the function `{}` is not run here", word.text);
                        Diagnostic::error(code::REFUSED_FUNCTION, message).remedy(reason)
                    }
                    None => Diagnostic::error(code::UNKNOWN_FUNCTION, format!("there is no function `{}`", word.text))
                        .nearest_of(word.text, functions::names()),
                };
                self.problems.push(problem.at(place));
                // Something that may stand anywhere: nobody will evaluate it.
                Ok(Term::Fields(Vec::new()))
            }
        }
    }
}

fn is_constant(term: &Term) -> bool {
    matches!(term, Term::Dot | Term::Nil | Term::Bool(_) | Term::Int(_) | Term::Float(_) | Term::Text(_))
}
