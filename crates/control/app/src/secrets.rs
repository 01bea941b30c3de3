//! Secrets of the built-in store: their values leave the document before it is saved, and are opened only to be sealed to a
//! worker or to check a signature (architecture §6).

use crate::{Answer, App, Failure};
use windlass_document::Document;
use windlass_document::entity::SecretValue;
use windlass_model::{Identifier, Scope};
use windlass_secrets::{Clear, Envelope, SecretPlace, WebhookError};
use windlass_store::Write;
use windlass_store::secrets::SealedSecret;
use windlass_yaml::{Editor, Options, Path};

/// What a stored value is refused for, by name.
fn unusable(place: &SecretPlace, error: impl std::fmt::Display) -> Failure {
    Failure::invalid("SEC0001", format!("the secret {place} cannot be opened: {error}"))
}

impl App {
    /// Seals the value that a secret's document holds and answers the document's text without it. Nothing is sealed when the
    /// document holds none.
    pub(crate) async fn keep_secret(
        &self,
        write: &mut Write,
        by: &str,
        document: &Document,
        value: &SecretValue,
    ) -> Answer<Kept> {
        let place =
            SecretPlace { scope: document.header.scope.clone(), identifier: document.header.identifier.clone() };
        let value = match value {
            SecretValue::Inline(value) => value.as_deref().filter(|value| !value.is_empty()),
            SecretValue::File { .. } | SecretValue::Environment { .. } => {
                write.delete_secret(&place.scope, &place.identifier);
                return Ok(Kept { text: document.text.clone(), sealed: false });
            }
        };
        let Some(value) = value else {
            if self.store().secrets().get(&place.scope, &place.identifier).await?.is_none() {
                let why = format!("the secret `{}` has no value yet", place.identifier);
                return Err(Failure::invalid("SEC0002", why).hint("give `value`; it is sealed and never shown again"));
            }
            return Ok(Kept { text: document.text.clone(), sealed: false });
        };
        let text = without_value(document, value)?;
        let envelope = self.parts().vault.store(&place, &Clear::from(value)).map_err(Failure::internal)?;
        let _ = write.put_secret(&SealedSecret {
            scope: place.scope,
            identifier: place.identifier,
            version: 0,
            master_key: envelope.key.clone(),
            sealed: serde_json::to_vec(&envelope).map_err(Failure::internal)?,
            updated_at: self.clock().now(),
            updated_by: by.to_owned(),
        });
        Ok(Kept { text, sealed: true })
    }

    /// The stored value of a secret, still sealed.
    pub(crate) async fn sealed(&self, scope: &Scope, identifier: &Identifier) -> Answer<Option<Envelope>> {
        let Some(stored) = self.store().secrets().get(scope, identifier).await? else { return Ok(None) };
        serde_json::from_slice(&stored.sealed).map(Some).map_err(Failure::internal)
    }

    /// Checks a webhook's signature with a secret; the inner result says what is wrong with it.
    pub(crate) async fn check_signature(
        &self,
        place: &SecretPlace,
        body: &[u8],
        header: &str,
    ) -> Answer<Result<(), String>> {
        let Some(envelope) = self.sealed(&place.scope, &place.identifier).await? else {
            return Ok(Err(format!("the secret {place} has no value")));
        };
        match self.parts().vault.verify_webhook(place, &envelope, body, header) {
            Ok(()) => Ok(Ok(())),
            Err(WebhookError::Signature(error)) => Ok(Err(error.to_string())),
            Err(WebhookError::Open(error)) => Err(unusable(place, error)),
        }
    }
}

/// A secret's document as it is saved.
pub(crate) struct Kept {
    pub(crate) text: String,
    /// A new value was sealed.
    pub(crate) sealed: bool,
}

/// Values that are shorter than this are looked for nowhere else: they may be part of any word.
const TELLING: usize = 6;

fn without_value(document: &Document, value: &str) -> Answer<String> {
    let identifier = &document.header.identifier;
    let hint = "write the value once, as a plain text below `spec.value`";
    let refused = |why: String| Failure::invalid("SEC0003", why).hint(hint);
    let mut editor = Editor::new("", document.text.clone(), &Options::DOCUMENT)
        .map_err(|_| refused(format!("the value of the secret `{identifier}` cannot be taken out of its document")))?;
    for path in ["secret.spec.value", "spec.value"] {
        if let Some(path) = Path::parse(path)
            && editor.documents().first().is_some_and(|document| document.root.at(&path).is_some())
        {
            editor.remove(0, &path).map_err(|error| {
                refused(format!("the value of the secret `{identifier}` cannot be taken out of its document: {error}"))
            })?;
            let text = editor.into_text();
            if value.trim().len() >= TELLING && text.contains(value.trim()) {
                return Err(refused(format!("the value of the secret `{identifier}` stands in its document twice")));
            }
            return Ok(text);
        }
    }
    Err(refused(format!("the secret `{identifier}` holds a value in a place that is not known")))
}
