//! Texts without anchors, aliases, tags and `<<`, token by token: for readers that make a tree of their own of many objects.

use super::{check_size, parser_options, scalar, simple};
use crate::{Options, Span, Style};
use granit_parser::{Event, Parser, ScalarStyle};
use std::borrow::Cow;
use std::sync::Arc;
use windlass_diagnostic::Place;

/// A part of a text, in its order.
#[derive(Clone, Debug)]
pub enum Token<'t> {
    /// A scalar as it is meant, without quotes.
    Scalar(Cow<'t, str>, Style, Place),
    List(Place),
    Mapping(Place),
    /// Of the last list or mapping that is open.
    End,
    DocumentEnd,
}

/// Hands the tokens of a text to `take`, until it answers with false.
///
/// False when the text holds what this cannot read, is no YAML, or is beyond the limits: [`crate::parse`] reads it then, or
/// says what is wrong.
pub fn scan<'t>(file: &Arc<str>, text: &'t str, options: &Options, mut take: impl FnMut(Token<'t>) -> bool) -> bool {
    if check_size(file, text, options).is_err() {
        return false;
    }
    let (mut depth, mut nodes) = (0, 0);
    let mut take = |token: Token<'t>| {
        match token {
            Token::List(_) | Token::Mapping(_) => (depth, nodes) = (depth + 1, nodes + 1),
            Token::End => depth -= 1,
            Token::Scalar(..) => nodes += 1,
            Token::DocumentEnd => {}
        }
        depth <= options.limits.depth && nodes <= options.limits.nodes && take(token)
    };
    match simple::tokens(file, text) {
        Some(tokens) => tokens.into_iter().all(take),
        None => events(file, text, options, &mut take),
    }
}

/// The same with the parser that knows all of YAML.
pub(super) fn events<'t>(
    file: &Arc<str>,
    text: &'t str,
    options: &Options,
    take: &mut dyn FnMut(Token<'t>) -> bool,
) -> bool {
    let mut parser = Parser::new_from_str_with_options(text, parser_options(options));
    while let Some(next) = parser.next_event() {
        let Ok((event, span)) = next else { return false };
        let cut = |n| u32::try_from(n).unwrap_or(u32::MAX);
        let place = || Place {
            file: Arc::clone(file),
            line: cut(span.start.line()),
            column: cut(span.start.col()).saturating_add(1),
        };
        let token = match event {
            Event::Scalar(text_of, style, 0, None) if !(style == ScalarStyle::Plain && text_of == "<<") => {
                let bytes = span.byte_range().unwrap_or_default();
                let span = Span::new(bytes.start, bytes.end);
                let meant = match style {
                    // The parser says `~` where nothing was written.
                    ScalarStyle::Plain if bytes.start == bytes.end => Cow::Borrowed(""),
                    ScalarStyle::Literal | ScalarStyle::Folded => {
                        scalar::without_added_break(text_of, text.get(bytes.start..).unwrap_or_default(), span)
                    }
                    _ => text_of,
                };
                Token::Scalar(meant, scalar::style_of(style), place())
            }
            Event::SequenceStart(_, 0, None) => Token::List(place()),
            Event::MappingStart(_, 0, None) => Token::Mapping(place()),
            Event::SequenceEnd | Event::MappingEnd => Token::End,
            Event::DocumentEnd => Token::DocumentEnd,
            Event::StreamStart | Event::StreamEnd | Event::DocumentStart(..) => continue,
            _ => return false,
        };
        if !take(token) {
            return false;
        }
    }
    true
}
