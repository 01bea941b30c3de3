//! Secrets as tokens in the texts of a task.

use crate::run::Run;
use windlass_expression::{SecretRef, Segment, Text, Value};
use windlass_model::task::{OUTPUT_REFERENCE, SealedOutput, SecretBinding, SecretSource, Secrets, Work};
use windlass_model::{Failure, FailureType, Identifier, Json, Scope, ScopedRef};

/// Writes values for workers: what people see as `<+secrets.getValue("x")>` becomes a token that only this run's
/// workers open.
#[derive(Clone, Debug)]
pub(crate) struct Sealer {
    secrets: Secrets,
    /// Where the pipeline lives: secrets are named from there.
    scope: Scope,
}

impl Sealer {
    pub(crate) fn of(run: &Run) -> Self {
        let nonce = run.start.as_ref().map(|start| start.nonce.clone()).unwrap_or_default();
        Self { secrets: Secrets { nonce, ..Secrets::default() }, scope: run.scope() }
    }

    /// For work that belongs to no run; `nonce` must be new.
    pub(crate) fn new(nonce: String, scope: Scope) -> Self {
        Self { secrets: Secrets { nonce, ..Secrets::default() }, scope }
    }

    /// The token of a secret that an expression names.
    fn of_expression(&self, secret: &SecretRef) -> Result<String, Failure> {
        self.token(secret.as_str(), &self.scope)
    }

    /// The token of a secret by a reference written in `from`.
    pub(crate) fn token(&self, reference: &str, from: &Scope) -> Result<String, Failure> {
        // What a step of this run made: its node is looked up when the task is drawn up.
        if reference.starts_with(OUTPUT_REFERENCE) {
            return Ok(self.secrets.token(reference));
        }
        let wrong =
            |why: String| Failure::new(FailureType::ConfigurationFailure, format!("secret `{reference}`: {why}"));
        let scoped = ScopedRef::parse(reference).map_err(|error| wrong(error.to_string()))?;
        let scope = scoped.resolve(from).map_err(|error| wrong(error.to_string()))?;
        Ok(self.secrets.token(&qualified(&scope, &scoped.id)))
    }

    /// A text for a worker.
    pub(crate) fn text(&self, text: &Text) -> Result<String, Failure> {
        let mut out = String::new();
        for segment in text.segments() {
            match segment {
                Segment::Literal(literal) => out.push_str(literal),
                Segment::Secret(secret) => out.push_str(&self.of_expression(secret)?),
            }
        }
        Ok(out)
    }

    /// A value for a worker.
    pub(crate) fn json(&self, value: &Value) -> Result<Json, Failure> {
        Ok(match value {
            Value::Secret(text) => Json::String(self.text(text)?),
            Value::List(items) => Json::Array(items.iter().map(|item| self.json(item)).collect::<Result<_, _>>()?),
            Value::Map(entries) => {
                Json::Object(entries.iter().map(|(key, value)| Ok((key.clone(), self.json(value)?))).collect::<Result<
                    _,
                    Failure,
                >>(
                )?)
            }
            plain => plain.to_shown_json(),
        })
    }

    /// What must be opened for this work: every token that its texts hold, each once.
    pub(crate) fn secrets_of(&self, work: &Work) -> Secrets {
        let mut secrets = self.secrets.clone();
        let text = serde_json::to_string(work).unwrap_or_default();
        let prefix = self.secrets.token("");
        let prefix = prefix.trim_end_matches('}');
        for piece in text.split(prefix).skip(1) {
            let Some((reference, _)) = piece.split_once('}') else { continue };
            if !secrets.bindings.iter().any(|binding| binding.reference == reference) {
                let binding = SecretBinding { reference: reference.to_owned(), source: SecretSource::Pending };
                secrets.bindings.push(binding);
            }
        }
        secrets
    }
}

/// Brings along what steps of this run made, sealed; everything else is found at assignment.
pub(crate) fn bring_along(run: &Run, secrets: &mut Secrets) {
    for binding in &mut secrets.bindings {
        if let Some(value) = made(run, &binding.reference) {
            binding.source = SecretSource::Output { value };
        }
    }
}

/// What a step of this run made under `output:<node>.<variable>`, sealed.
fn made(run: &Run, reference: &str) -> Option<SealedOutput> {
    let place = reference.strip_prefix(OUTPUT_REFERENCE)?;
    run.nodes.iter().rev().find_map(|(_, node)| {
        let name = place.strip_prefix(node.id.as_str())?.strip_prefix('.')?;
        let sealed = node.output.as_ref()?.get(SEALED_OUTPUTS)?.get(name)?;
        serde_json::from_value(sealed.clone()).ok()
    })
}

/// Where the answer of a script holds the secrets that it made, by the names of its output variables.
pub(crate) const SEALED_OUTPUTS: &str = "sealedOutputVariables";

/// `project:default/platform/github_pat`
fn qualified(scope: &Scope, id: &Identifier) -> String {
    format!("{scope}/{id}")
}
