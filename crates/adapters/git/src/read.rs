//! Files of a commit, straight from the object store.

use crate::cache::Repository;
use crate::error::GitError;
use crate::fetch::Remote;
use crate::program::visible;
use crate::tree::{Entry, Kind, follow, normal, parse};
use std::collections::{BTreeMap, BTreeSet};
use windlass_diagnostic::nearest;

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Relative to the root.
    pub path: String,
    pub bytes: Vec<u8>,
}

/// What is done with entries that cannot be read as files: links that lead out of the repository, and submodules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Odd {
    Refused,
    /// Whoever needs one misses it.
    LeftOut,
}

/// A walk through a tree: how it goes on, and how far it may.
struct Walk {
    odd: Odd,
    links: usize,
}

/// Links that lead to links.
const MOST_STEPS: usize = 8;
/// Links of one call: folders of links to folders of links multiply.
const MOST_LINKS: usize = 200;
const LISTING: usize = 64 << 20;

impl Remote<'_> {
    /// The files at and below `paths`, each once, in the order of the paths and within a folder by name.
    pub(crate) async fn read(
        &self,
        repository: &Repository,
        commit: &str,
        paths: &[String],
        limit: usize,
        odd: Odd,
    ) -> Result<Vec<File>, GitError> {
        let mut wanted: Vec<Entry> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut walk = Walk { odd, links: 0 };
        for path in paths {
            let found = self.below(repository, commit, &normal(path)?, 0, &mut walk).await?;
            wanted.extend(found.into_iter().filter(|entry| seen.insert(entry.path.clone())));
        }
        let ids: BTreeSet<String> = wanted.iter().map(|entry| entry.id.clone()).collect();
        let contents = self.contents(repository, &ids, limit).await?;
        let file = |entry: Entry| {
            let bytes = contents.get(&entry.id).cloned().unwrap_or_default();
            File { path: entry.path, bytes }
        };
        let files: Vec<File> = wanted.into_iter().map(file).collect();
        let total: usize = files.iter().map(|file| file.bytes.len()).sum();
        if total > limit {
            return Err(self.too_large("what the paths hold", limit));
        }
        Ok(files)
    }

    fn too_large(&self, what: &str, limit: usize) -> GitError {
        GitError::TooLarge { remote: self.url.to_owned(), what: what.to_owned(), limit }
    }

    /// The files at and below a path; links are replaced by what they lead to, under their own name.
    async fn below(
        &self,
        repository: &Repository,
        commit: &str,
        path: &str,
        steps: usize,
        walk: &mut Walk,
    ) -> Result<Vec<Entry>, GitError> {
        let entries = self.list(repository, commit, path, true).await?;
        if entries.is_empty() {
            return Err(self.no_such_path(repository, commit, path).await?);
        }
        let mut files = Vec::new();
        for entry in entries {
            match entry.kind {
                Kind::File | Kind::Folder => files.push(entry),
                Kind::Submodule if walk.odd == Odd::LeftOut => {}
                Kind::Submodule => {
                    return Err(GitError::Submodule { remote: self.url.to_owned(), path: entry.path });
                }
                Kind::Link => {
                    walk.links += 1;
                    if walk.links > MOST_LINKS {
                        let remote = self.url.to_owned();
                        return Err(GitError::TooManyLinks { remote, path: entry.path, limit: MOST_LINKS });
                    }
                    let behind = Box::pin(self.behind(repository, commit, &entry, steps, walk)).await;
                    match behind {
                        Err(GitError::Link { .. } | GitError::NoSuchPath { .. }) if walk.odd == Odd::LeftOut => {}
                        found => files.extend(found?),
                    }
                }
            }
        }
        Ok(files)
    }

    async fn behind(
        &self,
        repository: &Repository,
        commit: &str,
        link: &Entry,
        steps: usize,
        walk: &mut Walk,
    ) -> Result<Vec<Entry>, GitError> {
        let target = self.contents(repository, &BTreeSet::from([link.id.clone()]), 4096).await?;
        let target = String::from_utf8_lossy(target.get(&link.id).map(Vec::as_slice).unwrap_or_default()).into_owned();
        let bad = || GitError::Link {
            remote: self.url.to_owned(),
            path: link.path.clone(),
            target: target.chars().take(200).collect(),
        };
        let leads = follow(&link.path, &target).filter(|_| steps < MOST_STEPS).ok_or_else(bad)?;
        // A folder that holds the link itself would never end.
        if leads.is_empty() || link.path.starts_with(&format!("{leads}/")) {
            return Err(bad());
        }
        let found = self.below(repository, commit, &leads, steps + 1, walk).await?;
        let renamed = found.into_iter().map(|entry| {
            let rest = entry.path.strip_prefix(&leads).unwrap_or_default().to_owned();
            Entry { path: format!("{}{rest}", link.path), ..entry }
        });
        Ok(renamed.collect())
    }

    async fn list(
        &self,
        repository: &Repository,
        commit: &str,
        path: &str,
        deep: bool,
    ) -> Result<Vec<Entry>, GitError> {
        let program = self.git.program(&repository.path, LISTING).args(["ls-tree", "-z", "--full-tree"]);
        let program = if deep { program.arg("-r") } else { program };
        let program = program.arg(visible(commit)).arg("--");
        let program = if path.is_empty() { program } else { program.arg(visible(path)) };
        let finished = self.git.local(program).await?;
        if !finished.success() {
            return Err(GitError::Failed { remote: self.url.to_owned(), detail: finished.stderr.text() });
        }
        Ok(parse(finished.whole_stdout()?))
    }

    /// The error for a path that is not there, with its neighbours in the deepest folder that is.
    async fn no_such_path(&self, repository: &Repository, commit: &str, path: &str) -> Result<GitError, GitError> {
        let mut parent = path;
        let nearest_names = loop {
            parent = parent.rsplit_once('/').map_or("", |(parent, _)| parent);
            let folder = if parent.is_empty() { String::new() } else { format!("{parent}/") };
            let inside = self.list(repository, commit, &folder, false).await?;
            if inside.is_empty() && !parent.is_empty() {
                continue;
            }
            let names: Vec<String> = inside.into_iter().map(|entry| entry.path).collect();
            let near = nearest(path, names.iter().map(String::as_str)).map(|near| vec![near.to_owned()]);
            break near.unwrap_or_else(|| names.into_iter().take(5).collect());
        };
        Ok(GitError::NoSuchPath {
            remote: self.url.to_owned(),
            commit: commit.to_owned(),
            path: path.to_owned(),
            nearest: nearest_names,
        })
    }

    /// The contents of files by their ids.
    async fn contents(
        &self,
        repository: &Repository,
        ids: &BTreeSet<String>,
        limit: usize,
    ) -> Result<BTreeMap<String, Vec<u8>>, GitError> {
        let sizes = self.sizes(repository, ids).await?;
        let missing: Vec<String> = ids.iter().filter(|id| !sizes.contains_key(*id)).cloned().collect();
        let sizes = if missing.is_empty() {
            sizes
        } else {
            self.fetch_files(repository, &missing).await?;
            self.sizes(repository, ids).await?
        };
        if let Some(id) = ids.iter().find(|id| !sizes.contains_key(*id)) {
            return Err(GitError::Failed {
                remote: self.url.to_owned(),
                detail: format!("the object {id} did not come"),
            });
        }
        if sizes.values().sum::<usize>() > limit {
            return Err(self.too_large("what the paths hold", limit));
        }
        // Each content has a line of its own before it, and a line break behind it.
        let kept = sizes.values().sum::<usize>() + ids.len() * 128;
        let output = self.batch(repository, ids, kept).await?;
        let mut contents = BTreeMap::new();
        let mut rest = output.as_slice();
        for id in ids {
            let size = sizes.get(id).copied().unwrap_or(0);
            let head = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            let body = rest.get(head + 1..head + 1 + size).unwrap_or_default();
            contents.insert(id.clone(), body.to_vec());
            rest = rest.get(head + size + 2..).unwrap_or_default();
        }
        Ok(contents)
    }

    /// The sizes of those that are there. Asking for an object that is not makes some versions of git fail and others fetch
    /// it, so all that are there are listed.
    async fn sizes(
        &self,
        repository: &Repository,
        ids: &BTreeSet<String>,
    ) -> Result<BTreeMap<String, usize>, GitError> {
        let program = self.git.program(&repository.path, LISTING).args([
            "cat-file",
            "--batch-check=%(objectname) %(objectsize)",
            "--batch-all-objects",
            "--unordered",
        ]);
        let finished = self.git.local(program).await?;
        if !finished.success() {
            return Err(GitError::Failed { remote: self.url.to_owned(), detail: finished.stderr.text() });
        }
        let size = |line: &str| {
            let (id, size) = line.split_once(' ')?;
            if ids.contains(id) { Some((id.to_owned(), size.parse().ok()?)) } else { None }
        };
        Ok(String::from_utf8_lossy(finished.whole_stdout()?).lines().filter_map(size).collect())
    }

    async fn batch(&self, repository: &Repository, ids: &BTreeSet<String>, kept: usize) -> Result<Vec<u8>, GitError> {
        let stdin: String = ids.iter().flat_map(|id| [id.as_str(), "\n"]).collect();
        let program = self.git.program(&repository.path, kept).args(["cat-file", "--batch"]).stdin(stdin.into_bytes());
        let finished = self.git.local(program).await?;
        if !finished.success() {
            return Err(GitError::Failed { remote: self.url.to_owned(), detail: finished.stderr.text() });
        }
        Ok(finished.whole_stdout()?.to_vec())
    }
}
