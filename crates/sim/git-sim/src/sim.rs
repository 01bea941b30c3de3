//! The state of a pretend forge.

use crate::access::{Token, Tokens};
use crate::api::CommitStatus;
use crate::error::RepoError;
use crate::fault::{Fault, Faults};
use crate::program::Git;
use crate::webhook::Webhooks;
use crate::{Pull, Repo, RepoName, Sha};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use windlass_clock::Clock;

/// How a server is set up.
#[derive(Clone, Debug)]
pub struct Options {
    pub clock: Clock,
    /// How clients reach it, `http://host:port` without a slash at the end. [`GitSim::serve`] fills it from its listener.
    pub public_url: Option<String>,
    /// The largest pack that a push may bring, bytes after decompression.
    pub pack_limit: u64,
    /// How many git processes may run at once for clients; others wait.
    pub processes: usize,
}

impl Options {
    pub fn new(clock: Clock) -> Self {
        Self { clock, public_url: None, pack_limit: 512 << 20, processes: 32 }
    }
}

/// A pretend forge. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct GitSim(Arc<Inner>);

pub(crate) struct Inner {
    root: PathBuf,
    pub(crate) options: Options,
    public_url: RwLock<String>,
    tokens: RwLock<Tokens>,
    faults: Mutex<Faults>,
    repos: Mutex<BTreeMap<RepoName, RepoState>>,
    pub(crate) webhooks: Webhooks,
    pub(crate) processes: Arc<tokio::sync::Semaphore>,
}

/// What is known of a repository besides its objects and refs.
#[derive(Debug, Default)]
pub(crate) struct RepoState {
    /// The position in order of creation: GitHub's numeric id.
    pub(crate) id: u64,
    pub(crate) protected: Vec<String>,
    pub(crate) pulls: Vec<Pull>,
    pub(crate) statuses: BTreeMap<Sha, Vec<CommitStatus>>,
    /// Whoever changes refs from Rust holds this; pushes are ordered by git's own locks.
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl GitSim {
    /// Opens a folder of bare repositories, and makes it when it is not there.
    pub fn open(root: impl Into<PathBuf>, options: Options) -> Result<Self, RepoError> {
        let root = root.into();
        let fail = |source| RepoError::Folder { path: root.display().to_string(), source };
        std::fs::create_dir_all(&root).map_err(fail)?;
        // Git processes work inside of a repository, so its path must not depend on where we stand.
        let root = root.canonicalize().map_err(fail)?;
        let mut repos = BTreeMap::new();
        for name in existing(&root).map_err(fail)? {
            let id = repos.len() as u64 + 1;
            repos.insert(name, RepoState { id, ..RepoState::default() });
        }
        Ok(Self(Arc::new(Inner {
            public_url: RwLock::new(options.public_url.clone().unwrap_or_else(|| "http://git-sim".to_owned())),
            tokens: RwLock::default(),
            faults: Mutex::default(),
            repos: Mutex::new(repos),
            webhooks: Webhooks::new(options.clock),
            processes: Arc::new(tokio::sync::Semaphore::new(options.processes.max(1))),
            root,
            options,
        })))
    }

    /// Makes an empty repository whose default branch is `main`.
    pub async fn create_repo(&self, name: &RepoName) -> Result<Repo, RepoError> {
        let repo = self.handle(name);
        {
            let mut repos = self.repos();
            if repos.contains_key(name) {
                return Err(RepoError::Exists(name.clone()));
            }
            let id = repos.values().map(|state| state.id).max().unwrap_or(0) + 1;
            repos.insert(name.clone(), RepoState { id, ..RepoState::default() });
        }
        let made = async {
            std::fs::create_dir_all(&repo.path)
                .map_err(|source| RepoError::Folder { path: repo.path.display().to_string(), source })?;
            let init = Git::new(&repo.path).args(["init", "--quiet", "--bare", "--template=", "--initial-branch=main"]);
            init.output().await.map_err(repo.failed("create"))
        };
        if let Err(error) = made.await {
            self.repos().remove(name);
            return Err(error);
        }
        Ok(repo)
    }

    pub fn repo(&self, name: &RepoName) -> Result<Repo, RepoError> {
        if self.repos().contains_key(name) { Ok(self.handle(name)) } else { Err(RepoError::NoSuchRepo(name.clone())) }
    }

    /// All repositories, in order of their names.
    pub fn repo_names(&self) -> Vec<RepoName> {
        self.repos().keys().cloned().collect()
    }

    pub fn add_token(&self, token: Token) {
        self.0.tokens.write().unwrap_or_else(PoisonError::into_inner).add(token);
    }

    pub fn revoke_token(&self, secret: &str) {
        self.0.tokens.write().unwrap_or_else(PoisonError::into_inner).revoke(secret);
    }

    /// Replaces the faults and starts their counters anew.
    pub fn set_faults(&self, faults: Vec<Fault>) {
        *self.faults() = Faults::new(faults);
    }

    /// From now on only tokens with the right `Admin` push to this branch; others need a pull request.
    pub fn protect_branch(&self, repo: &RepoName, branch: &str) -> Result<(), RepoError> {
        crate::name::check_ref(branch)?;
        self.with(repo, |state| {
            if !state.protected.iter().any(|name| name == branch) {
                state.protected.push(branch.to_owned());
            }
        })
    }

    pub fn unprotect_branch(&self, repo: &RepoName, branch: &str) -> Result<(), RepoError> {
        self.with(repo, |state| state.protected.retain(|name| name != branch))
    }

    /// Where clients find the server, without a slash at the end.
    pub fn public_url(&self) -> String {
        self.0.public_url.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_public_url(&self, url: String) {
        *self.0.public_url.write().unwrap_or_else(PoisonError::into_inner) = url;
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }

    pub(crate) fn tokens(&self) -> Tokens {
        self.0.tokens.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn faults(&self) -> MutexGuard<'_, Faults> {
        self.0.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads or changes the state of one repository.
    pub(crate) fn with<T>(&self, name: &RepoName, use_it: impl FnOnce(&mut RepoState) -> T) -> Result<T, RepoError> {
        self.repos().get_mut(name).map(use_it).ok_or_else(|| RepoError::NoSuchRepo(name.clone()))
    }

    fn repos(&self) -> MutexGuard<'_, BTreeMap<RepoName, RepoState>> {
        self.0.repos.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handle(&self, name: &RepoName) -> Repo {
        let path = self.0.root.join(name.org()).join(format!("{}.git", name.repo()));
        Repo { sim: self.clone(), name: name.clone(), path }
    }
}

impl Repo {
    /// Waits until nobody else changes this repository from Rust.
    pub(crate) async fn turn(&self) -> Option<tokio::sync::OwnedMutexGuard<()>> {
        let turn = self.sim.with(&self.name, |state| Arc::clone(&state.turn)).ok()?;
        Some(turn.lock_owned().await)
    }
}

impl fmt::Debug for GitSim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GitSim").field("root", &self.0.root).finish_non_exhaustive()
    }
}

/// The names of what lies below a folder as `ORG/REPO.git`.
fn existing(root: &Path) -> std::io::Result<Vec<RepoName>> {
    let mut names = Vec::new();
    for org in std::fs::read_dir(root)? {
        let org = org?;
        if !org.file_type()?.is_dir() {
            continue;
        }
        for repo in std::fs::read_dir(org.path())? {
            let (org, repo) = (org.file_name(), repo?.file_name());
            let (Some(org), Some(repo)) = (org.to_str(), repo.to_str()) else { continue };
            names.extend(repo.strip_suffix(".git").and_then(|repo| RepoName::new(org, repo).ok()));
        }
    }
    names.sort();
    Ok(names)
}
