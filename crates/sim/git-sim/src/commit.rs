//! What a new commit holds.

use crate::NameError;
use crate::error::RepoError;
use crate::name::{check_path, check_ref};
use std::collections::BTreeMap;
use std::path::Path;
use windlass_model::Timestamp;

/// An author: `Name <address>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    pub email: String,
}

impl Person {
    pub fn new(name: impl Into<String>, email: impl Into<String>) -> Self {
        Self { name: name.into(), email: email.into() }
    }

    /// The author of what a user of the REST API does.
    pub(crate) fn of_user(user: &str) -> Self {
        Self::new(user, format!("{user}@users.noreply.git-sim"))
    }

    pub(crate) fn check(&self) -> Result<(), RepoError> {
        let bad = |text: &str| text.contains(['<', '>', '\n', '\0']);
        match [&self.name, &self.email].into_iter().find(|text| bad(text)) {
            Some(text) => Err(RepoError::Person(text.clone())),
            None => Ok(()),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Write { content: Vec<u8>, executable: bool },
    Delete,
}

/// The files that a commit writes and deletes; what it does not name stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes(BTreeMap<String, Change>);

impl Changes {
    pub fn write(mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        self.0.insert(path.into(), Change::Write { content: content.into(), executable: false });
        self
    }

    pub fn write_program(mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        self.0.insert(path.into(), Change::Write { content: content.into(), executable: true });
        self
    }

    /// Deletes a file or a folder.
    pub fn delete(mut self, path: impl Into<String>) -> Self {
        self.0.insert(path.into(), Change::Delete);
        self
    }

    /// Writes all files below a folder, without `.git` and without symbolic links. Reads the disk at once.
    pub fn folder(mut self, folder: &Path) -> Result<Self, RepoError> {
        let mut open = vec![(folder.to_owned(), String::new())];
        while let Some((folder, prefix)) = open.pop() {
            let fail = |source| RepoError::Folder { path: folder.display().to_string(), source };
            for entry in std::fs::read_dir(&folder).map_err(fail)? {
                let entry = entry.map_err(fail)?;
                let name = entry.file_name();
                let name = name.to_str().ok_or_else(|| NameError::Path(name.to_string_lossy().into_owned()))?;
                let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") };
                let kind = entry.file_type().map_err(fail)?;
                if kind.is_dir() && name != ".git" {
                    open.push((entry.path(), path));
                } else if kind.is_file() {
                    let content = std::fs::read(entry.path()).map_err(fail)?;
                    let executable = is_executable(&entry.metadata().map_err(fail)?);
                    self.0.insert(path, Change::Write { content, executable });
                }
            }
        }
        Ok(self)
    }

    pub(crate) fn check(&self) -> Result<(), NameError> {
        self.0.keys().try_for_each(|path| check_path(path))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Change)> {
        self.0.iter().map(|(path, change)| (path.as_str(), change))
    }
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    false
}

/// A commit to be made on top of a branch. Equal input gives an equal id, run after run.
#[derive(Clone, Debug)]
pub struct NewCommit {
    pub branch: String,
    pub changes: Changes,
    pub message: String,
    pub author: Person,
    pub when: Timestamp,
}

impl NewCommit {
    pub(crate) fn check(&self) -> Result<(), RepoError> {
        check_ref(&self.branch)?;
        self.changes.check()?;
        self.author.check()
    }
}
