//! Lists that are read piece by piece.

/// Which piece of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// At most this many, 1 to [`PageRequest::LARGEST`]; 0 means [`PageRequest::USUAL`].
    pub limit: u32,
    /// `next` of the page before. Opaque; of one list and one filter only.
    pub after: Option<String>,
}

impl PageRequest {
    pub const USUAL: u32 = 50;
    pub const LARGEST: u32 = 1_000;

    pub fn first(limit: u32) -> Self {
        Self { limit, after: None }
    }

    pub(crate) fn size(&self) -> u32 {
        match self.limit {
            0 => Self::USUAL,
            limit => limit.min(Self::LARGEST),
        }
    }
}

/// A piece of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Where the next piece begins; `None` at the end.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// Makes a page of one item more than was asked for, which tells that there is a next one.
    pub(crate) fn cut(mut items: Vec<T>, size: u32, cursor: impl Fn(&T) -> String) -> Self {
        let size = size as usize;
        let next = if items.len() > size {
            items.truncate(size);
            items.last().map(cursor)
        } else {
            None
        };
        Self { items, next }
    }

    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(f).collect(), next: self.next }
    }
}
