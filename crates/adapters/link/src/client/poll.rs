use super::{ANSWER, Endpoint};
use crate::codec::{decode, encode};
use crate::message::{ToServer, ToWorker};
use crate::poll::POLL_WAIT;
use crate::socket::{Channel, batch, forward};
use bytes::Bytes;
use tokio::sync::mpsc;
use windlass_model::Millis;

/// A poll is answered after its wait at the latest; what is sent may be large.
const LONG: Millis = Millis(POLL_WAIT.0 + ANSWER.0);

/// Attempts of one request before the connection counts as lost.
const ATTEMPTS: u32 = 6;

/// Sends and fetches side by side until either ends.
pub(super) async fn pump(endpoint: Endpoint, token: String, near: Channel<ToServer, ToWorker>) {
    let (to_worker, from_worker) = near.split();
    tokio::select! {
        () = send(&endpoint, &token, from_worker) => {}
        () = fetch(&endpoint, &token, to_worker) => {}
    }
}

async fn send(endpoint: &Endpoint, token: &str, mut from_worker: mpsc::Receiver<ToServer>) {
    let mut number = 0_u64;
    while let Some(first) = from_worker.recv().await {
        let frames = batch(first, &mut from_worker);
        number += 1;
        let body = encode(&frames);
        let header = ("x-windlass-request", number);
        if patiently(endpoint, token, ("send", LONG), header, &body).await.is_none() {
            return;
        }
    }
}

async fn fetch(endpoint: &Endpoint, token: &str, to_worker: mpsc::Sender<ToWorker>) {
    let mut received = 0_u64;
    loop {
        let header = ("x-windlass-received", received);
        let Some(answer) = patiently(endpoint, token, ("poll", LONG), header, &Bytes::new()).await else { return };
        let number = answer.headers().get("x-windlass-answer").and_then(|n| n.to_str().ok()?.parse().ok());
        let Ok(frames) = answer.bytes().await else { continue };
        if let Some(number) = number.filter(|n| *n > received) {
            received = number;
            if !forward(decode(frames), &to_worker).await {
                return;
            }
        }
    }
}

/// One request, tried again while the way is blocked. Nothing when the server does not want this worker any more.
async fn patiently(
    endpoint: &Endpoint,
    token: &str,
    (path, within): (&str, Millis),
    (name, value): (&str, u64),
    body: &Bytes,
) -> Option<reqwest::Response> {
    for attempt in 0..ATTEMPTS {
        let call = endpoint.http.post(endpoint.url(path)).header(name, value).body(body.clone());
        if let Ok(answer) = endpoint.answer(endpoint.signed(call, token), within).await {
            match answer.status().as_u16() {
                200 => return Some(answer),
                429 | 500.. => {}
                _ => return None,
            }
        }
        endpoint.clock.real().sleep(Millis(200 << attempt)).await;
    }
    None
}
