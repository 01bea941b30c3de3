use windlass_diagnostic::{Diagnostic, Diagnostics};

/// Why a chart was not loaded or not rendered. The reference's words come first where it has some.
#[derive(Debug, thiserror::Error)]
pub enum HelmError {
    /// An archive that is no chart, is too large, or leads out of its folder.
    #[error("{0}")]
    Archive(String),
    /// A file of the chart that cannot be read, or says what may not be.
    #[error("cannot load {file}")]
    File {
        file: String,
        #[source]
        source: FileProblem,
    },
    /// A chart inside of another one.
    #[error("error unpacking subchart {name} in {chart}")]
    Subchart {
        name: String,
        chart: String,
        #[source]
        source: Box<HelmError>,
    },
    #[error("validation: {0}")]
    Metadata(String),
    #[error("{0} charts are not installable: depend on it from an application chart")]
    NotInstallable(String),
    #[error(
        "found in Chart.yaml, but missing in charts/ directory: {}; add them to charts/, or fetch them with `helm dependency build`",
        .0.join(", ")
    )]
    MissingDependencies(Vec<String>),
    #[error(
        "the lock file (Chart.lock) is out of sync with the dependencies file (Chart.yaml): update the dependencies"
    )]
    OutdatedLock,
    #[error("cannot fetch the dependency {name}")]
    Fetch {
        name: String,
        #[source]
        source: FileProblem,
    },
    #[error("{0}")]
    Values(String),
    #[error("values don't meet the specifications of the schema(s) in the following chart(s):\n{0}")]
    Schema(String),
    #[error(
        "release name {0:?}: invalid release name, must match regex ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$ and the length must not be longer than 53"
    )]
    ReleaseName(String),
    #[error("invalid kube version '{0}': a version such as v1.34.0 is expected")]
    KubeVersion(String),
    #[error("chart requires kubeVersion: {wanted} which is incompatible with Kubernetes {have}")]
    IncompatibleKubeVersion { wanted: String, have: String },
    /// Files that are no templates.
    #[error("parse error at {0}")]
    Syntax(Diagnostics),
    /// A template that cannot be carried out, or says itself that something is wrong.
    #[error("execution error at {0}")]
    Execution(Box<Diagnostic>),
    /// A rendered file that is no YAML, or no object.
    #[error("YAML parse error on {file}: {problem}")]
    Manifest { file: String, problem: String },
    #[error("could not find template {0} in chart")]
    NoSuchTemplate(String),
    #[error("error while running post render on files: {0}")]
    PostRender(String),
    /// More than what one rendering may take.
    #[error("{0}")]
    Limit(String),
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum FileProblem {
    #[error("{0}")]
    Yaml(Diagnostics),
    #[error("{0}")]
    Text(String),
}

impl FileProblem {
    pub(crate) fn in_file(self, file: impl Into<String>) -> HelmError {
        HelmError::File { file: file.into(), source: self }
    }
}
