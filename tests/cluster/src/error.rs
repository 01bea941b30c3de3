use std::path::PathBuf;

/// Why there is no cluster.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot use {}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("there is no `go`: install Go 1.24 or newer to build the control plane")]
    NoGo,
    #[error("cannot build {name}: {told}")]
    Build { name: &'static str, told: String },
    #[error("cannot start {program}")]
    Start { program: String, source: std::io::Error },
    #[error("{program} ended with {status}:\n{output}")]
    Ended { program: String, status: String, output: String },
    #[error("{what} was not there after {seconds} s:\n{output}")]
    Late { what: String, seconds: u64, output: String },
    #[error("cannot make a key")]
    Key(#[from] rcgen::Error),
    #[error("no answer to {request}")]
    Send { request: String, source: reqwest::Error },
    #[error("{request} was answered with {status}: {body}")]
    Refused { request: String, status: u16, body: String },
    #[error("{line} failed: {told}")]
    Client { line: String, told: String },
    #[error("the catalogue of images does not hold: {0}")]
    Catalogue(String),
    #[error("the simulated cluster failed: {0}")]
    Simulation(String),
}

impl Error {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}
