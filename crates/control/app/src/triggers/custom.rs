//! Custom webhooks: a payload without further meaning.

use std::collections::BTreeMap;
use windlass_engine::{TriggerContext, TriggerType};
use windlass_model::Json;

/// The event as expressions see it.
pub(super) fn context(payload: Json, headers: BTreeMap<String, String>) -> TriggerContext {
    TriggerContext {
        kind: TriggerType::WebhookCustom,
        type_name: Some("Custom".to_owned()),
        payload,
        headers,
        ..TriggerContext::default()
    }
}

/// A body as it can be looked into: JSON, else one text. A sender that forgot to say that it sends JSON is understood.
pub(super) fn payload_of(body: &[u8]) -> Json {
    serde_json::from_slice(body).unwrap_or_else(|_| Json::String(String::from_utf8_lossy(body).into_owned()))
}
