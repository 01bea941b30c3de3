//! Chance from a seed: the same seed, the same throws, whatever the version of a library.

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// From 0 to `below` - 1.
    pub fn below(&mut self, below: usize) -> usize {
        (self.word() % below.max(1) as u64) as usize
    }

    pub fn between(&mut self, from: i64, to: i64) -> i64 {
        let width = to.abs_diff(from).saturating_add(1);
        from.wrapping_add((self.word() % width.max(1)) as i64)
    }

    /// True that many times in a hundred.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub fn text(&mut self, items: &[&str]) -> String {
        (*self.pick(items)).to_owned()
    }
}
