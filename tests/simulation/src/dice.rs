//! Numbers that follow from a seed.

use windlass_model::Millis;

/// SplitMix64: each number is a mix of the seed and a count.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to `limit`, which is not drawn.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.number() % limit.max(1)
    }

    /// Whether something happens that happens `share` times in a hundred.
    pub fn percent(&mut self, share: u64) -> bool {
        self.below(100) < share
    }

    pub fn one_of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        let at = self.below(choices.len() as u64);
        &choices[usize::try_from(at).unwrap()]
    }

    /// A length of time of at most `longest`.
    pub fn within(&mut self, longest: Millis) -> Millis {
        Millis(self.below(longest.0 + 1))
    }

    /// Dice of their own for somebody else: how often they are thrown changes nothing here.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self(self.number())
    }
}
