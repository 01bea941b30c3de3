//! From text to tree. Every problem that can be found in one pass is reported; the parser itself resumes after a syntax
//! error at the next document.

mod anchors;
mod builder;
mod explain;
mod mapping;
mod placeholder;
mod scalar;
mod scan;
mod simple;

pub use placeholder::placeholders;
pub use scan::{Token, scan};

use crate::{Node, Options, code};
use builder::{Builder, Stop};
use granit_parser::{Event, Parser};
use std::sync::Arc;
use windlass_diagnostic::{Diagnostic, Diagnostics, Place};

/// One document of a text.
#[derive(Clone, Debug)]
pub struct Document {
    pub root: Node,
}

/// Syntax errors after which a text is given up.
const MANY_ERRORS: usize = 50;

/// Reads every document of `text`. An empty one has a root that is nothing; a text without any content has no document.
///
/// # Errors
/// Every problem found, in the order of the text. A problem in one document refuses them all.
pub fn parse(file: impl Into<Arc<str>>, text: &str, options: &Options) -> Result<Vec<Document>, Diagnostics> {
    let file = file.into();
    check_size(&file, text, options)?;
    let mut builder = Builder::new(Arc::clone(&file), text, options);
    let mut parser = Parser::new_from_str_with_options(text, parser_options(options));
    let mut errors = 0;
    while let Some(next) = parser.next_event() {
        let taken = match next {
            Ok((event, span)) => {
                // The parser sends the name of an anchor right behind the node that has it.
                let named = event.is_node() && event.anchor_id().is_some_and(|id| id != 0);
                let anchor = match named.then(|| parser.next_event()) {
                    Some(Some(Ok((Event::Anchor(_, name), _)))) => Some(name),
                    _ => None,
                };
                builder.take(event, &span, anchor)
            }
            Err(error) => {
                builder.report.push(explain::syntax(builder.place(*error.marker()), error.kind(), text));
                Err(Stop::Document)
            }
        };
        if let Err(stop) = taken {
            builder.abandon();
            errors += 1;
            if stop == Stop::Text || errors == MANY_ERRORS || !parser.proceed_next_document().unwrap_or(false) {
                break;
            }
        }
    }
    let Builder { documents, report, .. } = builder;
    let problems = report.into_diagnostics();
    if problems.is_empty() {
        return Ok(documents);
    }
    Err(placeholder::instead_of_nonsense(&file, text, problems))
}

/// Reads a text that holds exactly one document.
///
/// # Errors
/// As [`parse`]; and when there is none, or more than one.
pub fn parse_one(file: impl Into<Arc<str>>, text: &str, options: &Options) -> Result<Document, Diagnostics> {
    let file = file.into();
    let mut documents = parse(Arc::clone(&file), text, options)?;
    match (documents.len(), documents.pop()) {
        (1, Some(document)) => Ok(document),
        (_, None) => Err(Diagnostic::error(code::ONE_DOCUMENT, "the text is empty").at(Place::new(file, 1, 1)).into()),
        (count, Some(last)) => Err(Diagnostic::error(
            code::ONE_DOCUMENT,
            format!("one document is expected here; the text holds {count}, separated by `---`"),
        )
        .at(last.root.place)
        .into()),
    }
}

/// The text of a file, as UTF-8.
///
/// # Errors
/// Names the place of the first byte that is not UTF-8.
pub fn decode(file: impl Into<Arc<str>>, bytes: &[u8]) -> Result<&str, Diagnostics> {
    std::str::from_utf8(bytes).map_err(|error| {
        let good = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
        let line = good.bytes().filter(|b| *b == b'\n').count() + 1;
        let column = good.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let cut = |n| u32::try_from(n).unwrap_or(u32::MAX);
        Diagnostic::error(code::ENCODING, "the text is not UTF-8")
            .at(Place::new(file, cut(line), cut(column)))
            .remedy("save the file as UTF-8")
            .into()
    })
}

fn check_size(file: &Arc<str>, text: &str, options: &Options) -> Result<(), Diagnostics> {
    let limits = options.limits;
    let too_large = text.len() > limits.bytes.min(u32::MAX as usize) || text.chars().count() > limits.expanded;
    if !too_large {
        return Ok(());
    }
    let limit = limits.bytes.min(limits.expanded);
    Err(Diagnostic::error(code::TOO_LARGE, format!("the text is longer than {limit} bytes"))
        .at(Place::new(Arc::clone(file), 1, 1))
        .remedy("split it into several files")
        .into())
}

fn parser_options(options: &Options) -> granit_parser::Options {
    let depth = options.limits.depth;
    granit_parser::options! {
        emit_comments: false,
        emit_anchor_events: true,
        emit_unresolved_aliases: true,
        // Above our own limit, which counts both kinds together and has the better message. The scanner looks ahead.
        flow_nesting_limit: depth + 64,
        block_nesting_limit: depth + 64,
    }
}
