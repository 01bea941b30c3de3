//! Files from where they are kept (kubernetes-deploy §1.3).

use crate::error::RenderError;
use crate::files::is_yaml;
use crate::outside::Outside;
use windlass_diagnostic::nearest;
use windlass_model::task::source::{GitRepository, ManifestSource, Store, StoredFile};

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
pub(crate) const MOST_BYTES: usize = 64 << 20;

/// Fetches the files of an entry. `paths` replaces those of a Git store; the others have no folders to choose from.
pub(crate) async fn fetch(
    outside: &Outside,
    source: &ManifestSource,
    pinned: Option<&str>,
    paths: Option<&[String]>,
) -> Result<Fetched, RenderError> {
    match &source.store {
        Store::Git { repository, reference, paths: own } => {
            let paths = paths.unwrap_or(own);
            let failed = |error| RenderError::Fetch { manifest: source.identifier.clone(), source: error };
            let found = outside.locate(repository, reference, pinned).await.map_err(failed)?;
            let snapshot = outside.files(repository, &found, paths).await.map_err(failed)?;
            let from = told(repository, &snapshot.commit);
            let mut files = Vec::with_capacity(snapshot.files.len());
            for file in &snapshot.files {
                // Binary files may lie beside manifests; only those that were named must be text.
                let named = is_named(paths, &file.path);
                match std::str::from_utf8(&file.bytes) {
                    Ok(text) => files.push(Raw { path: file.path.clone(), text: text.to_owned(), named }),
                    Err(_) if named => {
                        return Err(RenderError::Service(format!("{} of {from} is not text in UTF-8", file.path)));
                    }
                    Err(_) => {}
                }
            }
            Ok(Fetched { files, commit: Some(snapshot.commit.clone()), from })
        }
        Store::Inline { content } => match paths.and_then(<[_]>::first) {
            Some(path) => {
                let manifest = source.identifier.clone();
                Err(RenderError::NoFile { manifest, path: path.clone(), nearest: None })
            }
            None => {
                let path = format!("{}.yaml", source.identifier);
                let files = vec![Raw { path, text: content.clone(), named: true }];
                Ok(Fetched { files, commit: None, from: "the service".to_owned() })
            }
        },
        Store::Files { files } => stored(source, files, paths),
        Store::Charts { repository } => {
            Err(RenderError::Service(format!("`{}`: {} holds charts, not files", source.identifier, repository.url)))
        }
        Store::Inherit { .. } => Err(RenderError::Service(format!(
            "`{}`: only values and patches lie where the main manifest lies",
            source.identifier
        ))),
    }
}

/// A commit of a repository, for people.
pub(crate) fn told(repository: &GitRepository, commit: &str) -> String {
    format!("{} at {}", repository.url, commit.get(..10).unwrap_or(commit))
}

/// Files that came with the task.
fn stored(source: &ManifestSource, all: &[StoredFile], paths: Option<&[String]>) -> Result<Fetched, RenderError> {
    if all.iter().map(|file| file.content.len()).sum::<usize>() > MOST_BYTES {
        let message = format!("`{}` holds more than {MOST_BYTES} bytes", source.identifier);
        return Err(RenderError::Service(message));
    }
    for path in paths.unwrap_or_default() {
        if !all.iter().any(|file| is_below(path, &file.path)) {
            let known: Vec<String> = all.iter().map(|file| clean(&file.path)).collect();
            let nearest = nearest(&clean(path), known.iter().map(String::as_str)).map(str::to_owned);
            return Err(RenderError::NoFile { manifest: source.identifier.clone(), path: path.clone(), nearest });
        }
    }
    // The store hands over whole folders; where nothing looks like YAML, the files were meant one by one.
    let one_by_one = !all.iter().any(|file| is_yaml(&file.path));
    let raw = |file: &StoredFile| {
        let path = clean(&file.path);
        let named = one_by_one || paths.is_some_and(|paths| is_named(paths, &path));
        Raw { path, text: file.content.clone(), named }
    };
    let chosen =
        all.iter().filter(|file| paths.is_none_or(|paths| paths.iter().any(|path| is_below(path, &file.path))));
    Ok(Fetched { files: chosen.map(raw).collect(), commit: None, from: "the file store".to_owned() })
}

/// The folders and files that a store was told to hold.
pub(crate) fn roots(store: &Store) -> Vec<String> {
    match store {
        Store::Git { paths, .. } => paths.iter().map(|path| clean(path)).collect(),
        Store::Inline { .. } | Store::Charts { .. } | Store::Inherit { .. } => Vec::new(),
        Store::Files { files } => common_folder(files).into_iter().collect(),
    }
}

/// The deepest folder around all files.
fn common_folder(files: &[StoredFile]) -> Option<String> {
    let mut folders = files.iter().map(|file| {
        let path = clean(&file.path);
        path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
    });
    let first = folders.next()?;
    Some(folders.fold(first, |common, folder| {
        let same = common.split('/').zip(folder.split('/')).take_while(|(a, b)| a == b);
        same.map(|(part, _)| part).collect::<Vec<_>>().join("/")
    }))
}

/// Paths as they stand in repositories, without `./` and slashes around.
pub(crate) fn clean(path: &str) -> String {
    let parts: Vec<&str> = path.trim().split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    parts.join("/")
}

fn is_named(paths: &[String], path: &str) -> bool {
    paths.iter().any(|named| clean(named) == path)
}

/// Whether a path is another one, or lies below it.
pub(crate) fn is_below(wanted: &str, path: &str) -> bool {
    let (path, wanted) = (clean(path), clean(wanted));
    path == wanted || wanted.is_empty() || path.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_around_files() {
        let folder = |paths: &[&str]| {
            let file = |path: &&str| StoredFile { path: (*path).into(), content: String::new() };
            common_folder(&paths.iter().map(file).collect::<Vec<_>>())
        };
        assert_eq!(folder(&[]), None);
        assert_eq!(folder(&["/k8s/a.yaml"]).as_deref(), Some("k8s"));
        assert_eq!(folder(&["/k8s/a.yaml", "/k8s/jobs/b.yaml"]).as_deref(), Some("k8s"));
        assert_eq!(folder(&["a/x.yaml", "ab/y.yaml"]).as_deref(), Some(""));
        assert_eq!(folder(&["account:/k8s/a.yaml", "account:/k8s/b.yaml"]).as_deref(), Some("account:/k8s"));
    }
}
