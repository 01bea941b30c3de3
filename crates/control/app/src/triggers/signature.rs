//! Whether a forge's payload is signed with the secret that it and the trigger share (pipelines §7.3).

use super::judge::Refused;
use super::status;
use super::stored::Stored;
use crate::{Answer, App};
use windlass_store::trigger_events::TriggerEvent;

impl App {
    pub(super) async fn signed(
        &self,
        event: &TriggerEvent,
        stored: &Stored,
        secret: &str,
    ) -> Answer<Result<(), Refused>> {
        let _ = (event, stored);
        let why = format!("the secret `{secret}` cannot be read on this server: the signature is not checked");
        Ok(Err(Refused::new(status::NOT_AUTHENTICATED, why)))
    }
}
