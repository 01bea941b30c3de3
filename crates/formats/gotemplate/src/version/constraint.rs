use super::{Version, prerelease_order};
use std::cmp::Ordering;

/// `>=1.19-0 <2 || ^3.1`
#[derive(Clone, Debug)]
pub struct Constraint(Vec<Group>);

/// What must hold together.
#[derive(Clone, Debug)]
struct Group {
    parts: Vec<Part>,
    /// One of them names a pre-release.
    has_prerelease: bool,
}

#[derive(Clone, Debug)]
struct Part {
    operator: Operator,
    version: Version,
    /// Parts that were left out, or are `x`.
    open: Open,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Tilde,
    Caret,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Nothing,
    Patch,
    Minor,
    Major,
}

const LONGEST: usize = 512;
const MOST_GROUPS: usize = 32;

/// The longer ones first.
const OPERATORS: [(&str, Operator); 11] = [
    ("!=", Operator::NotEqual),
    (">=", Operator::GreaterOrEqual),
    ("=>", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("=<", Operator::LessOrEqual),
    ("~>", Operator::Tilde),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
    ("~", Operator::Tilde),
    ("^", Operator::Caret),
];

impl Constraint {
    /// Nothing when the text is no constraint.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let groups: Option<Vec<Group>> = text.split("||").map(Group::parse).collect();
        groups.filter(|groups| groups.len() <= MOST_GROUPS).map(Self)
    }

    pub fn allows(&self, version: &Version) -> bool {
        self.0.iter().any(|group| group.parts.iter().all(|part| part.allows(version, group.has_prerelease)))
    }
}

impl Group {
    /// Parts with white space or a comma between them, or `1.2 - 2.0`.
    fn parse(text: &str) -> Option<Self> {
        let mut rest = text.trim_start();
        let mut parts: Vec<Part> = Vec::new();
        if rest.is_empty() {
            return None;
        }
        while !rest.is_empty() {
            let (operator, after) = operator(rest);
            let after = after.trim_start();
            let end = after.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(after.len());
            let (word, behind) = after.split_at(end);
            rest = behind.trim_start();
            let range = behind.starts_with(char::is_whitespace) && operator.is_none() && is_range(rest);
            if range {
                let upper = rest[1..].trim_start();
                let end = upper.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(upper.len());
                parts.push(Part::parse(Operator::GreaterOrEqual, word)?);
                parts.push(Part::parse(Operator::LessOrEqual, &upper[..end])?);
                rest = upper[end..].trim_start();
            } else {
                parts.push(Part::parse(operator.unwrap_or(Operator::Equal), word)?);
            }
            if let Some(after) = rest.strip_prefix(',') {
                rest = after.trim_start();
                if rest.is_empty() {
                    return None;
                }
            }
        }
        let has_prerelease = parts.iter().any(|part| !part.version.prerelease.is_empty());
        Some(Self { parts, has_prerelease })
    }
}

/// `- 2.0`
fn is_range(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| rest.starts_with(char::is_whitespace) && !rest.trim().is_empty())
}

fn operator(text: &str) -> (Option<Operator>, &str) {
    let found = OPERATORS.iter().find_map(|(word, operator)| Some((*operator, text.strip_prefix(word)?)));
    found.map_or((None, text), |(operator, rest)| (Some(operator), rest))
}

impl Part {
    fn of(operator: Operator, version: &str, open: Open) -> Option<Self> {
        Some(Self { operator, version: Version::parse(version)?, open })
    }

    fn parse(operator: Operator, text: &str) -> Option<Self> {
        let plain = text.strip_prefix('v').unwrap_or(text);
        let end = plain.find(['-', '+']).unwrap_or(plain.len());
        let (numbers, extra) = plain.split_at(end);
        // The build of a version means nothing here, but must be well written.
        Version::parse(&format!("0.0.0{extra}"))?;
        let prerelease = extra.split_once('+').map_or(extra, |(before, _)| before);
        let parts: Vec<&str> = numbers.split('.').collect();
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let is_x = |part: &str| matches!(part, "x" | "X" | "*");
        if parts.len() > 3 || !parts.iter().all(|part| is_number(part) || is_x(part)) {
            return None;
        }
        let (version, open) = match parts.as_slice() {
            [major, ..] if is_x(major) => (format!("0.0.0{prerelease}"), Open::Major),
            [major] => (format!("{major}.0.0{prerelease}"), Open::Minor),
            [major, minor, ..] if is_x(minor) => (format!("{major}.0.0{prerelease}"), Open::Minor),
            [major, minor] => (format!("{major}.{minor}.0{prerelease}"), Open::Patch),
            [major, minor, patch] if is_x(patch) => (format!("{major}.{minor}.0{prerelease}"), Open::Patch),
            _ => (plain.to_owned(), Open::Nothing),
        };
        Self::of(operator, &version, open)
    }

    fn allows(&self, version: &Version, with_prereleases: bool) -> bool {
        if !version.prerelease.is_empty() && !with_prereleases {
            return false;
        }
        let (wanted, open) = (&self.version, self.open);
        let order = version.compare(wanted);
        match self.operator {
            Operator::Equal if open == Open::Nothing => order == Ordering::Equal,
            Operator::Equal | Operator::Tilde => self.tilde(version),
            Operator::NotEqual => self.differs(version),
            Operator::Greater => match open {
                Open::Minor => version.major > wanted.major,
                Open::Patch => (version.major, version.minor) > (wanted.major, wanted.minor),
                _ => order == Ordering::Greater,
            },
            Operator::GreaterOrEqual => order != Ordering::Less,
            Operator::Less => order == Ordering::Less,
            Operator::LessOrEqual => match open {
                Open::Nothing => order != Ordering::Greater,
                Open::Minor => version.major <= wanted.major,
                _ => (version.major, version.minor) <= (wanted.major, wanted.minor),
            },
            Operator::Caret => self.caret(version),
        }
    }

    fn tilde(&self, version: &Version) -> bool {
        let wanted = &self.version;
        if version.compare(wanted) == Ordering::Less {
            return false;
        }
        let is_zero = (wanted.major, wanted.minor, wanted.patch) == (0, 0, 0);
        if is_zero && matches!(self.open, Open::Nothing | Open::Major) {
            return true;
        }
        version.major == wanted.major && (version.minor == wanted.minor || self.open == Open::Minor)
    }

    fn differs(&self, version: &Version) -> bool {
        let wanted = &self.version;
        match self.open {
            Open::Nothing => version.compare(wanted) != Ordering::Equal,
            Open::Minor => version.major != wanted.major,
            Open::Patch if (version.major, version.minor) != (wanted.major, wanted.minor) => true,
            Open::Patch => prerelease_order(&version.prerelease, &wanted.prerelease) != Ordering::Equal,
            Open::Major => version.compare(wanted) != Ordering::Equal,
        }
    }

    /// The first number that is not zero may not change.
    fn caret(&self, version: &Version) -> bool {
        let (wanted, open) = (&self.version, self.open);
        if version.compare(wanted) == Ordering::Less {
            return false;
        }
        if wanted.major > 0 || open == Open::Minor {
            return version.major == wanted.major;
        }
        if version.major > 0 {
            return false;
        }
        if wanted.minor > 0 || open == Open::Patch {
            return version.minor == wanted.minor;
        }
        version.minor == 0 && version.patch == wanted.patch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the reference answers.
    #[test]
    fn constraints() {
        for (constraint, version, wanted) in [
            ("*", "1.2.3", true),
            ("*", "1.2.3-beta", false),
            ("*-0", "1.2.3-beta", true),
            (">=1.19-0", "v1.28.0-gke.1", true),
            (">=1.19", "v1.28.0-gke.1", false),
            ("^1.2", "1.9.0", true),
            ("^1.2", "2.0.0", false),
            ("^0.2.3", "0.2.9", true),
            ("^0.2.3", "0.3.0", false),
            ("^0.0.3", "0.0.4", false),
            ("^0", "0.9.0", true),
            ("~1.2.3", "1.2.9", true),
            ("~1.2.3", "1.3.0", false),
            ("~1", "1.9.0", true),
            ("1.2", "1.2.7", true),
            ("1.x", "1.9.9", true),
            ("=1.2.3", "1.2.3+build", true),
            ("!=1.2", "1.2.5", false),
            ("!=1.2", "1.3.0", true),
            (">1.2", "1.2.5", false),
            (">1", "1.9.0", false),
            (">1", "2.0.0", true),
            ("<=1.2", "1.2.9", true),
            ("<=1.2", "1.3.0", false),
            ("1.2 - 1.4", "1.4.9", true),
            ("1.2 - 1.4", "1.5.0", false),
            (">=1.2, <2", "1.5.0", true),
            (">=1.2 <2 || ^3", "3.1.0", true),
            (">= 1.2.3", "1.2.3", true),
        ] {
            let parsed = Constraint::parse(constraint).unwrap_or_else(|| panic!("{constraint}"));
            assert_eq!(parsed.allows(&Version::parse(version).unwrap()), wanted, "{constraint} {version}");
        }
        for bad in ["", "1 ||", "foo", ">=", "1.2.3.4", ">>1", "1.2,", "a.b"] {
            assert!(Constraint::parse(bad).is_none(), "{bad}");
        }
    }
}
