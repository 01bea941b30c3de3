use super::MASK;
use super::patterns::{Machine, MaskPatterns};
use aho_corasick::automaton::StateID;
use zeroize::Zeroize;

/// Masks a stream that comes in chunks. However it is cut, the result is the same as for the whole.
///
/// Bytes are held back only while they may be the beginning of a secret, so that a live log is not delayed by long secrets.
/// Where forms of secrets overlap or touch, all of them become one mask.
#[derive(Debug)]
pub struct Masker {
    patterns: MaskPatterns,
    state: Option<StateID>,
    /// Bytes that are not decided yet, the first of them at position `at` of the stream.
    held: Vec<u8>,
    at: u64,
    /// Covered stretches that reach into `held`, in order, none touching the next.
    covered: Vec<(u64, u64)>,
    /// Where the last mask that was written ends.
    masked_to: Option<u64>,
}

impl Masker {
    pub fn new(patterns: MaskPatterns) -> Self {
        let state = patterns.machine().map(Machine::start);
        Self { patterns, state, held: Vec::new(), at: 0, covered: Vec::new(), masked_to: None }
    }

    /// Takes a chunk and gives back what is certain by now.
    pub fn push(&mut self, chunk: &[u8]) -> Vec<u8> {
        let patterns = self.patterns.clone();
        let Some((machine, mut state)) = patterns.machine().zip(self.state) else { return chunk.to_vec() };
        let mut position = self.at + self.held.len() as u64;
        for byte in chunk {
            state = machine.next(state, *byte);
            position += 1;
            if let Some(length) = machine.ends(state) {
                self.cover(position - length as u64, position);
            }
        }
        self.held.extend_from_slice(chunk);
        self.state = Some(state);
        self.release(position - machine.depth(state) as u64)
    }

    /// Ends the stream: what was held back is no secret.
    pub fn finish(mut self) -> Vec<u8> {
        let end = self.at + self.held.len() as u64;
        self.release(end)
    }

    fn cover(&mut self, mut from: u64, to: u64) {
        while let Some((start, _)) = self.covered.pop_if(|(_, end)| *end >= from) {
            from = from.min(start);
        }
        self.covered.push((from, to));
    }

    /// Writes everything before `until`.
    fn release(&mut self, until: u64) -> Vec<u8> {
        let mut out = Vec::new();
        let mut position = self.at;
        let covered = std::mem::take(&mut self.covered);
        for (from, to) in covered.iter().copied().filter(|(from, _)| *from < until) {
            if position < from {
                out.extend_from_slice(self.between(position, from));
            }
            // A stretch that goes on from the last mask belongs to it.
            if self.masked_to.is_none_or(|masked| masked < from) {
                out.extend_from_slice(MASK.as_bytes());
            }
            self.masked_to = Some(to);
            position = position.max(to.min(until));
        }
        if position < until {
            out.extend_from_slice(self.between(position, until));
        }
        self.covered = covered.into_iter().filter(|(_, to)| *to > until).collect();
        let gone = usize::try_from(until - self.at).unwrap_or(0).min(self.held.len());
        self.held.drain(..gone);
        self.at = until;
        out
    }

    fn between(&self, from: u64, to: u64) -> &[u8] {
        let place = |position: u64| usize::try_from(position.saturating_sub(self.at)).unwrap_or(usize::MAX);
        self.held.get(place(from)..place(to)).unwrap_or_default()
    }
}

impl Drop for Masker {
    fn drop(&mut self) {
        self.held.zeroize();
    }
}
