//! Secrets of a task: opened before it runs, taken out of everything it says (kubernetes-deploy §4.6).

use windlass_model::task::{Outcome, Task, Work};
use windlass_model::{Failure, FailureType, Json};
use windlass_secrets::{MaskPatterns, SecretStores, masked};

/// The task with clear text where its tokens were, and what must not be printed while it runs.
pub(crate) async fn open(stores: &SecretStores, task: Task) -> Result<(Task, Mask), Failure> {
    let failed = |why: String| Failure::new(FailureType::ConfigurationFailure, why);
    if task.secrets.bindings.is_empty() {
        return Ok((task, Mask::default()));
    }
    let opened = stores.open(task.id, task.attempt, &task.secrets).await.map_err(|error| failed(error.to_string()))?;
    let work = serde_json::to_value(&task.work).map_err(|error| failed(error.to_string()))?;
    let work = opened.json(&work).map_err(|error| failed(error.to_string()))?;
    // The error would quote the value: only its place is told.
    let work: Work = serde_json::from_value(work).map_err(|error| {
        failed(format!("the task cannot be read with its secrets opened (column {})", error.column()))
    })?;
    Ok((Task { work, ..task }, Mask(opened.mask())))
}

/// Takes secrets out of what a task says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mask(MaskPatterns);

impl Mask {
    pub(crate) fn text(&self, text: &str) -> String {
        masked(&self.0, text)
    }

    pub(crate) fn json(&self, json: Json) -> Json {
        match json {
            Json::String(text) => Json::String(self.text(&text)),
            Json::Array(items) => items.into_iter().map(|item| self.json(item)).collect(),
            Json::Object(fields) => {
                fields.into_iter().map(|(key, value)| (self.text(&key), self.json(value))).collect()
            }
            plain => plain,
        }
    }

    pub(crate) fn outcome(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Succeeded { output } => Outcome::Succeeded { output: self.json(output) },
            Outcome::Skipped { reason, output } => {
                Outcome::Skipped { reason: self.text(&reason), output: self.json(output) }
            }
            Outcome::Failed { mut failure, output } => {
                failure.message = self.text(&failure.message);
                failure.hints = failure.hints.iter().map(|hint| self.text(hint)).collect();
                Outcome::Failed { failure, output: self.json(output) }
            }
            Outcome::Aborted { done } => Outcome::Aborted { done: self.text(&done) },
            Outcome::Interrupted { checkpoint } => {
                Outcome::Interrupted { checkpoint: checkpoint.map(|checkpoint| self.json(checkpoint)) }
            }
        }
    }
}
