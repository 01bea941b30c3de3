use std::collections::VecDeque;

/// What was kept of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    pub bytes: Vec<u8>,
    /// Bytes that were printed and not kept.
    pub dropped: u64,
}

impl Captured {
    /// As text; bytes that are none become replacement characters.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Which part of an output is kept when it is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    First,
    Last,
}

/// Keeps a bounded part of a stream.
#[derive(Debug)]
pub(crate) struct Capture {
    part: Part,
    most: usize,
    kept: VecDeque<u8>,
    dropped: u64,
}

impl Capture {
    pub(crate) fn new(part: Part, most: usize) -> Self {
        Self { part, most, kept: VecDeque::new(), dropped: 0 }
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        let taken = match self.part {
            Part::First => &chunk[..chunk.len().min(self.most - self.kept.len())],
            Part::Last => &chunk[chunk.len().saturating_sub(self.most)..],
        };
        let over = (self.kept.len() + taken.len()).saturating_sub(self.most);
        self.kept.drain(..over);
        self.kept.extend(taken);
        self.dropped += (over + chunk.len() - taken.len()) as u64;
    }

    pub(crate) fn finish(self) -> Captured {
        Captured { bytes: self.kept.into(), dropped: self.dropped }
    }

    /// What is kept so far, as text.
    pub(crate) fn text(&self) -> String {
        let (front, back) = self.kept.as_slices();
        String::from_utf8_lossy(&[front, back].concat()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{Capture, Part};

    #[test]
    fn the_wanted_part_is_kept() {
        for (part, chunks, kept, dropped) in [
            (Part::First, &["abc", "def", "ghi"][..], "abcde", 4),
            (Part::Last, &["abc", "def", "ghi"], "efghi", 4),
            (Part::First, &["abcdefghij"], "abcde", 5),
            (Part::Last, &["abcdefghij", "k"], "ghijk", 6),
            (Part::Last, &["ab", "", "cd"], "abcd", 0),
        ] {
            let mut capture = Capture::new(part, 5);
            chunks.iter().for_each(|chunk| capture.push(chunk.as_bytes()));
            let captured = capture.finish();
            assert_eq!((captured.text().as_str(), captured.dropped), (kept, dropped), "{part:?} {chunks:?}");
        }
    }
}
