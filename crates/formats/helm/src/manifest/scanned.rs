//! The head of a document from its tokens: most documents need no tree.

use super::Head;
use crate::decode::RULES;
use std::borrow::Cow;
use std::sync::Arc;
use windlass_yaml::{ScalarKind, Schema, Style, Token, scalar_kind, scan};

/// Keys of one mapping that are compared with each other; larger ones are left to the reader.
const MOST_KEYS: usize = 100;

/// The head; nothing when the document is not a mapping of texts where texts are wanted, or may be wrong anywhere.
pub(super) fn head(text: &str) -> Option<Head> {
    let mut scanned = Scanned { head: Head::default(), open: Vec::new(), documents: 0 };
    scan(&Arc::from(""), text, &RULES, |token| scanned.take(token).is_some()).then_some(())?;
    (scanned.documents == 1).then_some(scanned.head)
}

struct Scanned<'t> {
    head: Head,
    open: Vec<Open<'t>>,
    documents: usize,
}

enum Open<'t> {
    List,
    /// The keys so far, and whether the last one waits for its value.
    Map {
        of: Of,
        keys: Vec<Cow<'t, str>>,
        waits: bool,
    },
}

/// Whose fields a mapping holds.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Document,
    Metadata,
    Annotations,
    Other,
}

impl Of {
    /// The fields that are looked at.
    fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Document => &["apiVersion", "kind", "metadata"],
            Self::Metadata => &["name", "annotations"],
            Self::Annotations | Self::Other => &[],
        }
    }

    /// What a mapping below a key is; nothing when a text is wanted there.
    fn below(self, key: &str) -> Option<Self> {
        match (self, key) {
            (Self::Document, "metadata") => Some(Self::Metadata),
            (Self::Metadata, "annotations") => Some(Self::Annotations),
            (Self::Annotations, _) => None,
            _ => (!self.fields().contains(&key)).then_some(Self::Other),
        }
    }
}

impl<'t> Scanned<'t> {
    fn take(&mut self, token: Token<'t>) -> Option<()> {
        match token {
            Token::Scalar(text, style, _) => self.scalar(text, style),
            Token::Mapping(_) => {
                let of = match self.open.last() {
                    None => Of::Document,
                    Some(_) => self.enter()?,
                };
                self.open.push(Open::Map { of, keys: Vec::new(), waits: false });
                Some(())
            }
            Token::List(_) => {
                (self.enter()? == Of::Other).then_some(())?;
                self.open.push(Open::List);
                Some(())
            }
            Token::End => {
                self.open.pop();
                if let Some(Open::Map { waits, .. }) = self.open.last_mut() {
                    *waits = false;
                }
                Some(())
            }
            Token::DocumentEnd => {
                self.documents += 1;
                (self.documents == 1).then_some(())
            }
        }
    }

    /// What a list or mapping is that starts here. A key cannot be one.
    fn enter(&self) -> Option<Of> {
        match self.open.last()? {
            Open::List => Some(Of::Other),
            Open::Map { of, keys, waits: true } => of.below(keys.last()?),
            Open::Map { .. } => None,
        }
    }

    fn scalar(&mut self, text: Cow<'t, str>, style: Style) -> Option<()> {
        let is_text = || style != Style::Plain || scalar_kind(Schema::Control, &text) == ScalarKind::Text;
        let Open::Map { of, keys, waits } = self.open.last_mut()? else { return Some(()) };
        if !*waits {
            // Other spellings of a key are the same key, and names of fields match in any case.
            let other_case = of.fields().iter().any(|name| name.eq_ignore_ascii_case(&text) && *name != text);
            (is_text() && !other_case && keys.len() < MOST_KEYS && !keys.contains(&text)).then_some(())?;
            keys.push(text);
            *waits = true;
            return Some(());
        }
        *waits = false;
        let key = keys.last()?;
        let field = match (*of, &**key) {
            (Of::Document, "apiVersion") => &mut self.head.api_version,
            (Of::Document, "kind") => &mut self.head.kind,
            (Of::Metadata, "name") => &mut self.head.name,
            (Of::Annotations, key) => {
                is_text().then_some(())?;
                self.head.annotations.push((key.to_owned(), text.into_owned()));
                return Some(());
            }
            (of, key) => return (!of.fields().contains(&key)).then_some(()),
        };
        is_text().then_some(())?;
        *field = text.into_owned();
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(head: &Head) -> String {
        format!("{head:?}")
    }

    #[test]
    fn tokens_tell_what_the_tree_tells() {
        for text in [
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {b: c, name: d}\n  annotations:\n    helm.sh/hook: test\n    x: \"1\"\ndata:\n  kind: x\n  l: [a, {name: b}]\n",
            "kind: List\nitems:\n- kind: A\n  metadata: {name: b, annotations: {c: d}}\n",
            "# only a head\nkind: A\n",
            "metadata: {name: \"1\"}\nkind: A\n",
        ] {
            assert_eq!(head(text).as_ref().map(shown), Some(shown(&Head::parsed(text).unwrap())), "{text}");
        }
    }

    #[test]
    fn what_needs_the_reader_is_left_to_it() {
        for text in [
            "",
            "a",
            "- a",
            "kind: 1",
            "kind: true",
            "kind:",
            "kind: [a]",
            "kind: {a: b}",
            "Kind: A",
            "metadata:",
            "metadata: a",
            "metadata: []",
            "metadata: {name: 1}",
            "metadata: {annotations: {a: 1}}",
            "metadata: {annotations: {a: [b]}}",
            "metadata: {annotations: a}",
            "kind: A\nkind: B",
            "a: {b: c, b: d}",
            "a: {1: c}",
            "a: {yes: c}",
            "a: &b c",
            "a: [",
            "a: b\n---\nc: d",
        ] {
            assert!(head(text).is_none(), "{text}");
        }
    }
}
