//! How long the parser will take.
//!
//! The parser of regorus reads the first element behind `[` and `{` twice: as the head of a comprehension, and again as what it
//! is. Nested in each other that doubles with every level, so that a line of thirty brackets would be read for hours.

use regorus::Source;
use regorus::unstable::{Lexer, TokenKind};

/// Brackets less deep than this cost nothing worth counting.
const CHEAP: usize = 5;

/// Readings of brackets, about.
const MOST: u64 = 20_000;

/// One open bracket.
struct Bracket {
    /// `[` or `{`: its first element is read twice.
    twice: bool,
    /// Whether no comma has ended the first element yet.
    first: bool,
}

/// Where reading becomes too costly, as line and column. Text that has no tokens is left to the parser.
pub(super) fn too_costly(rego: &str) -> Option<(u32, u32)> {
    let source = Source::from_contents("policy".to_owned(), rego.to_owned()).ok()?;
    let mut lexer = Lexer::new(&source);
    let mut open: Vec<Bracket> = Vec::new();
    let mut cost = 0u64;
    while let Ok(token) = lexer.next_token() {
        match (&token.0, token.1.text()) {
            (TokenKind::Eof, _) => break,
            (TokenKind::Symbol, text @ ("[" | "{" | "(")) => {
                open.push(Bracket { twice: text != "(", first: true });
                let depth = open.iter().filter(|bracket| bracket.twice && bracket.first).count();
                if depth >= CHEAP {
                    cost = cost.saturating_add(1u64.checked_shl(depth as u32).unwrap_or(u64::MAX));
                }
                if cost > MOST {
                    return Some((token.1.line, token.1.col));
                }
            }
            (TokenKind::Symbol, "]" | "}" | ")") => {
                open.pop();
            }
            (TokenKind::Symbol, ",") => {
                if let Some(bracket) = open.last_mut() {
                    bracket.first = false;
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::too_costly;

    #[test]
    fn only_first_elements_count() {
        assert_eq!(too_costly(&format!("x := {}", "[".repeat(13))), None);
        assert_eq!(too_costly(&format!("x := {}", "[".repeat(14))), Some((1, 19)));
        assert_eq!(too_costly(&format!("x := {}", "{".repeat(40))), Some((1, 19)));
        assert_eq!(too_costly(&"f(".repeat(40)), None);
        assert_eq!(too_costly(&"[1, ".repeat(40)), None);
        assert_eq!(too_costly("\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[\""), None);
        assert_eq!(too_costly(""), None);
    }
}
