//! A delegate beside its server in one process: no registration, no socket (architecture §7).

use crate::Config;
use crate::running::{Outgoing, Runner};
use crate::session::{End, Session};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use windlass_clock::Clock;
use windlass_link::{Channel, ToServer, ToWorker};
use windlass_secrets::SecretStores;
use windlass_task::Handler;

/// Serves ends of [`windlass_link::channel_pair`], the next when one is lost, until there are no more or `stop` asks for the
/// end. Of the configuration only version, capacity, work folder and grace count.
pub async fn serve_in_process(
    config: Config,
    clock: Clock,
    handlers: Vec<Arc<dyn Handler>>,
    secrets: SecretStores,
    stop: CancellationToken,
    mut connections: mpsc::Receiver<Channel<ToWorker, ToServer>>,
) {
    let (sender, words) = mpsc::unbounded_channel();
    let runner = Arc::new(Runner::new(config, clock, handlers, secrets, Outgoing(sender), stop.clone()));
    let mut session = Session::new(Arc::clone(&runner), words, stop);
    let serving = async {
        while let Some(channel) = connections.recv().await {
            if session.serve(channel).await != End::Lost {
                break;
            }
        }
    };
    tokio::select! {
        biased;
        never = runner.silence.watch(&runner.running) => match never {},
        () = serving => {}
    }
    runner.running.cancel_all(true);
}
