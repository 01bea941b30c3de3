//! The secrets of a task, sealed to the worker that gets it.

use crate::documents::Lookup;
use crate::{Answer, App};
use windlass_document::entity::SecretValue;
use windlass_document::{Entity, Kind};
use windlass_model::id::DelegateId;
use windlass_model::task::{SecretSource, Task, Work};
use windlass_model::{Failure, FailureType, Identifier, Scope};
use windlass_secrets::{Delivery, MadeIn, SecretPlace, WorkerPublicKey};

impl App {
    /// Fills in every binding of a task. The inner failure says which secret cannot be had, and why.
    pub(super) async fn seal(&self, delegate: DelegateId, task: &mut Task) -> Answer<Result<(), Failure>> {
        if makes_secrets(&task.work) {
            task.secrets.output_key = Some(self.parts().vault.output_key().to_string());
        }
        if task.secrets.bindings.is_empty() {
            return Ok(Ok(()));
        }
        let Some(delegate) = self.store().delegates().get(delegate).await? else {
            return Ok(Err(unavailable("the delegate is not registered any more".to_owned())));
        };
        let key = std::str::from_utf8(&delegate.public_key).ok().and_then(|text| WorkerPublicKey::parse(text).ok());
        let Some(key) = key else {
            let why = format!("delegate {} has no key to seal secrets to: restart it", delegate.name);
            return Ok(Err(unavailable(why)));
        };
        let (id, attempt) = (task.id, task.attempt);
        let origin = &task.origin;
        let made = MadeIn {
            account: &origin.account,
            org: origin.org.as_str(),
            project: origin.project.as_str(),
            pipeline: origin.pipeline.as_str(),
        };
        for binding in &mut task.secrets.bindings {
            let delivery = Delivery { task: id, attempt, reference: &binding.reference };
            if let SecretSource::Output { value } = &binding.source {
                match self.parts().vault.pass_on(&key, &delivery, &made, value) {
                    Ok(source) => binding.source = source,
                    Err(why) => return Ok(Err(unavailable(format!("the secret {}: {why}", binding.reference)))),
                }
                continue;
            }
            let Some(place) = place_of(&binding.reference) else {
                return Ok(Err(unavailable(format!("`{}` names no secret", binding.reference))));
            };
            match self.source(&key, &delivery, &place).await? {
                Ok(source) => binding.source = source,
                Err(why) => return Ok(Err(unavailable(why))),
            }
        }
        Ok(Ok(()))
    }

    async fn source(
        &self,
        key: &WorkerPublicKey,
        delivery: &Delivery<'_>,
        place: &SecretPlace,
    ) -> Answer<Result<SecretSource, String>> {
        let found = self.find_document(Kind::Secret, place.identifier.as_str(), &place.scope, None).await?;
        let document = match found {
            Lookup::Found(document) => document,
            Lookup::Missing { why } => return Ok(Err(why)),
        };
        let parsed = self.parsed(Kind::Secret, &document);
        let Some(Entity::Secret(secret)) = parsed.of(Kind::Secret).map(|secret| &secret.entity) else {
            return Ok(Err(format!("the secret {place} cannot be read any more: {}", parsed.problems)));
        };
        Ok(match &secret.value {
            SecretValue::File { path } => Ok(SecretSource::File { path: path.clone() }),
            SecretValue::Environment { variable } => Ok(SecretSource::Environment { variable: variable.clone() }),
            SecretValue::Inline(_) => match self.sealed(&place.scope, &place.identifier).await? {
                None => Err(format!("the secret {place} has no value")),
                Some(envelope) => self
                    .parts()
                    .vault
                    .seal_for(key, delivery, place, &envelope)
                    .map_err(|error| format!("the secret {place}: {error}")),
            },
        })
    }
}

/// Whether the answer of a task holds secrets that it made.
fn makes_secrets(work: &Work) -> bool {
    matches!(work, Work::Shell(shell) if shell.outputs.iter().any(|output| output.secret))
}

/// `project:default/platform/github_pat`: the words of the engine.
pub(crate) fn place_of(reference: &str) -> Option<SecretPlace> {
    let (scope, identifier) = reference.rsplit_once('/')?;
    Some(SecretPlace { scope: scope.parse::<Scope>().ok()?, identifier: Identifier::parse_dashed(identifier).ok()? })
}

fn unavailable(why: String) -> Failure {
    Failure::new(FailureType::ConfigurationFailure, why)
}

#[cfg(test)]
mod tests {
    use super::place_of;

    #[test]
    fn references_of_the_engine_are_places() {
        for text in ["account/pat", "org:default/pat", "project:default/platform/github-pat"] {
            assert_eq!(place_of(text).map(|place| place.to_string()).as_deref(), Some(text));
        }
        assert_eq!(place_of("pat"), None);
        assert_eq!(place_of("org:/x"), None);
    }
}
