//! What a sender sends twice starts a run once for each trigger: GitHub repeats the id of a delivery that it repeats, and other
//! senders may name theirs with `Idempotency-Key`. A repeated delivery that started nothing the first time is tried again.

use super::stored::Stored;
use crate::{Answer, App};
use std::collections::BTreeMap;
use windlass_model::{RunId, Timestamp};
use windlass_store::idempotency::Answered;
use windlass_store::trigger_events::TriggerEvent;

/// Headers that name a delivery, as they are kept.
const NAMES: [&str; 2] = ["x-github-delivery", "idempotency-key"];

/// Longer names are no names.
const LONGEST: usize = 255;

/// One delivery at one trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Delivery {
    trigger: String,
    name: String,
}

/// What the sender calls this delivery.
pub(super) fn delivery(event: &TriggerEvent, trigger: &Stored) -> Option<Delivery> {
    let headers: BTreeMap<String, String> = serde_json::from_str(&event.headers).ok()?;
    let name = NAMES.iter().find_map(|name| headers.get(*name)).filter(|name| !name.is_empty())?;
    let key = &trigger.key;
    // Two senders may choose the same name.
    let sender = if event.sender.starts_with(super::receive::ANONYMOUS) { "anybody" } else { &event.sender };
    let trigger = format!("trigger:{}/{}/{}:{sender}", key.scope, key.pipeline, key.trigger);
    (name.len() <= LONGEST).then(|| Delivery { trigger, name: name.clone() })
}

impl Delivery {
    /// The note that this delivery started a run.
    pub(super) fn answered(&self, run: RunId, at: Timestamp) -> Answered {
        Answered {
            principal: self.trigger.clone(),
            key: self.name.clone(),
            request: [0; 32],
            status: 201,
            answer: run.to_string(),
            at,
        }
    }
}

impl App {
    /// The run that the same delivery started.
    pub(super) async fn delivered_before(&self, delivery: Option<&Delivery>) -> Answer<Option<String>> {
        let Some(delivery) = delivery else { return Ok(None) };
        let before = self.store().idempotency().find(&delivery.trigger, &delivery.name).await?;
        Ok(before.map(|before| before.answer))
    }
}
