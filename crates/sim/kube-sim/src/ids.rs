//! Identifiers that a seed decides: uids, suffixes of generated names, addresses.

use sha2::{Digest, Sha256};

/// The letters of generated names: no vowels, so that no words arise.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// A stream of identifiers. The same seed gives the same stream.
#[derive(Debug)]
pub(crate) struct Ids {
    seed: u64,
    drawn: u64,
    /// Cluster addresses handed out so far.
    addresses: u32,
    node_ports: u16,
}

impl Ids {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, drawn: 0, addresses: 0, node_ports: 0 }
    }

    fn draw(&mut self) -> [u8; 32] {
        self.drawn += 1;
        let mut hash = Sha256::new();
        hash.update(self.seed.to_be_bytes());
        hash.update(self.drawn.to_be_bytes());
        hash.finalize().into()
    }

    /// A number below `below`; 0 when that is 0.
    pub(crate) fn below(&mut self, below: u64) -> u64 {
        let bytes = self.draw();
        let mut number = [0; 8];
        number.copy_from_slice(&bytes[..8]);
        u64::from_be_bytes(number).checked_rem(below).unwrap_or(0)
    }

    /// A uid in the form of a random UUID (version 4).
    pub(crate) fn uid(&mut self) -> String {
        let drawn = self.draw();
        let mut b = [0; 16];
        b.copy_from_slice(&drawn[..16]);
        b[6] = (b[6] & 0x0f) | 0x40;
        b[8] = (b[8] & 0x3f) | 0x80;
        let hex = format!("{:032x}", u128::from_be_bytes(b));
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }

    /// Five letters, as appended to `generateName`.
    pub(crate) fn suffix(&mut self) -> String {
        self.draw()[..5].iter().map(|b| char::from(LETTERS[usize::from(*b) % LETTERS.len()])).collect()
    }

    /// The next address of the service network 10.96.0.0/12.
    pub(crate) fn service_address(&mut self) -> String {
        self.addresses += 1;
        let n = self.addresses + 10;
        format!("10.{}.{}.{}", 96 + ((n >> 16) & 0x0f), (n >> 8) & 0xff, n & 0xff)
    }

    /// The next port of the range 30000–32767.
    pub(crate) fn node_port(&mut self) -> u16 {
        self.node_ports = (self.node_ports + 1) % 2_768;
        30_000 + self.node_ports
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_decides() {
        let three = |seed| {
            let mut ids = Ids::new(seed);
            (ids.uid(), ids.suffix(), ids.service_address())
        };
        assert_eq!(three(1), three(1));
        assert_ne!(three(1), three(2));
        let (uid, suffix, address) = three(1);
        assert_eq!((uid.len(), &uid[14..15], suffix.len(), address.as_str()), (36, "4", 5, "10.96.0.11"));
    }
}
