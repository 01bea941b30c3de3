/// How much of a value may be walked over: `set` can put a map into itself, and a few lists within each other can stand for
/// more items than there are atoms.
#[derive(Debug)]
pub(crate) struct Budget {
    nodes: usize,
    depth: usize,
}

/// A value is too large or too deep to be walked over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TooMuch {
    #[error("the value has more than {} levels: it may hold itself", Budget::DEPTH)]
    Deep,
    #[error("the value has more than {} parts", Budget::NODES)]
    Large,
}

impl From<TooMuch> for String {
    fn from(problem: TooMuch) -> Self {
        problem.to_string()
    }
}

impl Budget {
    const NODES: usize = 2_000_000;
    const DEPTH: usize = 200;

    pub(crate) fn new() -> Self {
        Self { nodes: Self::NODES, depth: Self::DEPTH }
    }

    pub(crate) fn enter(&mut self) -> Result<(), TooMuch> {
        self.depth = self.depth.checked_sub(1).ok_or(TooMuch::Deep)?;
        self.nodes = self.nodes.checked_sub(1).ok_or(TooMuch::Large)?;
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth += 1;
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new()
    }
}
