//! Versions and constraints of versions, as Helm's ecosystem reads them (rendering §2.5): a version may lack parts and have a
//! `v`, a constraint meets pre-releases only when it names one.

mod constraint;

pub use constraint::Constraint;

use std::cmp::Ordering;
use std::fmt;

/// `v1.2.3-rc.1+build`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    pub major: u64,
    pub minor: u64,
    pub patch: u64,
    pub prerelease: String,
    pub metadata: String,
    /// As it was written.
    pub original: String,
}

/// Longer texts are no versions.
const LONGEST: usize = 256;

impl Version {
    /// Nothing when the text is no version. One to three numbers; the rest counts as zero.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let plain = text.strip_prefix('v').unwrap_or(text);
        let (plain, metadata) = match plain.split_once('+') {
            Some((before, metadata)) => (before, Some(metadata)),
            None => (plain, None),
        };
        let (numbers, prerelease) = match plain.split_once('-') {
            Some((before, prerelease)) => (before, Some(prerelease)),
            None => (plain, None),
        };
        let mut parts = [0; 3];
        for (index, number) in numbers.split('.').enumerate() {
            if number.is_empty() || !number.bytes().all(|digit| digit.is_ascii_digit()) {
                return None;
            }
            *parts.get_mut(index)? = number.parse().ok()?;
        }
        let prerelease = prerelease.unwrap_or_default();
        if plain.contains('-') && !prerelease.split('.').all(|part| is_identifier(part) && !has_leading_zero(part)) {
            return None;
        }
        if metadata.is_some_and(|metadata| !metadata.split('.').all(is_identifier)) {
            return None;
        }
        Some(Self {
            major: parts[0],
            minor: parts[1],
            patch: parts[2],
            prerelease: prerelease.to_owned(),
            metadata: metadata.unwrap_or_default().to_owned(),
            original: text.to_owned(),
        })
    }
}

fn is_identifier(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn has_leading_zero(part: &str) -> bool {
    part.len() > 1 && part.starts_with('0') && part.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.prerelease.is_empty() {
            write!(f, "-{}", self.prerelease)?;
        }
        if !self.metadata.is_empty() {
            write!(f, "+{}", self.metadata)?;
        }
        Ok(())
    }
}

impl Version {
    /// The order of versions; metadata does not count.
    pub fn compare(&self, other: &Self) -> Ordering {
        let numbers = |version: &Self| (version.major, version.minor, version.patch);
        numbers(self).cmp(&numbers(other)).then_with(|| prerelease_order(&self.prerelease, &other.prerelease))
    }
}

/// No pre-release is above every pre-release; numbers are below words.
pub(super) fn prerelease_order(a: &str, b: &str) -> Ordering {
    match (a.is_empty(), b.is_empty()) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        _ => {}
    }
    let (mut left, mut right) = (a.split('.'), b.split('.'));
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, _) => Ordering::Less,
            (_, None) => Ordering::Greater,
            (Some(a), Some(b)) => match (a.parse::<u64>(), b.parse::<u64>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                _ => a.cmp(b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_version() {
        for good in ["1", "1.2", "v1.2.3", "1.2.3-rc.1", "1.2.3+b.1", "01.2.3", "1.2.3-a-b", "1-0"] {
            assert!(Version::parse(good).is_some(), "{good}");
        }
        for bad in ["", "v", "1.2.3.4", "1.2.x", "1.2.3-", "1.2.3-01", "a", "1.2.3+", "1..2", "V1.2.3", " 1"] {
            assert!(Version::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn order() {
        let all =
            ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0", "1.0.1"];
        for pair in all.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|text| Version::parse(text).unwrap());
            assert_eq!(a.compare(&b), Ordering::Less, "{a} {b}");
        }
    }
}
