//! Why a repository could not be read, with what to do about it.

use windlass_exec::RunError;
use windlass_model::failure::{Failure, FailureType};

/// `remote` is always the address without credentials.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("`{url}` is not the address of a repository: {problem}")]
    Address { url: String, problem: &'static str },
    #[error("{remote} cannot be reached: {detail}")]
    Unreachable { remote: String, detail: String },
    #[error("{remote} does not accept the credentials: {detail}")]
    Credentials { remote: String, detail: String },
    #[error("{remote} is not there, or the credentials may not read it: {detail}")]
    NoRepository { remote: String, detail: String },
    #[error("{remote} has no {wanted}{}", near(.nearest))]
    NoSuchRef { remote: String, wanted: String, nearest: Vec<String> },
    #[error("{remote} at {} has no {path}{}", short(.commit), near(.nearest))]
    NoSuchPath { remote: String, commit: String, path: String, nearest: Vec<String> },
    #[error("`{path}` is not a path inside of a repository")]
    BadPath { path: String },
    #[error("`{text}` is not a commit in full: 40 digits of 0-9 and a-f")]
    BadCommit { text: String },
    #[error("{remote}: {path} is a folder and not a file")]
    Folder { remote: String, path: String },
    #[error("{remote}: more than {limit} links are followed for one fetch; {path} is one more")]
    TooManyLinks { remote: String, path: String, limit: usize },
    #[error("{remote}: {path} is a link to `{target}`, which leads out of the repository or in circles")]
    Link { remote: String, path: String, target: String },
    #[error("{remote}: {path} is a submodule: submodules are not fetched")]
    Submodule { remote: String, path: String },
    #[error("{remote}: {what} is larger than {limit} bytes")]
    TooLarge { remote: String, what: String, limit: usize },
    #[error("{remote} wants to be reached elsewhere: {detail}")]
    Moved { remote: String, detail: String },
    #[error("the cache of repositories cannot be used: {doing}")]
    Cache {
        doing: &'static str,
        #[source]
        source: std::io::Error,
    },
    #[error("git cannot be run")]
    Program(#[from] RunError),
    /// Git failed in a way that is not known here.
    #[error("{remote}: git failed: {detail}")]
    Failed { remote: String, detail: String },
}

fn near(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; there is {}", names.join(", ")) }
}

/// The first ten digits of a commit.
fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

impl GitError {
    /// What git said when it talked to a server. Its words are those of the C locale.
    pub(crate) fn of_remote(remote: &str, stderr: &str) -> Self {
        let said = said(stderr);
        let lower = stderr.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let (remote, detail) = (remote.to_owned(), said);
        if has(&["authentication failed", "could not read username", "could not read password", "error: 401"])
            || has(&["permission denied (publickey", "host key verification failed", "error: 403"])
        {
            Self::Credentials { remote, detail }
        } else if has(&[
            "unable to update url base from redirection",
            "error: 301",
            "error: 302",
            "error: 307",
            "error: 308",
        ]) {
            Self::Moved { remote, detail }
        } else if has(&["repository not found", "not found", "does not appear to be a git repository", "error: 404"]) {
            Self::NoRepository { remote, detail }
        } else if has(&[
            "could not resolve",
            "failed to connect",
            "couldn't connect",
            "connection refused",
            "timed out",
        ]) || has(&[
            "ssl",
            "certificate",
            "connection reset",
            "early eof",
            "hung up",
            "error: 5",
            "error: 429",
            "network is unreachable",
        ]) {
            Self::Unreachable { remote, detail }
        } else {
            Self::Failed { remote, detail }
        }
    }

    /// Whether the same may succeed a little later.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }

    pub fn failure_type(&self) -> FailureType {
        match self {
            Self::Unreachable { .. } => FailureType::Connectivity,
            Self::Program(RunError::TimedOut { .. }) => FailureType::Connectivity,
            Self::Credentials { .. } => FailureType::Authentication,
            Self::NoRepository { .. } => FailureType::Authorization,
            Self::Cache { .. } | Self::Program(_) => FailureType::InfrastructureFailure,
            Self::Failed { .. } => FailureType::Unknown,
            _ => FailureType::ConfigurationFailure,
        }
    }

    pub fn to_failure(&self) -> Failure {
        let mut message = self.to_string();
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            message = format!("{message}: {cause}");
            source = cause.source();
        }
        let failure = Failure::new(self.failure_type(), message);
        match self {
            Self::Unreachable { .. } => failure.hint("check the address of the connector from the delegate's network"),
            Self::Credentials { .. } => failure.hint("check the secret of the connector: the token may have expired"),
            Self::NoRepository { .. } => failure.hint("check the repository's name, and that the token may read it"),
            Self::Moved { .. } => {
                failure.hint("put the new address into the connector: credentials are not sent elsewhere")
            }
            Self::NoSuchRef { wanted, .. } if wanted.starts_with("commit") => {
                failure.hint("write a commit that no branch or tag points to in full: all of its 40 digits")
            }
            Self::Submodule { .. } => {
                failure.hint("keep the files in the repository itself, or name the others one by one")
            }
            Self::Link { .. } | Self::TooManyLinks { .. } => {
                failure.hint("put the file itself there, or name it by its own path")
            }
            Self::TooLarge { .. } => {
                failure.hint("name the folders and files that are needed, and not the whole repository")
            }
            Self::Address { .. } => {
                failure.hint("correct the address in the connector: https://host/path or git@host:path")
            }
            Self::BadPath { .. } => failure.hint("write paths from the root of the repository, without .."),
            Self::Program(RunError::NotFound { .. }) => failure.hint("install git where the delegate runs"),
            _ => failure,
        }
    }
}

/// The lines of git that say what went wrong, without those that advise.
fn said(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let told = lines.iter().find_map(|line| line.strip_prefix("fatal: ").or_else(|| line.strip_prefix("remote: ")));
    let told = told.or_else(|| lines.iter().find_map(|line| line.strip_prefix("error: ")));
    told.or_else(|| lines.last().copied()).unwrap_or("it did not say why").chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_is_understood() {
        use FailureType as F;
        for (stderr, wanted) in [
            ("fatal: Authentication failed for 'https://x/'", F::Authentication),
            ("fatal: could not read Username for 'https://x': terminal prompts disabled", F::Authentication),
            ("git@x: Permission denied (publickey).\nfatal: Could not read from remote repository.", F::Authentication),
            ("remote: Repository not found.\nfatal: repository 'https://x/' not found", F::Authorization),
            ("fatal: unable to access 'https://x/': Could not resolve host: x", F::Connectivity),
            ("fatal: unable to access 'https://x/': The requested URL returned error: 503", F::Connectivity),
            ("fatal: unable to access 'https://x/': SSL certificate problem: self-signed certificate", F::Connectivity),
            ("fatal: unable to access 'https://x/': The requested URL returned error: 301", F::ConfigurationFailure),
            ("fatal: bad object", F::Unknown),
        ] {
            assert_eq!(GitError::of_remote("https://x/", stderr).failure_type(), wanted, "{stderr}");
        }
    }

    #[test]
    fn the_reason_is_told_and_not_the_advice() {
        let error = GitError::of_remote(
            "https://x/r",
            "warning: w\nremote: Repository not found.\nfatal: repository 'https://x/r/' not found",
        );
        assert_eq!(
            error.to_string(),
            "https://x/r is not there, or the credentials may not read it: Repository not found."
        );
    }
}
