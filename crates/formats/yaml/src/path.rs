use crate::{Node, Value};
use std::fmt;

/// The way from a root to a node: `pipeline.stages[0].stage`, `metadata.annotations["a.b/c"]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path(pub Vec<Segment>);

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    Key(Box<str>),
    Index(usize),
}

impl Path {
    /// Reads `a.b[0]["c.d"]`. Nothing when the text is no path.
    pub fn parse(text: &str) -> Option<Self> {
        let mut segments = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(quoted) = rest.strip_prefix("[\"") {
                let (key, after) = quoted_key(quoted)?;
                segments.push(Segment::Key(key.into()));
                rest = after;
            } else if let Some(index) = rest.strip_prefix('[') {
                let (digits, after) = index.split_once(']')?;
                segments.push(Segment::Index(digits.parse().ok()?));
                rest = after;
            } else {
                let plain = if segments.is_empty() { rest } else { rest.strip_prefix('.')? };
                let end = plain.find(['.', '[']).unwrap_or(plain.len());
                segments.push(Segment::Key(plain.get(..end).filter(|key| !key.is_empty())?.into()));
                rest = &plain[end..];
            }
        }
        Some(Self(segments))
    }

    #[must_use]
    pub fn key(mut self, key: &str) -> Self {
        self.0.push(Segment::Key(key.into()));
        self
    }

    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        self.0.push(Segment::Index(index));
        self
    }
}

/// The key in front of `"]`, and what follows. A quote or a backslash in it has a backslash before it.
fn quoted_key(text: &str) -> Option<(String, &str)> {
    let mut key = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return text[at + 1..].strip_prefix(']').map(|rest| (key, rest)),
            '\\' => key.push(chars.next()?.1),
            c => key.push(c),
        }
    }
    None
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) if key.is_empty() || key.contains(['.', '[', ']', '"', '\\', ' ', '\n']) => {
                    write!(f, "[\"{}\"]", key.replace('\\', "\\\\").replace('"', "\\\""))?;
                }
                Segment::Key(key) if i == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

impl Node {
    /// The node at `path`, when the way exists.
    pub fn at(&self, path: &Path) -> Option<&Node> {
        path.0.iter().try_fold(self, |node, segment| match segment {
            Segment::Key(key) => node.get(key),
            Segment::Index(index) => node.item(*index),
        })
    }

    /// The node at a path such as `spec.containers[0].image`.
    pub fn find(&self, path: &str) -> Option<&Node> {
        self.at(&Path::parse(path)?)
    }

    /// Visits this node and everything in it, parents first, in the order of the text. `visit` answers whether to go on.
    pub fn walk<'n>(&'n self, visit: &mut impl FnMut(&Path, &'n Node) -> bool) {
        self.walk_from(&mut Path::default(), visit);
    }

    fn walk_from<'n>(&'n self, path: &mut Path, visit: &mut impl FnMut(&Path, &'n Node) -> bool) -> bool {
        if !visit(path, self) {
            return false;
        }
        let mut below = |segment, child: &'n Node| {
            path.0.push(segment);
            let go_on = child.walk_from(path, visit);
            path.0.pop();
            go_on
        };
        match &self.value {
            Value::Seq(items) => items.iter().enumerate().all(|(i, item)| below(Segment::Index(i), item)),
            Value::Map(map) => map.iter().all(|(key, value)| below(Segment::Key(key.into()), value)),
            _ => true,
        }
    }

    /// The path from this node to `target`, which must be the same node and not an equal one.
    pub fn path_of(&self, target: &Node) -> Option<Path> {
        let mut found = None;
        self.walk(&mut |path, node| {
            if std::ptr::eq(node, target) {
                found = Some(path.clone());
            }
            found.is_none()
        });
        found
    }
}
