//! Tokens in the texts of a task: places where a secret belongs ([`windlass_model::task::Secrets::token`]).
//!
//! Each token carries the nonce of its task. Text from outside that only looks like a token has another nonce, or none, and
//! stays as it is. What a secret itself contains is never looked at: replacing is one pass.

use windlass_model::task::Secrets;

/// A token of this task names a secret that the task does not bring along.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the task refers to secret `{0}` and brings nothing for it")]
pub struct UnknownToken(pub String);

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    Literal(&'a str),
    /// By its reference.
    Secret(&'a str),
}

/// Finds the tokens of one task.
#[derive(Clone, Debug)]
pub(crate) struct Tokens {
    prefix: String,
}

impl Tokens {
    /// `None` when the task has no nonce, and so no secrets.
    pub(crate) fn new(secrets: &Secrets) -> Option<Self> {
        // The token of an empty reference, without its closing brace, is what all tokens start with.
        let prefix = secrets.token("").strip_suffix('}')?.to_owned();
        (!secrets.nonce.is_empty()).then_some(Self { prefix })
    }

    pub(crate) fn pieces<'a>(&self, text: &'a str) -> Vec<Piece<'a>> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find(&self.prefix) {
            let after = &rest[at + self.prefix.len()..];
            let Some(end) = after.find('}') else { break };
            if at > 0 {
                pieces.push(Piece::Literal(&rest[..at]));
            }
            pieces.push(Piece::Secret(&after[..end]));
            rest = &after[end + 1..];
        }
        if !rest.is_empty() {
            pieces.push(Piece::Literal(rest));
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::{Piece, Tokens};
    use windlass_model::task::Secrets;

    #[test]
    fn only_tokens_of_the_task_are_found() {
        let secrets = Secrets { nonce: "n1".into(), ..Secrets::default() };
        let other = Secrets { nonce: "n2".into(), ..Secrets::default() };
        let tokens = Tokens::new(&secrets).unwrap();
        let text = format!("a{}b{}{}", secrets.token("account/x"), other.token("account/x"), secrets.token("org:o/y"));
        let foreign = format!("b{}", other.token("account/x"));
        assert_eq!(
            tokens.pieces(&text),
            [Piece::Literal("a"), Piece::Secret("account/x"), Piece::Literal(&foreign), Piece::Secret("org:o/y")]
        );
        let open = secrets.token("x").replace('}', "");
        assert_eq!(tokens.pieces(&open), [Piece::Literal(open.as_str())]);
        assert_eq!(tokens.pieces(""), []);
        assert!(Tokens::new(&Secrets::default()).is_none());
    }
}
