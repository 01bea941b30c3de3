//! Secrets of a task: opened before it runs, taken out of everything it says (kubernetes-deploy §4.6).

use serde_json::json;
use windlass_model::task::{Origin, Outcome, Secrets, Task, Work};
use windlass_model::{Failure, FailureType, Json};
use windlass_secrets::{Clear, MASK, MadeIn, MaskPatterns, OutputKey, SecretStores, masked};

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

/// Takes the secrets that a script made out of its answer: they leave sealed to the server, for the workers of later steps
/// (pipelines §6.3). Wherever else the answer holds them they are masked.
pub(crate) fn sealed(secrets: &Secrets, origin: &Origin, outcome: Outcome) -> Outcome {
    let Outcome::Succeeded { output } = outcome else { return outcome };
    let names: Vec<String> = match output.get("secretOutputVariables").and_then(Json::as_array) {
        Some(names) => names.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        None => Vec::new(),
    };
    if names.is_empty() {
        return Outcome::Succeeded { output };
    }
    let failed = |why: &str| Outcome::Failed {
        failure: Failure::new(FailureType::ConfigurationFailure, format!("the script's secrets cannot be kept: {why}")),
        output: Json::Null,
    };
    let Some(key) = secrets.output_key.as_deref().and_then(|key| OutputKey::parse(key).ok()) else {
        return failed("the server gave no key for them; upgrade it");
    };
    let (org, project, pipeline) = (origin.org.as_str(), origin.project.as_str(), origin.pipeline.as_str());
    let made = MadeIn { account: &origin.account, org, project, pipeline };
    let value = |name: &str| output.get("outputVariables")?.get(name)?.as_str().map(Clear::from);
    let values: Vec<(String, Clear)> =
        names.into_iter().filter_map(|name| value(&name).map(|value| (name, value))).collect();
    let mut kept = serde_json::Map::new();
    for (name, value) in &values {
        let Some(sealed) = key.seal(&made, value) else { return failed("the server's key is not usable") };
        kept.insert(name.clone(), json!(sealed));
    }
    let mut output = Mask(MaskPatterns::new(values.iter().map(|(_, value)| value))).json(output);
    for (name, _) in &values {
        output["outputVariables"][name] = MASK.into();
    }
    output["sealedOutputVariables"] = Json::Object(kept);
    Outcome::Succeeded { output }
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
