//! Registering, again and again until the server is there.

use crate::Config;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use windlass_link::client::{Endpoint, RegisterError, register};
use windlass_link::{PROTOCOL, Registered, Registration, TaskSupport};
use windlass_model::Millis;
use windlass_model::task::Work;
use windlass_task::Handler;

/// What this process tells about itself.
pub(crate) fn describe(
    config: &Config,
    handlers: &BTreeMap<&'static str, Arc<dyn Handler>>,
    endpoint: &Endpoint,
    instance: &str,
    sealing_key: &str,
) -> Registration {
    Registration {
        account: config.account.clone(),
        name: config.name.clone(),
        tags: config.tags.clone(),
        description: config.description.clone(),
        version: config.version.clone(),
        protocol: PROTOCOL,
        tasks: handlers.keys().map(|kind| TaskSupport { kind: (*kind).to_owned(), version: Work::VERSION }).collect(),
        capacity: config.capacity,
        instance: instance.to_owned(),
        hostname: config.hostname.clone(),
        signing_key: endpoint.identity.public_key(),
        sealing_key: sealing_key.to_owned(),
    }
}

/// Tries until it works, with growing pauses. An error is final: the token is wrong, or the versions do not fit.
pub(crate) async fn persist(
    endpoint: &Endpoint,
    token: &str,
    registration: &Registration,
    stop: &CancellationToken,
) -> Result<Option<Registered>, RegisterError> {
    let real = endpoint.clock.real();
    let mut wait = Millis(500);
    loop {
        match register(endpoint, token, registration).await {
            Ok(registered) => return Ok(Some(registered)),
            Err(error) if error.is_transient() => {
                let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
                tracing::warn!(%error, %cause, again_in = %wait, "cannot register");
            }
            Err(error) => return Err(error),
        }
        tokio::select! {
            () = real.sleep(wait) => {}
            () = stop.cancelled() => return Ok(None),
        }
        wait = Millis((wait.0 * 2).min(15_000));
    }
}
