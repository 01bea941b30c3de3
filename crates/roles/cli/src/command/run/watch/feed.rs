//! What the server tells about a run, from one or two streams that are opened again when they break.

use crate::client::Client;
use crate::command::run::stream::Events;
use crate::failure::CliFailure;
use reqwest::Method;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

pub(super) enum Fed {
    /// A recorded fact.
    Event(Value),
    /// The newest line of a step's log.
    Log { node: String, text: String },
}

pub(super) struct Feed {
    fed: mpsc::Receiver<Result<Fed, CliFailure>>,
    /// Ends with the feed.
    _readers: JoinSet<()>,
}

impl Feed {
    pub(super) fn of_events(client: &Client, run: &str) -> Self {
        Self::start(client, run, false)
    }

    pub(super) fn with_logs(client: &Client, run: &str) -> Self {
        Self::start(client, run, true)
    }

    fn start(client: &Client, run: &str, logs: bool) -> Self {
        let (sender, fed) = mpsc::channel(64);
        let mut readers = JoinSet::new();
        readers.spawn(read_events(client.clone(), run.to_owned(), sender.clone()));
        if logs {
            readers.spawn(read_logs(client.clone(), run.to_owned(), sender));
        }
        Self { fed, _readers: readers }
    }

    /// Nothing when every stream has come to its end.
    pub(super) async fn next(&mut self) -> Option<Result<Fed, CliFailure>> {
        self.fed.recv().await
    }
}

type Sender = mpsc::Sender<Result<Fed, CliFailure>>;

async fn read_events(client: Client, run: String, fed: Sender) {
    let mut after = 0_u64;
    let request = |after: u64| client.request(Method::GET, &format!("runs/{run}/events")).query(&[("after", after)]);
    let mut opened = Events::open(&client, request(after)).await;
    loop {
        let mut events = match opened {
            Ok(events) => events,
            Err(failure) => {
                let _ = fed.send(Err(failure)).await;
                return;
            }
        };
        while let Some((kind, data)) = events.next().await {
            let Ok(event) = serde_json::from_str::<Value>(&data) else { continue };
            after = event["seq"].as_u64().unwrap_or(after);
            if fed.send(Ok(Fed::Event(event))).await.is_err() || kind == "RunFinished" {
                return;
            }
        }
        // The stream ended and the run did not.
        opened = Events::again(&client, request(after)).await;
    }
}

/// Lines only decorate: a stream of them that cannot be read is no failure.
async fn read_logs(client: Client, run: String, fed: Sender) {
    let query = [("follow", "true"), ("tail", "1")];
    let request = || client.request(Method::GET, &format!("runs/{run}/logs/stream")).query(&query);
    let mut opened = Events::open(&client, request()).await;
    while let Ok(mut events) = opened {
        let mut node = String::new();
        while let Some((kind, data)) = events.next().await {
            let Ok(event) = serde_json::from_str::<Value>(&data) else { continue };
            match kind.as_str() {
                "log" => event["node"].as_str().unwrap_or_default().clone_into(&mut node),
                "line" => {
                    let text = event["line"]["out"].as_str().unwrap_or_default().to_owned();
                    if fed.send(Ok(Fed::Log { node: node.clone(), text })).await.is_err() {
                        return;
                    }
                }
                "end" => return,
                _ => {}
            }
        }
        opened = Events::again(&client, request()).await;
    }
}
