//! Numbers that look random and are the same for the same seed.

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def0)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap_or_default()
    }

    pub(crate) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    pub(crate) fn pick<'p, T: ?Sized>(&mut self, from: &[&'p T]) -> &'p T {
        from[self.below(from.len())]
    }

    /// The text, so many times of a hundred.
    pub(crate) fn sometimes<'p>(&mut self, chance: usize, text: &'p str) -> &'p str {
        if self.percent(chance) { text } else { "" }
    }

    /// Adds one of the texts, so many times of a hundred.
    pub(crate) fn maybe(&mut self, chance: usize, out: &mut String, texts: &[&str]) {
        if self.percent(chance) {
            out.push_str(self.pick(texts));
        }
    }
}
