//! Carrying an event to its address.

use super::{Hook, HookId, LOG};
use crate::RepoName;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;
use windlass_clock::Clock;
use windlass_model::{Millis, Timestamp};

const TIME_LIMIT: Millis = Millis::from_secs(10);
/// Events that wait for one slow receiver; more are logged as failed.
const QUEUE: usize = 1_000;

/// How an attempt went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver's HTTP status.
    Answered(u16),
    /// It did not answer: the reason.
    Failed(String),
}

/// One attempt to deliver one event.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Names the attempt.
    pub id: u64,
    pub hook: HookId,
    /// `X-GitHub-Delivery`: the same for all attempts of an event.
    pub guid: String,
    pub event: String,
    pub action: Option<String>,
    pub repo: RepoName,
    pub url: String,
    pub body: Arc<str>,
    /// When the event happened or was asked for again.
    pub queued: Timestamp,
    pub redelivery: bool,
    pub outcome: Outcome,
}

impl Delivery {
    #[allow(clippy::too_many_arguments)] // the one constructor: each argument is a column of the log
    pub(super) fn new(
        id: u64,
        hook: HookId,
        to: &Hook,
        repo: &RepoName,
        event: &str,
        action: Option<&str>,
        body: Arc<str>,
        clock: &Clock,
    ) -> Self {
        Self {
            id,
            hook,
            guid: guid(id, &body),
            event: event.to_owned(),
            action: action.map(str::to_owned),
            repo: repo.clone(),
            url: to.url.clone(),
            body,
            queued: clock.now(),
            redelivery: false,
            outcome: Outcome::Failed("not sent yet".to_owned()),
        }
    }

    pub(super) fn again(self, id: u64, clock: &Clock) -> Self {
        Self { id, queued: clock.now(), redelivery: true, ..self }
    }
}

/// A UUID that depends on nothing but the event, so that runs can be compared.
fn guid(id: u64, body: &str) -> String {
    let digest = Sha256::new().chain_update(id.to_le_bytes()).chain_update(body).finalize();
    let hex = hex(&digest);
    format!("{}-{}-4{}-8{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The value of `X-Hub-Signature-256`.
fn signature(secret: &str, body: &str) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    mac.update(body.as_bytes());
    Some(format!("sha256={}", hex(&mac.finalize().into_bytes())))
}

pub(super) struct Job {
    pub(super) delivery: Delivery,
    pub(super) secret: Option<String>,
}

/// Takes the events of one webhook to its receiver, one after the other.
pub(super) struct Courier(mpsc::Sender<Job>);

impl Courier {
    pub(super) fn start(log: Arc<Mutex<VecDeque<Delivery>>>, clock: Clock) -> Self {
        let (sender, mut queue) = mpsc::channel::<Job>(QUEUE);
        tokio::spawn(async move {
            // No proxy: receivers are named by address, and a delivery must not depend on the machine's environment.
            let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build();
            while let Some(mut job) = queue.recv().await {
                job.delivery.outcome = match &client {
                    Ok(client) => deliver(client, &clock, &job).await,
                    Err(error) => Outcome::Failed(reasons(error)),
                };
                record(&log, job.delivery);
            }
        });
        Self(sender)
    }

    pub(super) fn take(&self, job: Job, log: &Mutex<VecDeque<Delivery>>) {
        if let Err(refused) = self.0.try_send(job) {
            let (mpsc::error::TrySendError::Full(mut job) | mpsc::error::TrySendError::Closed(mut job)) = refused;
            job.delivery.outcome = Outcome::Failed(format!("{QUEUE} events wait for this receiver already"));
            record(log, job.delivery);
        }
    }
}

async fn deliver(client: &reqwest::Client, clock: &Clock, job: &Job) -> Outcome {
    let Delivery { event, guid, hook, body, url, .. } = &job.delivery;
    let mut request = client
        .post(url)
        .header("Content-Type", "application/json")
        .header("User-Agent", "GitHub-Hookshot/git-sim")
        .header("X-GitHub-Event", event)
        .header("X-GitHub-Delivery", guid)
        .header("X-GitHub-Hook-ID", hook.0.to_string())
        .body(body.to_string());
    if let Some(signature) = job.secret.as_deref().and_then(|secret| signature(secret, body)) {
        request = request.header("X-Hub-Signature-256", signature);
    }
    match clock.real().timeout(TIME_LIMIT, request.send()).await {
        Ok(Ok(response)) => Outcome::Answered(response.status().as_u16()),
        Ok(Err(error)) => Outcome::Failed(reasons(&error)),
        Err(elapsed) => Outcome::Failed(elapsed.to_string()),
    }
}

fn record(log: &Mutex<VecDeque<Delivery>>, delivery: Delivery) {
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    if log.len() == LOG {
        log.pop_front();
    }
    log.push_back(delivery);
}

/// An error and its causes in one line.
fn reasons(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let _ = write!(text, ": {cause}");
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_githubs() {
        // The example of GitHub's documentation, "Validating webhook deliveries".
        let want = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        assert_eq!(signature("It's a Secret to Everybody", "Hello, World!").as_deref(), Some(want));
    }

    #[test]
    fn a_guid_looks_like_one_and_repeats() {
        assert_eq!(guid(1, "{}"), guid(1, "{}"));
        assert_ne!(guid(1, "{}"), guid(2, "{}"));
        assert_eq!(guid(1, "{}").split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
    }
}
