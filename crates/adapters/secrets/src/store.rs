//! Where a worker finds the clear text of what a task refers to.

mod environment;
mod file;

pub use environment::EnvironmentStore;
pub use file::FileStore;

use crate::clear::Clear;
use crate::opened::Opened;
use crate::token::Tokens;
use crate::vault::Delivery;
use crate::worker_key::WorkerKey;
use std::collections::BTreeMap;
use std::fmt;
use windlass_model::TaskId;
use windlass_model::task::{SecretBinding, SecretSource, Secrets};

/// All stores of a worker.
#[derive(Debug)]
pub struct SecretStores {
    key: WorkerKey,
    files: Option<FileStore>,
    environment: Option<EnvironmentStore>,
}

/// Why one secret could not be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    #[error("secret `{0}` came without a value")]
    Pending(String),
    #[error("secret `{0}` was not sealed to this worker for this task")]
    Sealed(String),
    #[error("secret `{reference}` names file {path}, and this worker has no folder for secrets")]
    NoFiles { reference: String, path: String },
    #[error("secret `{reference}` names environment variable {variable}, which this worker does not allow")]
    NoEnvironment { reference: String, variable: String },
    #[error("secret `{reference}`: {reason}")]
    Store { reference: String, reason: String },
}

/// Every secret that could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolveErrors(pub Vec<ResolveError>);

impl fmt::Display for ResolveErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&texts.join("; "))
    }
}

impl std::error::Error for ResolveErrors {}

impl SecretStores {
    pub fn new(key: WorkerKey, files: Option<FileStore>, environment: Option<EnvironmentStore>) -> Self {
        Self { key, files, environment }
    }

    pub fn key(&self) -> &WorkerKey {
        &self.key
    }

    /// Opens everything a task brings along. All or nothing: a task with half its secrets would fail later and less clearly.
    pub async fn open(&self, task: TaskId, attempt: u32, secrets: &Secrets) -> Result<Opened, ResolveErrors> {
        let mut values = BTreeMap::new();
        let mut errors = Vec::new();
        for binding in &secrets.bindings {
            match self.find(task, attempt, binding).await {
                Ok(clear) => {
                    values.insert(binding.reference.clone(), clear);
                }
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(Opened { tokens: Tokens::new(secrets), values }) } else { Err(ResolveErrors(errors)) }
    }

    async fn find(&self, task: TaskId, attempt: u32, binding: &SecretBinding) -> Result<Clear, ResolveError> {
        let reference = binding.reference.clone();
        match &binding.source {
            SecretSource::Pending | SecretSource::Output { .. } => Err(ResolveError::Pending(reference)),
            source @ SecretSource::Sealed { .. } => {
                let delivery = Delivery { task, attempt, reference: &binding.reference };
                self.key.open(&delivery, source).ok_or(ResolveError::Sealed(reference))
            }
            SecretSource::File { path } => match &self.files {
                Some(store) => {
                    store.read(path).await.map_err(|error| ResolveError::Store { reference, reason: error.to_string() })
                }
                None => Err(ResolveError::NoFiles { reference, path: path.clone() }),
            },
            SecretSource::Environment { variable } => {
                let found = self.environment.as_ref().and_then(|store| store.get(variable));
                found.ok_or_else(|| ResolveError::NoEnvironment { reference, variable: variable.clone() })
            }
        }
    }
}
