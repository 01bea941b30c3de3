//! Bringing one commit into the cache: its trees at once, of its files only those that are asked for.

use crate::auth::Credentials;
use crate::cache::{Repository, finish};
use crate::error::GitError;
use crate::program::{Git, visible};
use crate::refs::{Advertised, Reference};
use windlass_exec::{Finished, Program};

/// What git prints besides files: names of refs, entries of trees.
const LISTING: usize = 64 << 20;

/// One repository, one reader.
#[derive(Debug)]
pub(crate) struct Remote<'a> {
    pub git: &'a Git,
    pub url: &'a str,
    pub credentials: Credentials,
}

impl Remote<'_> {
    /// The refs that the server offers. What `origin` is stands in the environment: the address is no argument.
    pub(crate) async fn advertised(&self) -> Result<Advertised, GitError> {
        let program = || self.git.program(&self.git.work, LISTING).args(["ls-remote", "--quiet", "origin"]);
        let finished = self.ask(program).await?;
        Ok(Advertised::parse(&String::from_utf8_lossy(finished.whole_stdout()?)))
    }

    /// Makes the repository if it is new, and the commit if it is not there.
    pub(crate) async fn fetch(&self, repository: &Repository, wanted: &Reference) -> Result<(), GitError> {
        if repository.is_new {
            self.make(repository).await?;
        }
        if self.has(repository, &wanted.commit).await? {
            return Ok(());
        }
        let by_commit = self.fetch_ref(repository, &wanted.commit, &wanted.commit).await;
        match (by_commit, &wanted.name) {
            (Ok(()), _) => Ok(()),
            // Old servers give only what they advertise. The ref may have moved since; then the commit is not there.
            (Err(error), Some(name)) => {
                self.fetch_ref(repository, name, &wanted.commit).await.map_err(|_| error)?;
                if self.has(repository, &wanted.commit).await? {
                    return Ok(());
                }
                Err(self.gone(&wanted.commit))
            }
            (Err(GitError::Failed { detail, .. }), None) if detail.contains("not our ref") => {
                Err(self.gone(&wanted.commit))
            }
            (Err(error), None) => Err(error),
        }
    }

    fn gone(&self, commit: &str) -> GitError {
        GitError::NoSuchRef { remote: self.url.to_owned(), wanted: format!("commit {commit}"), nearest: Vec::new() }
    }

    async fn make(&self, repository: &Repository) -> Result<(), GitError> {
        let init = self.git.program(&repository.path, 1 << 16);
        self.done(
            self.git.local(init.args(["init", "--quiet", "--bare", "--template=", "--initial-branch=none"])).await?,
        )?;
        for (name, value) in [
            ("core.repositoryFormatVersion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialCloneFilter", "blob:none"),
        ] {
            let set = self.git.program(&repository.path, 1 << 16).args(["config", name, value]);
            self.done(self.git.local(set).await?)?;
        }
        finish(repository)
    }

    async fn has(&self, repository: &Repository, commit: &str) -> Result<bool, GitError> {
        let ask = self.git.program(&repository.path, 1 << 16).args(["cat-file", "-e"]);
        Ok(self.git.local(ask.arg(visible(&format!("{commit}^{{tree}}")))).await?.success())
    }

    async fn fetch_ref(&self, repository: &Repository, from: &str, commit: &str) -> Result<(), GitError> {
        let program = || {
            self.git
                .program(&repository.path, 1 << 16)
                .args(["fetch", "--quiet", "--depth=1", "--filter=blob:none", "--no-tags", "--no-write-fetch-head"])
                .args(["--no-recurse-submodules", "--force", "origin"])
                .arg(visible(&format!("{from}:refs/windlass/{commit}")))
        };
        self.ask(program).await.map(drop)
    }

    /// Brings files by their ids, all in one question.
    pub(crate) async fn fetch_files(&self, repository: &Repository, ids: &[String]) -> Result<(), GitError> {
        let stdin: String = ids.iter().flat_map(|id| [id.as_str(), "\n"]).collect();
        let program = || {
            self.git
                .program(&repository.path, 1 << 16)
                .env("GIT_NO_LAZY_FETCH", "1")
                .args([
                    "-c",
                    "fetch.negotiationAlgorithm=noop",
                    "fetch",
                    "--quiet",
                    "--no-tags",
                    "--no-write-fetch-head",
                    "--no-recurse-submodules",
                ])
                .args(["--filter=blob:none", "--stdin", "origin"])
                .stdin(stdin.clone().into_bytes())
        };
        self.ask(program).await.map(drop)
    }

    /// Asks the server, three times when it cannot be reached.
    async fn ask(&self, program: impl Fn() -> Program) -> Result<Finished, GitError> {
        const PAUSES: [u64; 2] = [500, 2_000];
        let mut pauses = PAUSES.into_iter();
        loop {
            let finished = self.git.remote(program(), self.url, &self.credentials).await?;
            match self.done(finished) {
                Err(error) if error.is_passing() => match pauses.next() {
                    Some(pause) => self.git.clock.real().sleep(windlass_model::Millis(pause)).await,
                    None => return Err(error),
                },
                done => return done,
            }
        }
    }

    fn done(&self, finished: Finished) -> Result<Finished, GitError> {
        if finished.success() {
            return Ok(finished);
        }
        Err(GitError::of_remote(self.url, &finished.stderr.text()))
    }
}
