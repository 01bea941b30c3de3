use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// A range of addresses: `10.0.0.0/8`, `fd00::/8`, or a single address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AddressRange {
    base: IpAddr,
    bits: u8,
}

/// A text that is no range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no range of addresses: write for example 10.0.0.0/8, fd00::/8 or 192.0.2.7")]
pub struct RangeError(pub String);

impl AddressRange {
    pub const fn new(base: IpAddr, bits: u8) -> Self {
        Self { base, bits }
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.base, address) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                same(base.to_bits().into(), address.to_bits().into(), self.bits, 32)
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => same(base.to_bits(), address.to_bits(), self.bits, 128),
            _ => false,
        }
    }
}

fn same(a: u128, b: u128, bits: u8, width: u8) -> bool {
    let ignored = u32::from(width.saturating_sub(bits));
    (a ^ b).checked_shr(ignored).unwrap_or(0) == 0
}

impl FromStr for AddressRange {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Self, RangeError> {
        let error = || RangeError(text.to_owned());
        let (address, bits) = match text.trim().split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().map_err(|_| error())?)),
            None => (text.trim(), None),
        };
        let base: IpAddr = address.parse().map_err(|_| error())?;
        let width = if base.is_ipv4() { 32 } else { 128 };
        match bits.unwrap_or(width) {
            bits if bits <= width => Ok(Self { base, bits }),
            _ => Err(error()),
        }
    }
}

impl TryFrom<String> for AddressRange {
    type Error = RangeError;

    fn try_from(text: String) -> Result<Self, RangeError> {
        text.parse()
    }
}

impl From<AddressRange> for String {
    fn from(range: AddressRange) -> Self {
        range.to_string()
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.base, self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::AddressRange;

    #[test]
    fn ranges_contain_what_shares_their_first_bits() {
        for (range, address, inside) in [
            ("10.0.0.0/8", "10.255.1.2", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.1.2.3/8", "10.9.9.9", true),
            ("0.0.0.0/0", "8.8.8.8", true),
            ("0.0.0.0/0", "::1", false),
            ("::/0", "::1", true),
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.8", false),
            ("fd00::/8", "fdab::1", true),
            ("fd00::/8", "fe80::1", false),
        ] {
            let range: AddressRange = range.parse().unwrap();
            assert_eq!(range.contains(address.parse().unwrap()), inside, "{range} {address}");
        }
        for wrong in ["", "10.0.0.0/33", "x/8", "10.0.0.0/", "::/129"] {
            assert!(wrong.parse::<AddressRange>().is_err(), "{wrong}");
        }
    }
}
