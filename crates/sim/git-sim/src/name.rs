//! Names: what may be called a repository, a branch, a path.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// `organisation/repository`. Parsing is the only constructor, so a name is always safe as a folder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoName {
    org: Box<str>,
    repo: Box<str>,
}

/// Why a text does not name what it should.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("`{0}` is not a repository: write `organisation/name` with letters, digits, `.`, `-` and `_`")]
    Repo(String),
    #[error("`{0}` is reserved by the REST API and cannot be an organisation")]
    ReservedOrg(String),
    #[error("`{0}` is not a branch or tag name that Git allows")]
    Ref(String),
    #[error("`{0}` is not a path inside a repository: relative, `/` between parts, without `.`, `..` or `.git`")]
    Path(String),
}

impl RepoName {
    pub fn new(org: &str, repo: &str) -> Result<Self, NameError> {
        if !is_plain(org) || !is_plain(repo) || repo.ends_with(".git") {
            return Err(NameError::Repo(format!("{org}/{repo}")));
        }
        if ["api", "repos"].contains(&org) {
            return Err(NameError::ReservedOrg(org.to_owned()));
        }
        Ok(Self { org: org.into(), repo: repo.into() })
    }

    pub fn org(&self) -> &str {
        &self.org
    }

    pub fn repo(&self) -> &str {
        &self.repo
    }
}

/// Letters, digits, `.`, `-`, `_`; neither hidden nor an option; ends with neither a dot nor what Git uses itself.
fn is_plain(part: &str) -> bool {
    (1..=100).contains(&part.len())
        && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        && !part.starts_with(['.', '-'])
        && !part.ends_with('.')
        && !part.ends_with(".lock")
}

/// The rules of `git check-ref-format` for the part after `refs/heads/` or `refs/tags/`.
pub(crate) fn check_ref(name: &str) -> Result<(), NameError> {
    let part_is_fine = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    let fine = name.len() <= 240
        && name != "@"
        && name.split('/').all(part_is_fine)
        && !name.starts_with('-')
        && !name.ends_with('.')
        && !name.contains("..")
        && !name.contains("@{")
        && !name.bytes().any(|b| b <= b' ' || b == 0x7f || b"~^:?*[\\".contains(&b));
    if fine { Ok(()) } else { Err(NameError::Ref(name.to_owned())) }
}

/// A path of a file as Git stores it. Refuses what would leave the repository or reach into `.git`.
pub(crate) fn check_path(path: &str) -> Result<(), NameError> {
    let part_is_fine =
        |part: &str| !part.is_empty() && part != "." && part != ".." && !part.eq_ignore_ascii_case(".git");
    let fine = path.len() <= 4096 && path.split('/').all(part_is_fine) && !path.bytes().any(|b| b < b' ' || b == 0x7f);
    if fine { Ok(()) } else { Err(NameError::Path(path.to_owned())) }
}

impl FromStr for RepoName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let (org, repo) = text.split_once('/').ok_or_else(|| NameError::Repo(text.to_owned()))?;
        Self::new(org, repo)
    }
}

impl TryFrom<String> for RepoName {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<RepoName> for String {
    fn from(name: RepoName) -> Self {
        name.to_string()
    }
}

impl fmt::Display for RepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.org, self.repo)
    }
}

impl fmt::Debug for RepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_leave_the_folder_are_refused() {
        for name in ["company/platform-next", "a/b.c_d-1", "A/0"] {
            assert_eq!(name.parse::<RepoName>().unwrap().to_string(), name);
        }
        for name in [
            "", "a", "a/", "/b", "a/b/c", "../b", "a/..", "a/.git", "a/b.git", "-a/b", "a/b.lock", "a/b%2f", "a/b\n",
            "ä/b", "a b/c", "repos/x", "api/v3", "a/b.",
        ] {
            assert!(name.parse::<RepoName>().is_err(), "{name:?}");
        }
    }

    #[test]
    fn refs_and_paths_follow_git() {
        for name in ["main", "release/1.2", "feature/ü", "a.b"] {
            assert_eq!(check_ref(name), Ok(()), "{name}");
        }
        for name in [
            "", "a..b", "/a", "a/", "a//b", ".a", "a/.b", "a.lock", "a b", "a~1", "a:b", "-a", "@", "a@{0}", "a.",
            "a\\b",
        ] {
            assert!(check_ref(name).is_err(), "{name:?}");
        }
        for path in ["a", "dir/values.yaml", ".github/workflows/ci.yaml", "with space", "..."] {
            assert_eq!(check_path(path), Ok(()), "{path}");
        }
        for path in ["", "/etc/passwd", "../x", "a/../b", "a//b", "./a", ".git/config", "a/.GIT/hooks/x", "a\nb", "a/"]
        {
            assert!(check_path(path).is_err(), "{path:?}");
        }
    }
}
