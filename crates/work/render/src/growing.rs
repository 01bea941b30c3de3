//! Files of one commit, brought when a build asks for them: a folder of a large repository needs the others rarely.

use crate::outside::Outside;
use crate::store::{MOST_BYTES, clean, is_below};
use crate::tree::Tree;
use crate::waits::Waits;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use windlass_git::{GitError, Reference};
use windlass_kustomize::{Files, Resolved};
use windlass_model::task::source::GitRepository;

/// A commit, as far as it was asked for.
pub(crate) struct Growing {
    tree: RefCell<Tree>,
    /// Files and folders of which everything is in the tree, or which are not there.
    known: RefCell<Vec<String>>,
    bytes: Cell<usize>,
    source: Option<Source>,
    problem: RefCell<Option<GitError>>,
}

/// Where files come from.
pub(crate) struct Source {
    pub outside: Outside,
    pub waits: Waits,
    pub repository: GitRepository,
    pub reference: Reference,
    /// The folder outside of which nothing is there.
    pub scope: String,
}

impl Growing {
    /// Files that are here already.
    pub(crate) fn whole(tree: Tree) -> Self {
        let known = RefCell::new(vec![String::new()]);
        Self { tree: RefCell::new(tree), known, bytes: Cell::new(0), source: None, problem: RefCell::default() }
    }

    pub(crate) fn of(source: Source) -> Self {
        Self { known: RefCell::default(), source: Some(source), ..Self::whole(Tree::default()) }
    }

    pub(crate) fn has_folder(&self, path: &str) -> bool {
        self.resolve(&format!("/{path}")).is_some_and(|found| found.is_folder)
    }

    /// What is here.
    pub(crate) fn tree(&mut self) -> &mut Tree {
        self.tree.get_mut()
    }

    /// Why something could not be brought that may be there.
    pub(crate) fn problem(self) -> Option<GitError> {
        self.problem.into_inner()
    }

    fn bring(&self, path: &str) {
        let path = clean(path);
        let Some(source) = &self.source else { return };
        if self.known.borrow().iter().any(|known| is_below(known, &path)) || !is_below(&source.scope, &path) {
            return;
        }
        match self.fetch(source, &path) {
            // A link may lead there: everything is looked through, where that is not too much.
            Err(GitError::NoSuchPath { .. }) if path != source.scope => match self.fetch(source, &source.scope) {
                Ok(()) | Err(GitError::NoSuchPath { .. } | GitError::TooLarge { .. }) => {}
                Err(problem) => self.fail(problem),
            },
            Ok(()) | Err(GitError::NoSuchPath { .. }) => {}
            Err(problem) => self.fail(problem),
        }
        self.known.borrow_mut().push(path);
    }

    fn fetch(&self, source: &Source, path: &str) -> Result<(), GitError> {
        let found = source.outside.folder(&source.repository, &source.reference, path);
        let snapshot = source.waits.answer(found)?;
        let mut known = self.known.borrow_mut();
        // What is here already may have been changed for the build.
        let new = snapshot.files.iter().filter(|file| !known.iter().any(|known| is_below(known, &file.path)));
        let mut bytes = self.bytes.get();
        let mut tree = self.tree.borrow_mut();
        for file in new {
            bytes += file.bytes.len();
            if bytes > MOST_BYTES {
                let (remote, what) = (source.repository.url.clone(), "what the kustomization names".to_owned());
                return Err(GitError::TooLarge { remote, what, limit: MOST_BYTES });
            }
            tree.insert(&file.path, &file.bytes);
        }
        self.bytes.set(bytes);
        known.push(path.to_owned());
        Ok(())
    }

    fn fail(&self, problem: GitError) {
        self.problem.borrow_mut().get_or_insert(problem);
    }
}

impl Files for Growing {
    fn resolve(&self, path: &str) -> Option<Resolved> {
        self.bring(path);
        self.tree.borrow().resolve(path)
    }

    fn read(&self, path: &str) -> Result<Arc<[u8]>, String> {
        self.bring(path);
        self.tree.borrow().read(path)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        self.bring(folder);
        self.tree.borrow().list(folder)
    }
}
