//! A small XML reader: elements, attributes, text, CDATA. No document types, so no entities of the document's own.

use super::xpath::XPath;
use crate::Value;
use crate::error::{ErrorKind, Fault, Outcome};
use crate::limits::Meter;
use crate::methods::{expect, text};

/// All nodes in the order of the text, so that a subtree is a range.
pub(super) struct Document {
    pub(super) nodes: Vec<Node>,
}

pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) parent: usize,
    /// The node after its subtree.
    pub(super) end: usize,
}

pub(super) enum Kind {
    Root,
    Element { name: String, attributes: Vec<(String, String)> },
    Text(String),
}

pub(super) fn call(name: &str, arguments: &[Value], meter: &mut Meter) -> Outcome<Option<Value>> {
    if name != "select" {
        return Err(Fault::unknown("method of `xml`", name, ["select"]));
    }
    expect("xml.select", arguments, 2..=2)?;
    let path = XPath::parse(&text("xml.select", arguments, 0)?)?;
    let source = text("xml.select", arguments, 1)?;
    meter.spend_bytes(source.len())?;
    let document = Document::parse(&source)?;
    meter.spend(document.nodes.len())?;
    Ok(path.first(&document, meter)?.map(Value::from))
}

impl Document {
    /// The text of a node and everything in it.
    pub(super) fn text(&self, node: usize) -> String {
        let texts = self.nodes[node..self.nodes[node].end].iter().filter_map(|node| match &node.kind {
            Kind::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    pub(super) fn children(&self, parent: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes[parent].end;
        let mut next = parent + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.nodes[child].end;
            Some(child)
        })
    }

    fn parse(source: &str) -> Outcome<Self> {
        let mut document = Self { nodes: vec![Node { kind: Kind::Root, parent: 0, end: 0 }] };
        let mut open = vec![0];
        let mut rest = source.trim_start_matches('\u{feff}');
        while !rest.is_empty() {
            let parent = open.last().copied().unwrap_or(0);
            let after = if let Some(after) = rest.strip_prefix("<!--") {
                upto(after, "-->", "a comment")?.1
            } else if let Some(after) = rest.strip_prefix("<![CDATA[") {
                let (text, after) = upto(after, "]]>", "a CDATA section")?;
                document.add(parent, Kind::Text(text.to_owned()));
                after
            } else if let Some(after) = rest.strip_prefix("<?") {
                upto(after, "?>", "a processing instruction")?.1
            } else if rest.starts_with("<!") {
                return Err(refuse("document types and entities are not allowed"));
            } else if let Some(after) = rest.strip_prefix("</") {
                let (name, after) = upto(after, ">", "an end tag")?;
                document.close(&mut open, name.trim())?;
                after
            } else if let Some(after) = rest.strip_prefix('<') {
                let (tag, after) = tag(after)?;
                let empty = tag.empty;
                let node = document.add(parent, Kind::Element { name: tag.name, attributes: tag.attributes });
                if !empty {
                    open.push(node);
                }
                after
            } else {
                let end = rest.find('<').unwrap_or(rest.len());
                if parent != 0 {
                    document.add(parent, Kind::Text(unescape(&rest[..end])?));
                } else if !rest[..end].trim().is_empty() {
                    return Err(refuse("text outside of the root element"));
                }
                &rest[end..]
            };
            rest = after;
        }
        if open.len() > 1 {
            return Err(refuse("an element is never closed"));
        }
        document.nodes[0].end = document.nodes.len();
        if document.children(0).count() == 1 { Ok(document) } else { Err(refuse("there must be one root element")) }
    }

    fn add(&mut self, parent: usize, kind: Kind) -> usize {
        let at = self.nodes.len();
        self.nodes.push(Node { kind, parent, end: at + 1 });
        at
    }

    fn close(&mut self, open: &mut Vec<usize>, wanted: &str) -> Outcome<()> {
        let at = open.last().copied().unwrap_or(0);
        match &self.nodes[at].kind {
            Kind::Element { name, .. } if name == wanted => {
                self.nodes[at].end = self.nodes.len();
                open.pop();
                Ok(())
            }
            _ => Err(refuse("an end tag does not fit its start tag")),
        }
    }
}

struct Tag {
    name: String,
    attributes: Vec<(String, String)>,
    empty: bool,
}

/// After `<`.
fn tag(source: &str) -> Outcome<(Tag, &str)> {
    let (name, mut rest) = name(source)?;
    let mut attributes: Vec<(String, String)> = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("/>") {
            return Ok((Tag { name, attributes, empty: true }, after));
        }
        if let Some(after) = rest.strip_prefix('>') {
            return Ok((Tag { name, attributes, empty: false }, after));
        }
        let (key, after) = self::name(rest)?;
        let after =
            after.trim_start().strip_prefix('=').ok_or_else(|| refuse("an attribute has no value"))?.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
        let quote = quote.ok_or_else(|| refuse("the value of an attribute has no quotes"))?;
        let (value, after) = after[1..].split_once(quote).ok_or_else(|| refuse("a quote is never closed"))?;
        attributes.push((key, unescape(value)?));
        rest = after;
    }
}

fn name(source: &str) -> Outcome<(String, &str)> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    let end = source.find(|c| !fits(c)).unwrap_or(source.len());
    if end == 0 || source.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.')) {
        return Err(refuse("a name is expected"));
    }
    Ok((source[..end].to_owned(), &source[end..]))
}

fn upto<'t>(source: &'t str, end: &str, what: &str) -> Outcome<(&'t str, &'t str)> {
    source.split_once(end).ok_or_else(|| refuse(&format!("{what} is never closed")))
}

/// The five entities that every XML has, and characters by number.
fn unescape(text: &str) -> Outcome<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let (entity, after) = rest[at + 1..].split_once(';').ok_or_else(|| refuse("an & without ;"))?;
        out.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let code = match (entity.strip_prefix("#x"), entity.strip_prefix('#')) {
                    (Some(hex), _) => u32::from_str_radix(hex, 16).ok(),
                    (None, Some(decimal)) => decimal.parse().ok(),
                    (None, None) => return Err(refuse("document types and entities are not allowed")),
                };
                code.and_then(char::from_u32).ok_or_else(|| refuse("a character number is invalid"))?
            }
        });
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

fn refuse(what: &str) -> Fault {
    ErrorKind::Data(format!("`xml.select` takes XML text: {what}")).into()
}
