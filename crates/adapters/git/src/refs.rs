//! From a name to a commit.

use crate::error::GitError;
use std::collections::BTreeMap;
use windlass_diagnostic::nearest;
use windlass_model::task::source::GitReference;

/// What a repository offers: the names of its refs and their commits. Annotated tags are followed to what they tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advertised {
    pub head: Option<String>,
    pub branches: BTreeMap<String, String>,
    pub tags: BTreeMap<String, String>,
}

/// What a name turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// All 40 digits (64 in repositories with SHA-256).
    pub commit: String,
    /// The ref under which a server that gives no commits by id has it.
    pub name: Option<String>,
}

impl Advertised {
    /// Reads the output of `ls-remote`.
    pub(crate) fn parse(output: &str) -> Self {
        let mut all = Self::default();
        for line in output.lines() {
            let Some((commit, name)) = line.split_once('\t') else { continue };
            let commit = commit.to_owned();
            if name == "HEAD" {
                all.head = Some(commit);
            } else if let Some(branch) = name.strip_prefix("refs/heads/") {
                all.branches.insert(branch.to_owned(), commit);
            } else if let Some(tag) = name.strip_prefix("refs/tags/") {
                // `v1^{}` follows `v1` and tells the commit behind an annotated tag.
                all.tags.insert(tag.strip_suffix("^{}").unwrap_or(tag).to_owned(), commit);
            }
        }
        all
    }

    /// The commit behind a name. A commit that is written in full needs no question.
    pub(crate) fn resolve(&self, remote: &str, wanted: &GitReference) -> Result<Reference, GitError> {
        let found = |commit: &str, name: String| Reference { commit: commit.to_owned(), name: Some(name) };
        let branch = |name: &str| self.branches.get(name).map(|commit| found(commit, format!("refs/heads/{name}")));
        let tag = |name: &str| self.tags.get(name).map(|commit| found(commit, format!("refs/tags/{name}")));
        let (text, known): (String, Option<Reference>) = match wanted {
            GitReference::Branch(name) => {
                let name = name.strip_prefix("refs/heads/").unwrap_or(name);
                (format!("branch `{name}`"), branch(name))
            }
            GitReference::Tag(name) => {
                let name = name.strip_prefix("refs/tags/").unwrap_or(name);
                (format!("tag `{name}`"), tag(name))
            }
            GitReference::Commit(name) => {
                (format!("commit or tag `{name}`"), tag(name).or_else(|| self.abbreviated(name)))
            }
        };
        known.ok_or_else(|| {
            let name = match wanted {
                GitReference::Branch(name) | GitReference::Tag(name) | GitReference::Commit(name) => name,
            };
            let names = || match wanted {
                GitReference::Branch(_) => self.branches.keys(),
                _ => self.tags.keys(),
            };
            let near = nearest(name, names().map(String::as_str)).map(|n| vec![n.to_owned()]);
            let nearest = near.unwrap_or_else(|| names().take(3).cloned().collect());
            GitError::NoSuchRef { remote: remote.to_owned(), wanted: text, nearest }
        })
    }

    /// A commit by its first digits, if a branch or tag points to it.
    fn abbreviated(&self, digits: &str) -> Option<Reference> {
        if digits.len() < 7 || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
            return None;
        }
        let digits = digits.to_ascii_lowercase();
        let branches = self.branches.iter().map(|(name, commit)| (format!("refs/heads/{name}"), commit));
        let tags = self.tags.iter().map(|(name, commit)| (format!("refs/tags/{name}"), commit));
        let mut found = branches.chain(tags).filter(|(_, commit)| commit.starts_with(&digits));
        let (name, commit) = found.next()?;
        // Two commits with these digits: the name means neither.
        found.all(|(_, other)| other == commit).then(|| Reference { commit: commit.clone(), name: Some(name) })
    }
}

/// Whether a text is a commit in full.
pub(crate) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advertised() -> Advertised {
        let (a, b, c) = ("a".repeat(40), "b".repeat(40), "c".repeat(40));
        Advertised::parse(&format!(
            "{a}\tHEAD\n{a}\trefs/heads/main\n{b}\trefs/heads/release/2\n{c}\trefs/tags/v1\n{b}\trefs/tags/v1^{{}}\n{c}\trefs/pull/1/head\n"
        ))
    }

    #[test]
    fn names_become_commits() {
        let all = advertised();
        let of = |wanted| all.resolve("r", &wanted).unwrap();
        assert_eq!(of(GitReference::Branch("main".into())).commit, "a".repeat(40));
        assert_eq!(of(GitReference::Branch("refs/heads/main".into())).name.as_deref(), Some("refs/heads/main"));
        assert_eq!(of(GitReference::Tag("v1".into())).commit, "b".repeat(40), "the commit, not the tag object");
        assert_eq!(of(GitReference::Commit("v1".into())).commit, "b".repeat(40));
        assert_eq!(of(GitReference::Commit("aaaaaaa".into())).commit, "a".repeat(40));
    }

    #[test]
    fn a_missing_name_comes_with_its_neighbour() {
        let all = advertised();
        let error = |wanted| all.resolve("https://h/r", &wanted).unwrap_err().to_string();
        assert_eq!(error(GitReference::Branch("mian".into())), "https://h/r has no branch `mian`; there is main");
        assert_eq!(error(GitReference::Tag("main".into())), "https://h/r has no tag `main`; there is v1");
        assert!(
            error(GitReference::Commit("ffffffff".into())).starts_with("https://h/r has no commit or tag `ffffffff`")
        );
    }
}
