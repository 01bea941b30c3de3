//! What the servers on one database call to each other: LISTEN and NOTIFY.
//!
//! Not inside of the writes: a transaction that notifies takes a lock over the whole database until it is on disk, and decisions
//! would wait for each other. A separate connection says it right after; what is lost there is found by looking.

use super::tls::{Encrypted, Tls};
use crate::changes::{Announcer, Change, Topic};
use futures::future::poll_fn;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, Socket};
use windlass_clock::Clock;
use windlass_model::Millis;

const PAUSE: Millis = Millis::from_secs(1);

#[derive(Debug)]
pub(super) struct Ear {
    said: mpsc::UnboundedSender<Vec<Change>>,
    task: JoinHandle<()>,
}

impl Ear {
    /// Returns when it listens, or when the first try to do so has failed.
    pub(super) async fn start(config: Config, tls: Tls, clock: Clock, announcer: Announcer) -> Self {
        let (said, to_say) = mpsc::unbounded_channel();
        let (listens, first_try) = oneshot::channel();
        let task = tokio::spawn(stay(config, tls, clock.real(), announcer, to_say, listens));
        // Either way the sender is gone after the first try.
        let _ = first_try.await;
        Self { said, task }
    }

    pub(super) fn tell(&self, changes: Vec<Change>) {
        // Only closed when the store is.
        let _ = self.said.send(changes);
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Keeps a connection, and makes a new one a second after it broke.
async fn stay(
    config: Config,
    tls: Tls,
    clock: Clock,
    announcer: Announcer,
    mut to_say: mpsc::UnboundedReceiver<Vec<Change>>,
    listens: oneshot::Sender<()>,
) {
    let mut listens = Some(listens);
    loop {
        if let Err(error) = talk(&config, &tls, &announcer, &mut to_say, listens.take()).await {
            tracing::warn!(%error, "not connected for wake-ups; trying again");
        }
        clock.sleep(PAUSE).await;
    }
}

async fn talk(
    config: &Config,
    tls: &Tls,
    announcer: &Announcer,
    to_say: &mut mpsc::UnboundedReceiver<Vec<Change>>,
    listens: Option<oneshot::Sender<()>>,
) -> Result<(), tokio_postgres::Error> {
    let (client, connection) = config.connect(tls.clone()).await?;
    let (heard, mut hear) = mpsc::unbounded_channel();
    // Ends with the connection, or when `hear` is dropped.
    let listener = tokio::spawn(listen(connection, heard));
    let done = async {
        let own = client.query_one("SELECT pg_backend_pid()", &[]).await?.get::<_, i32>(0);
        client.batch_execute("LISTEN windlass").await?;
        match listens {
            // The one who opens the store is told, and subscribes after that.
            Some(listens) => _ = listens.send(()),
            // What was said while nobody listened, and what this server could not say to the others: the words that were on the
            // way when the connection broke are gone.
            None => {
                announcer.announce(Change::of(Topic::Everything));
                say(&client, vec![Change::of(Topic::Everything)], to_say).await?;
            }
        }
        loop {
            tokio::select! {
                message = hear.recv() => match message {
                    Some((sender, _)) if sender == own => {}
                    Some((_, text)) => announcer.announce(text.parse().unwrap_or(Change::of(Topic::Everything))),
                    None => return Ok(()),
                },
                changes = to_say.recv() => match changes {
                    Some(changes) => say(&client, changes, to_say).await?,
                    None => return Ok(()),
                },
            }
        }
    };
    let done = done.await;
    listener.abort();
    done
}

/// Says everything that waits, each thing once.
async fn say(
    client: &Client,
    first: Vec<Change>,
    more: &mut mpsc::UnboundedReceiver<Vec<Change>>,
) -> Result<(), tokio_postgres::Error> {
    let mut texts: Vec<String> = first.iter().map(Change::to_string).collect();
    while let Ok(changes) = more.try_recv() {
        texts.extend(changes.iter().map(Change::to_string));
    }
    texts.sort_unstable();
    texts.dedup();
    // A payload must be shorter than 8,000 bytes.
    texts.retain(|text| text.len() < 8_000);
    client.execute("SELECT pg_notify('windlass', said) FROM unnest($1::text[]) AS said", &[&texts]).await?;
    Ok(())
}

/// Drives the connection and passes on what other servers say: the process that said it, and the text.
async fn listen(mut connection: Connection<Socket, Encrypted<Socket>>, heard: mpsc::UnboundedSender<(i32, String)>) {
    while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
        if let AsyncMessage::Notification(said) = message
            && heard.send((said.process_id(), said.payload().to_owned())).is_err()
        {
            return;
        }
    }
}
