use crate::code;
use granit_parser::ErrorKind;
use windlass_diagnostic::{Diagnostic, Place};

/// A syntax error in the words of somebody who writes YAML, with what usually helps.
pub(super) fn syntax(place: Place, kind: &ErrorKind) -> Diagnostic {
    let (message, remedy) = match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar => ("a tab stands where YAML allows spaces only".into(), "indent with spaces"),
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
