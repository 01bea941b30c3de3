//! From which folder files are read, and which ones may be (rendering §1.3).

use crate::error::{Problem, Result};
use crate::files::{Files, GitSource, HttpError, is_within, join};
use crate::git_url;
use crate::options::{LoadRestriction, Options};
use std::rc::Rc;
use std::sync::Arc;

/// One kustomization's view of the files.
pub(crate) struct Loader<'a> {
    source: Source<'a>,
    pub(crate) root: String,
    restriction: LoadRestriction,
    referrer: Option<Rc<Loader<'a>>>,
    /// The clone that this loader is the entry of.
    clone: Option<Clone>,
    options: Options<'a>,
    depth: usize,
}

struct Clone {
    raw: String,
    root: String,
}

#[derive(Clone)]
enum Source<'a> {
    Given(&'a dyn Files),
    Fetched(Arc<dyn Files>),
}

impl Source<'_> {
    fn files(&self) -> &dyn Files {
        match self {
            Self::Given(files) => *files,
            Self::Fetched(files) => &**files,
        }
    }
}

/// Kustomizations within each other. The reference has no limit, and its stack one.
const DEEPEST: usize = 100;

/// Why a file was not loaded.
pub(crate) enum LoadFailure {
    /// The server answered, and with an error: it is no folder either.
    Http(Box<crate::KustomizeError>),
    Other(Box<crate::KustomizeError>),
}

impl LoadFailure {
    pub(crate) fn into_error(self) -> Box<crate::KustomizeError> {
        match self {
            Self::Http(error) | Self::Other(error) => error,
        }
    }
}

impl<'a> Loader<'a> {
    /// The loader of the folder or repository that a build starts at.
    pub(crate) fn start(files: &'a dyn Files, target: &str, options: &Options<'a>) -> Result<Rc<Self>> {
        if let Some(source) = git_url::parse(target) {
            return Self::of_clone(&source, None, options);
        }
        let root = folder(files, target)?;
        Ok(Rc::new(Self {
            source: Source::Given(files),
            root,
            restriction: options.load_restriction,
            referrer: None,
            clone: None,
            options: *options,
            depth: 0,
        }))
    }

    fn of_clone(source: &GitSource, referrer: Option<&Rc<Self>>, options: &Options<'a>) -> Result<Rc<Self>> {
        let Some(fetch) = options.fetch else {
            return Err(Problem::Load
                .says(format!("cannot fetch '{}': repositories are not available here", source.raw))
                .remedy("keep the files next to the kustomization"));
        };
        let checkout =
            fetch.git(source).map_err(|why| Problem::Load.says(format!("cannot fetch '{}': {why}", source.raw)))?;
        let wanted = join(&checkout.root, &source.path);
        let root = folder(&*checkout.files, &wanted)?;
        let clone = folder(&*checkout.files, &checkout.root)?;
        if !is_within(&root, &clone) {
            let what = format!("{wanted:?} refers to directory outside of repo {clone:?}");
            return Err(Problem::Security.says(what));
        }
        Ok(Rc::new(Self {
            source: Source::Fetched(checkout.files),
            root,
            restriction: LoadRestriction::RootOnly,
            referrer: referrer.cloned(),
            clone: Some(Clone { raw: source.raw.clone(), root: clone }),
            options: *options,
            depth: referrer.map_or(0, |referrer| referrer.depth + 1),
        }))
    }

    /// The loader of a folder or repository that this kustomization names.
    pub(crate) fn below(self: &Rc<Self>, path: &str) -> Result<Rc<Self>> {
        if path.is_empty() {
            return Err(Problem::Load.says("new root cannot be empty"));
        }
        if self.depth >= DEEPEST {
            return Err(Problem::Limit.says(format!("kustomizations are nested deeper than {DEEPEST} levels")));
        }
        if let Some(source) = git_url::parse(path) {
            self.refuse_cycle_of_clones(&source)?;
            return Self::of_clone(&source, Some(self), &self.options);
        }
        if path.starts_with('/') {
            return Err(Problem::Security
                .says(format!("new root '{path}' cannot be absolute"))
                .remedy("name the folder relative to this kustomization"));
        }
        let root = folder(self.source.files(), &join(&self.root, path))?;
        if let Some(clone) = self.containing_clone()
            && !is_within(&root, clone)
        {
            return Err(Problem::Security.says(format!(
                "security; bases in kustomizations found in cloned git repos must be within the repo, but base '{root}' is outside '{clone}'"
            )));
        }
        self.refuse_cycle(&root)?;
        Ok(Rc::new(Self {
            source: self.source.clone(),
            root,
            restriction: self.restriction,
            referrer: Some(Rc::clone(self)),
            clone: None,
            options: self.options,
            depth: self.depth + 1,
        }))
    }

    fn containing_clone(&self) -> Option<&str> {
        match &self.clone {
            Some(clone) => Some(&clone.root),
            None => self.referrer.as_ref()?.containing_clone(),
        }
    }

    /// This loader and those that led to it, inside out.
    fn chain(&self) -> impl Iterator<Item = &Loader<'a>> {
        std::iter::successors(Some(self), |loader| loader.referrer.as_deref())
    }

    fn refuse_cycle(&self, root: &str) -> Result<()> {
        match self.chain().find(|loader| is_within(&loader.root, root)) {
            Some(visited) => {
                let visited = &visited.root;
                let what = format!("cycle detected: candidate root '{root}' contains visited root '{visited}'");
                Err(Problem::Cycle.says(what).remedy("a kustomization cannot contain itself: remove one of the two"))
            }
            None => Ok(()),
        }
    }

    fn refuse_cycle_of_clones(&self, source: &GitSource) -> Result<()> {
        let mut clones = self.chain().filter_map(|loader| loader.clone.as_ref());
        match clones.find(|clone| clone.raw.starts_with(&source.raw)) {
            Some(clone) => Err(Problem::Cycle
                .says(format!("cycle detected: URI '{}' referenced by previous URI '{}'", source.raw, clone.raw))),
            None => Ok(()),
        }
    }

    pub(crate) fn files(&self) -> &dyn Files {
        self.source.files()
    }

    /// The content of a file, and the name by which people know it.
    pub(crate) fn load(&self, path: &str) -> std::result::Result<(String, Arc<[u8]>), LoadFailure> {
        if path.starts_with("http://") || path.starts_with("https://") {
            return self.load_http(path);
        }
        let full = if path.starts_with('/') { path.to_owned() } else { join(&self.root, path) };
        let failure = |error| LoadFailure::Other(error);
        let Some(found) = self.files().resolve(&full) else {
            return Err(failure(Problem::Load.says(format!("'{full}' doesn't exist"))));
        };
        if found.is_folder {
            return Err(failure(Problem::Load.says(format!("'{full}' must resolve to a file"))));
        }
        let parent = found.path.rsplit_once('/').map_or("", |(parent, _)| parent);
        let parent = if parent.is_empty() { "/" } else { parent };
        if self.restriction == LoadRestriction::RootOnly && !is_within(parent, &self.root) {
            let what = format!("security; file '{full}' is not in or below '{}'", self.root);
            return Err(failure(Problem::Security.says(what).remedy(
                "move the file below this kustomization, make it a component, or lift the restriction with --load-restrictor LoadRestrictionsNone",
            )));
        }
        let content = self.files().read(&found.path).map_err(|why| failure(Problem::Load.says(why)))?;
        Ok((full, content))
    }

    /// The text of a file.
    pub(crate) fn load_text(&self, path: &str) -> Result<(String, String)> {
        let (name, bytes) = self.load(path).map_err(LoadFailure::into_error)?;
        let text = text(&name, &bytes)?;
        Ok((name, text))
    }

    fn load_http(&self, url: &str) -> std::result::Result<(String, Arc<[u8]>), LoadFailure> {
        let other = |what: String| LoadFailure::Other(Problem::Load.says(what));
        let Some(fetch) = self.options.fetch else {
            return Err(other(format!("cannot fetch '{url}': the network is not available here")));
        };
        match fetch.http(url) {
            Ok(content) => Ok((url.to_owned(), content)),
            Err(HttpError::Status(_)) if git_url::parse(url).is_some() => Err(other("URL is a git repository".into())),
            Err(error @ HttpError::Status(_)) => Err(LoadFailure::Http(Problem::Load.says(error.to_string()))),
            Err(HttpError::Other(why)) => Err(other(why)),
        }
    }

    pub(crate) fn options(&self) -> &Options<'a> {
        &self.options
    }
}

/// The text of bytes that were loaded.
pub(crate) fn text(name: &str, bytes: &[u8]) -> Result<String> {
    match windlass_yaml::decode(name, bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(problems) => Err(crate::KustomizeError::malformed(name, problems)),
    }
}

fn folder(files: &dyn Files, path: &str) -> Result<String> {
    match files.resolve(path) {
        Some(found) if found.is_folder => Ok(found.path),
        Some(_) => Err(Problem::Load.says(format!("must build at directory: '{path}': file is not directory"))),
        None => {
            Err(Problem::Load.says(format!("must build at directory: not a valid directory: '{path}' doesn't exist")))
        }
    }
}
