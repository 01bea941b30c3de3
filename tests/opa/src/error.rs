use std::path::PathBuf;

/// Why nothing was compared.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot use {}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("there is no `go`: install Go 1.26 or newer to build OPA")]
    NoGo,
    #[error("cannot build OPA: {0}")]
    Build(String),
    #[error("cannot start {}", program.display())]
    Start { program: PathBuf, source: std::io::Error },
    #[error("OPA ended: {0}")]
    Ended(String),
    #[error("OPA's answer is not understood")]
    Answer(#[from] serde_json::Error),
    #[error("no inputs are known for {0}: add a shape to tests/opa/src/inputs.rs")]
    Shape(String),
    #[error("{place}: {text}")]
    Listed { place: String, text: String },
}

impl Error {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}
