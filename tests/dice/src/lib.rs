//! Chance from a seed: the same on every machine and in every version, so that kept seeds stay what they are.

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

    /// From 0 to `limit`, which is not drawn; 0 when that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.number() % limit.max(1) as u64).unwrap_or_default()
    }

    /// From 0 to `limit`, which may be drawn.
    pub fn up_to(&mut self, limit: u64) -> u64 {
        let number = self.number();
        limit.checked_add(1).map_or(number, |limit| number % limit)
    }

    /// From `from` to `to`, both may be drawn.
    pub fn between(&mut self, from: i64, to: i64) -> i64 {
        let width = to.abs_diff(from).saturating_add(1);
        from.wrapping_add_unsigned(self.number() % width)
    }

    /// Whether something happens that happens `share` times in a hundred.
    pub fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    /// One of them; nothing where there are none.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }

    /// One of them.
    ///
    /// # Panics
    /// When there are none.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// One of some texts; none is empty.
    pub fn text<'t>(&mut self, of: &[&'t str]) -> &'t str {
        self.one(of).copied().unwrap_or_default()
    }

    /// Dice of their own for somebody else: how often they are thrown changes nothing here.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self(self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn a_seed_is_the_same_numbers_for_ever() {
        let mut dice = Dice::new(1);
        assert_eq!([dice.number(), dice.number()], [0x910a_2dec_8902_5cc1, 0xbeeb_8da1_658e_ec67]);
        for _ in 0..1_000 {
            assert!(dice.below(7) < 7);
            assert!((-3..=3).contains(&dice.between(-3, 3)));
        }
        assert_eq!((dice.below(0), dice.one::<u8>(&[]), dice.text(&[])), (0, None, ""));
    }
}
