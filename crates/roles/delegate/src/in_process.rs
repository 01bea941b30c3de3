//! A delegate beside its server in one process: no registration, no socket (architecture §7).

use crate::Config;
use crate::running::{Outgoing, Runner};
use crate::session::Session;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use windlass_clock::Clock;
use windlass_link::Pace;
use windlass_link::{Channel, Pending, ToServer, ToWorker};
use windlass_secrets::SecretStores;
use windlass_task::Handler;

/// Serves one end of [`windlass_link::channel_pair`] until the other end is gone or `stop` asks for the end. Of the
/// configuration only version, capacity, work folder and grace count.
pub async fn serve_in_process(
    config: Config,
    clock: Clock,
    handlers: Vec<Arc<dyn Handler>>,
    secrets: SecretStores,
    stop: CancellationToken,
    channel: Channel<ToWorker, ToServer>,
) {
    let (sender, mut words) = mpsc::unbounded_channel();
    let runner = Arc::new(Runner::new(config, clock, handlers, secrets, Outgoing(sender), stop.clone()));
    let mut session = Session {
        runner: &runner,
        pending: &mut Pending::new(),
        words: &mut words,
        stop: &stop,
        heard: &mut clock.real().now(),
        pace: &mut Pace::default(),
    };
    let _ = session.serve(channel).await;
    runner.running.cancel_all(true);
}
