use crate::code;
use granit_parser::ErrorKind;
use windlass_diagnostic::{Diagnostic, Place};

/// A text may have begun lines above the tab that spoils it: where the tab is.
fn tab(place: Place, text: &str) -> Place {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    for (index, line) in text.lines().enumerate().skip(place.line.saturating_sub(1) as usize) {
        let before = if number(index + 1) == place.line { place.column.saturating_sub(1) as usize } else { 0 };
        if let Some(column) = line.chars().skip(before).position(|c| c == '\t') {
            return Place { line: number(index + 1), column: number(before + column + 1), ..place };
        }
    }
    place
}

/// A syntax error of a text in the words of somebody who writes YAML, with what usually helps.
pub(super) fn syntax(place: Place, kind: &ErrorKind, text: &str) -> Diagnostic {
    let is_tab = matches!(
        kind,
        ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabAtBlockScalarStart
            | ErrorKind::TabInPlainScalar
    );
    if is_tab {
        return Diagnostic::error(code::SYNTAX, "a tab stands where YAML allows spaces only")
            .at(tab(place, text))
            .remedy("indent with spaces");
    }
    let (message, remedy) = match kind {
        ErrorKind::RecursionLimitExceeded => {
            return Diagnostic::error(code::TOO_DEEP, "lists and mappings are nested too deep").at(place);
        }
        ErrorKind::ExpectedBlockMappingKey | ErrorKind::InvalidIndentation | ErrorKind::ExpectedBlockSequenceEntry => (
            "this line fits neither into the mapping or list above nor behind it".into(),
            "check its indentation, and put a value that starts or ends with a quote or a brace in quotes as a whole",
        ),
        ErrorKind::ExpectedDocumentStart => (
            "this line does not belong to the document above".into(),
            "indent it, or start another document with `---`",
        ),
        ErrorKind::MappingValueNotAllowed => (
            "`: ` is not allowed here".into(),
            "put a value that contains `: ` in quotes, or check the indentation of this line",
        ),
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => (
            "a key is expected here, with `:` behind it on the same line".into(),
            "add `:` behind the key, or indent the line if it goes on with the value above",
        ),
        ErrorKind::UnclosedQuotedScalar => ("a quote is opened here and not closed".into(), "close it"),
        ErrorKind::InvalidQuotedScalarIndent | ErrorKind::DocumentIndicatorInQuotedScalar => (
            "a text in quotes goes on here without being indented".into(),
            "close its quote above, or indent this line",
        ),
        ErrorKind::UnclosedFlowCollection { open } => (format!("`{open}` is opened here and not closed"), "close it"),
        ErrorKind::MisplacedFlowCollectionEnd => {
            ("this bracket closes nothing".into(), "remove it, or open what it should close")
        }
        ErrorKind::UnknownQuotedScalarEscape => (
            "a backslash in double quotes is followed by a letter that means nothing".into(),
            "write \\\\ for a backslash, or use single quotes",
        ),
        ErrorKind::UnexpectedCharacter { character: c @ ('@' | '`' | '%') } => {
            (format!("a value must not start with `{c}`"), "put the value in quotes")
        }
        ErrorKind::UnexpectedCharacter { character } => (
            format!("the character {character:?} is not allowed here"),
            "remove it, or write it as an escape in double quotes",
        ),
        ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => (
            "text follows behind the closing quote".into(),
            "put the whole value in quotes; within single quotes a quote is written twice",
        ),
        other => return Diagnostic::error(code::SYNTAX, other.to_string()).at(place),
    };
    Diagnostic::error(code::SYNTAX, message).at(place).remedy(remedy)
}
