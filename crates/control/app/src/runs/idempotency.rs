//! A start that is sent twice starts one run (`Idempotency-Key`, architecture §8).

use super::start::Started;
use crate::{Answer, App, Failure, Principal};
use sha2::{Digest, Sha256};
use windlass_engine::Start;
use windlass_store::Write;
use windlass_store::idempotency::Answered;

/// HTTP status of a run that was started.
const CREATED: u32 = 201;

/// What the caller calls a request, and what the request was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    key: String,
    request: [u8; 32],
}

impl IdempotencyKey {
    /// Longer keys are refused.
    const LONGEST: usize = 255;

    /// `words` are everything that makes the request: method, path, body.
    pub fn new(key: &str, words: &[&[u8]]) -> Answer<Self> {
        if key.is_empty() || key.len() > Self::LONGEST || key.chars().any(char::is_control) {
            let text = format!("an idempotency key has 1 to {} printable characters", Self::LONGEST);
            return Err(Failure::invalid("API0008", text));
        }
        let mut hash = Sha256::new();
        for word in words {
            hash.update(u64::try_from(word.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(word);
        }
        Ok(Self { key: key.to_owned(), request: hash.finalize().into() })
    }
}

impl App {
    /// What the same request was answered.
    pub(super) async fn answered_before(
        &self,
        by: &Principal,
        key: Option<&IdempotencyKey>,
    ) -> Answer<Option<Started>> {
        let Some(key) = key else { return Ok(None) };
        let Some(before) = self.store().idempotency().find(&by.id, &key.key).await? else { return Ok(None) };
        if before.request != key.request {
            return Err(Failure::conflict("API0009", "this idempotency key was used for another request"));
        }
        serde_json::from_str(&before.answer).map(Some).map_err(Failure::internal)
    }

    /// Begins a run unless the same request began it meanwhile.
    pub(super) async fn begin_once(
        &self,
        by: &Principal,
        key: Option<IdempotencyKey>,
        start: Start,
    ) -> Answer<Started> {
        let Some(key) = key else { return self.begin(start, |_| Ok(Write::new())).await };
        let now = self.clock().real().now();
        let remember = |started: &Started| {
            let answer = serde_json::to_string(started).map_err(Failure::internal)?;
            let IdempotencyKey { key, request } = key.clone();
            let principal = by.id.clone();
            let mut write = Write::new();
            write.answered(&Answered { principal, key, request, status: CREATED, answer, at: now });
            Ok(write)
        };
        match self.begin(start, remember).await {
            // Two at the same time: the other one was faster.
            Err(failure) if failure.is_store_conflict() => self.answered_before(by, Some(&key)).await?.ok_or(failure),
            other => other,
        }
    }
}
