//! Whether a forge's payload is signed with the secret that it and the trigger share (pipelines §7.3).

use super::judge::Refused;
use super::status;
use super::stored::Stored;
use crate::{Answer, App};
use std::collections::BTreeMap;
use windlass_model::ScopedRef;
use windlass_secrets::SecretPlace;
use windlass_store::trigger_events::TriggerEvent;

/// GitHub's header, as it is kept.
const HEADER: &str = "x-hub-signature-256";

impl App {
    pub(super) async fn signed(
        &self,
        event: &TriggerEvent,
        stored: &Stored,
        secret: &str,
    ) -> Answer<Result<(), Refused>> {
        let no = |why: String| Ok(Err(Refused::new(status::NOT_AUTHENTICATED, why)));
        let reference = match ScopedRef::parse(secret) {
            Ok(reference) => reference,
            Err(error) => return no(format!("`encryptedWebhookSecretIdentifier`: {error}")),
        };
        let scope = match reference.resolve(&stored.key.scope) {
            Ok(scope) => scope,
            Err(error) => return no(format!("`encryptedWebhookSecretIdentifier`: {error}")),
        };
        let headers: BTreeMap<String, String> = serde_json::from_str(&event.headers).unwrap_or_default();
        let Some(signature) = headers.get(HEADER) else {
            return no(format!("the payload has no header {HEADER}: set the webhook's secret at the sender"));
        };
        let place = SecretPlace { scope, identifier: reference.id };
        match self.check_signature(&place, &event.payload, signature).await? {
            Ok(()) => Ok(Ok(())),
            Err(why) => no(why),
        }
    }
}
