/// Chance from a seed. The same on every machine and in every version: kept seeds stay what they are (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `below`; 0 when that is 0.
    pub(crate) fn below(&mut self, below: usize) -> usize {
        let below = below as u64;
        if below == 0 { 0 } else { (self.next() % below) as usize }
    }

    /// Whether what happens in so many of a hundred cases happens.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn one<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }

    /// One of some texts.
    pub(crate) fn text(&mut self, of: &[&'static str]) -> &'static str {
        self.one(of).copied().unwrap_or_default()
    }
}
