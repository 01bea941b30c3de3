//! Which of the published versions is meant (rendering §3.6).

use std::cmp::Ordering;
use windlass_gotemplate::version::{Constraint, Version};

/// The version that `wanted` means: the same text first, else the highest in the range. Empty: the highest that is no
/// pre-release.
pub(crate) fn choose<'v>(versions: impl Iterator<Item = &'v str> + Clone, wanted: &str) -> Option<&'v str> {
    if !wanted.is_empty()
        && let Some(same) = versions.clone().find(|version| *version == wanted)
    {
        return Some(same);
    }
    let range = Constraint::parse(if wanted.is_empty() { "*" } else { wanted })?;
    let parsed = versions.filter_map(|text| Some((text, Version::parse(text)?)));
    let fitting = parsed.filter(|(_, version)| range.allows(version));
    fitting.max_by(|(_, a), (_, b)| a.compare(b)).map(|(text, _)| text)
}

/// Whether a text is one version and no range.
pub(crate) fn is_exact(text: &str) -> bool {
    let digits = text.strip_prefix('v').unwrap_or(text);
    digits.split('.').count() >= 3 && Version::parse(text).is_some()
}

/// From the newest on.
pub(crate) fn newest_first(a: &str, b: &str) -> Ordering {
    match (Version::parse(a), Version::parse(b)) {
        (Some(a), Some(b)) => b.compare(&a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_that_fits() {
        let all = ["1.2.0", "1.10.1", "1.9.0", "2.0.0-rc.1", "v3", "rubbish"];
        for (wanted, found) in [
            ("1.9.0", Some("1.9.0")),
            ("^1.2", Some("1.10.1")),
            ("~1.2.0", Some("1.2.0")),
            (">1.10.1 <2", None),
            ("2.0.0-rc.1", Some("2.0.0-rc.1")),
            ("", Some("v3")),
            ("not a range", None),
        ] {
            assert_eq!(choose(all.iter().copied(), wanted), found, "{wanted}");
        }
        assert_eq!(choose(["1.0.0-a"].into_iter(), ""), None);
        let mut sorted = all;
        sorted.sort_by(|a, b| newest_first(a, b));
        assert_eq!(sorted, ["v3", "2.0.0-rc.1", "1.10.1", "1.9.0", "1.2.0", "rubbish"]);
        for (text, exact) in [("1.2.3", true), ("v1.2.3+a", true), ("1.2", false), ("^1.2.3", false), ("", false)] {
            assert_eq!(is_exact(text), exact, "{text}");
        }
    }
}
