//! The token in a webhook's address (pipelines §7.2): made when a trigger is first saved, never changed.
//!
//! What is stored is a hash, and a number from which the server's key makes the token again: the address can be shown, and the
//! database alone gives nobody a token.

use crate::access::{Authorized, StoredTrigger};
use crate::{Answer, App, Failure, fresh};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::fmt;
use windlass_model::Timestamp;
use windlass_store::trigger_events::TriggerKey;
use windlass_store::webhook_tokens::WebhookToken;
use windlass_store::{TokenHash, Write};

/// Makes the tokens of webhooks. Prints nothing of itself.
#[derive(Clone)]
pub struct WebhookKey([u8; 32]);

impl WebhookKey {
    pub const fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    fn token(&self, number: &[u8]) -> Answer<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).map_err(Failure::internal)?;
        mac.update(b"windlass/webhook/1");
        mac.update(number);
        let tag = mac.finalize().into_bytes();
        let hex: String = tag.iter().take(20).map(|byte| format!("{byte:02x}")).collect();
        Ok(format!("whk_{hex}"))
    }
}

impl fmt::Debug for WebhookKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookKey(…)")
    }
}

/// A trigger is saved for the first time: its address comes to be with it.
pub(crate) fn on_save(app: &App, write: &mut Write, trigger: &TriggerKey, now: Timestamp) -> Answer<()> {
    let number = fresh::nonce().into_bytes();
    let token = app.parts().webhooks.token(&number)?;
    write.create_webhook_token(&WebhookToken {
        hash: TokenHash::of(&token),
        trigger: trigger.clone(),
        sealed: Some(number),
        created_at: now,
    });
    Ok(())
}

impl App {
    /// The address of a trigger's webhook.
    pub async fn trigger_url(&self, trigger: &Authorized<StoredTrigger>) -> Answer<String> {
        let trigger = self.trigger_of(&trigger.key).await?;
        let id = &trigger.key.trigger;
        if trigger.is_github() {
            let base = &self.parts().public_url;
            return Ok(format!("{base}/ng/api/webhook?accountIdentifier={}", self.parts().account));
        }
        let tokens = self.store().webhook_tokens().of_trigger(&trigger.key).await?;
        let number = tokens.into_iter().find_map(|token| token.sealed);
        let number = number.ok_or_else(|| {
            Failure::not_found(format!("the trigger `{id}` has no address")).hint("delete it and save it again")
        })?;
        Ok(format!("{}/webhook/{}", self.parts().public_url, self.parts().webhooks.token(&number)?))
    }
}
