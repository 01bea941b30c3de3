//! Files from where they are kept (kubernetes-deploy §1.3).

use crate::error::RenderError;
use std::collections::BTreeMap;
use windlass_git::{GitError, Repositories};
use windlass_model::task::source::{ManifestSource, Store};

/// A file as it was found, before anything was filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Raw {
    pub path: String,
    pub text: String,
    /// It was named by itself; files of folders are chosen by their names.
    pub named: bool,
}

/// The files of one entry, and the commit they are from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fetched {
    pub files: Vec<Raw>,
    pub commit: Option<String>,
    /// For people: `https://… at 0a1b2c3`.
    pub from: String,
}

/// The bytes of all files of one entry (kubernetes-deploy §1.3 rule 5).
const MOST_BYTES: usize = 64 << 20;

/// Fetches the files of an entry. `paths` replaces those of a Git store; the others have no folders to choose from.
pub(crate) async fn fetch(
    repositories: &Repositories,
    source: &ManifestSource,
    pinned: Option<&str>,
    paths: Option<&[String]>,
) -> Result<Fetched, RenderError> {
    match &source.store {
        Store::Git { repository, reference, paths: own } => {
            let paths = paths.unwrap_or(own);
            let failed = |error| RenderError::Fetch { manifest: source.identifier.clone(), source: error };
            let snapshot = repositories.snapshot(repository, reference, pinned, paths).await.map_err(failed)?;
            let short = snapshot.commit.get(..10).unwrap_or(&snapshot.commit);
            let from = format!("{} at {short}", repository.url);
            let mut files = Vec::with_capacity(snapshot.files.len());
            for file in snapshot.files {
                // Binary files may lie beside manifests; only those that were named must be text.
                let named = is_named(paths, &file.path);
                match String::from_utf8(file.bytes) {
                    Ok(text) => files.push(Raw { path: file.path, text, named }),
                    Err(_) if named => {
                        return Err(RenderError::Service(format!("{} of {from} is not text in UTF-8", file.path)));
                    }
                    Err(_) => {}
                }
            }
            Ok(Fetched { files, commit: Some(snapshot.commit), from })
        }
        Store::Inline { content } => {
            let path = format!("{}.yaml", source.identifier);
            let files = vec![Raw { path, text: content.clone(), named: true }];
            Ok(Fetched { files, commit: None, from: "the service".to_owned() })
        }
        Store::Files { files } => {
            let chosen = files.iter().filter(|file| paths.is_none_or(|paths| is_below(paths, &file.path)));
            let files: Vec<Raw> =
                chosen.map(|f| Raw { path: f.path.clone(), text: f.content.clone(), named: true }).collect();
            if files.iter().map(|file| file.text.len()).sum::<usize>() > MOST_BYTES {
                let message = format!("`{}` holds more than {MOST_BYTES} bytes", source.identifier);
                return Err(RenderError::Service(message));
            }
            Ok(Fetched { files, commit: None, from: "the file store".to_owned() })
        }
    }
}

/// The same files again for other paths, where a missing one is no failure.
pub(crate) async fn fetch_if_there(
    repositories: &Repositories,
    source: &ManifestSource,
    pinned: Option<&str>,
    path: &str,
) -> Result<Option<Raw>, RenderError> {
    match fetch(repositories, source, pinned, Some(&[path.to_owned()])).await {
        Ok(fetched) => Ok(fetched.files.into_iter().next()),
        Err(RenderError::Fetch { source: GitError::NoSuchPath { .. }, .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Paths as they stand in repositories, without `./` and slashes around.
pub(crate) fn clean(path: &str) -> String {
    let parts: Vec<&str> = path.trim().split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    parts.join("/")
}

fn is_named(paths: &[String], path: &str) -> bool {
    paths.iter().any(|named| clean(named) == path)
}

fn is_below(paths: &[String], path: &str) -> bool {
    let path = clean(path);
    paths.iter().map(|wanted| clean(wanted)).any(|wanted| {
        path == wanted || wanted.is_empty() || path.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('/'))
    })
}

/// The commits of entries, by identifier.
pub(crate) type Commits = BTreeMap<String, String>;
