//! `.helmignore` (rendering §3.1, correction s).

use crate::error::FileProblem;
use crate::pattern::Pattern;

/// Which files of a folder do not belong to the chart.
#[derive(Debug)]
pub(crate) struct Ignore(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    /// Nothing fits one that is badly written without what stands around it.
    pattern: Option<Pattern>,
    /// `!x` ignores everything that does not match `x`.
    is_negated: bool,
    folders_only: bool,
    /// Only the last part of the path counts.
    is_base_name: bool,
}

impl Ignore {
    pub(crate) fn parse(text: &str) -> Result<Self, FileProblem> {
        let mut rules = Vec::new();
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let bad = |problem: &str| FileProblem::Text(format!("line {}: {problem}", index + 1));
            rules.extend(Rule::parse(line).map_err(bad)?);
        }
        rules.extend(Rule::parse("templates/.?*").ok().flatten());
        Ok(Self(rules))
    }

    /// Whether a file, or a folder around it, is ignored.
    pub(crate) fn ignores(&self, path: &str) -> bool {
        let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        folders.into_iter().any(|folder| self.one(folder, true)) || self.one(path, false)
    }

    fn one(&self, path: &str, is_folder: bool) -> bool {
        for rule in &self.0 {
            let fits = rule.matches(path);
            if rule.is_negated {
                if rule.folders_only && !is_folder || !fits {
                    return true;
                }
            } else if fits && (is_folder || !rule.folders_only) {
                return true;
            }
        }
        false
    }
}

impl Rule {
    fn parse(line: &str) -> Result<Option<Self>, &'static str> {
        let rule = line.trim();
        if rule.is_empty() || rule.starts_with('#') {
            return Ok(None);
        }
        if rule.contains("**") {
            return Err("double-star (**) syntax is not supported: write one rule for each level");
        }
        if Pattern::new(rule).is_none() {
            return Err("syntax error in pattern");
        }
        let (is_negated, rule) = rule.strip_prefix('!').map_or((false, rule), |rest| (true, rest));
        let (folders_only, rule) = rule.strip_suffix('/').map_or((false, rule), |rest| (true, rest));
        let is_base_name = !rule.contains('/');
        let pattern = Pattern::new(rule.strip_prefix('/').unwrap_or(rule));
        Ok(Some(Self { pattern, is_negated, folders_only, is_base_name }))
    }

    fn matches(&self, path: &str) -> bool {
        let name = if self.is_base_name { path.rsplit('/').next().unwrap_or(path) } else { path };
        self.pattern.as_ref().is_some_and(|pattern| pattern.matches(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules() {
        for (rules, path, wanted) in [
            ("*.md", "docs/a.md", true),
            ("docs/", "docs/a.md", true),
            ("docs/", "docs", false),
            ("/a.txt", "a.txt", true),
            ("/a.txt", "b/a.txt", false),
            ("b/*.txt", "b/a.txt", true),
            ("# a\n\n  *.x  ", "y.x", true),
            ("", "templates/.hidden", true),
            ("", ".hidden", false),
            ("!*.yaml", "a.txt", true),
        ] {
            assert_eq!(Ignore::parse(rules).unwrap().ignores(path), wanted, "{rules} {path}");
        }
        assert!(Ignore::parse("a/**/b").is_err());
        assert!(Ignore::parse("[").is_err());
    }
}
