//! HTTPS long-polls for networks whose proxies break WebSockets.
//!
//! `POST /delegate-service/send` brings the worker's frames, numbered, so that one sent twice is taken once.
//! `POST /delegate-service/poll` waits for the server's; the worker says which answer it has, and one that got lost on the
//! way is given again.

use crate::codec::{CodecError, decode, encode};
use crate::message::{ToServer, ToWorker};
use crate::socket::{Channel, batch, forward};
use bytes::Bytes;
use tokio::sync::Mutex;
use tokio::sync::mpsc;
use windlass_clock::Clock;
use windlass_model::Millis;

/// How long a poll waits for something to say.
pub(crate) const POLL_WAIT: Millis = Millis::from_secs(25);

/// The server's end of a worker that polls.
#[derive(Debug)]
pub struct Mailbox {
    incoming: Mutex<Incoming>,
    outgoing: Mutex<Outgoing>,
}

#[derive(Debug)]
struct Incoming {
    from_worker: mpsc::Sender<ToServer>,
    /// The number of the last request taken in.
    taken: u64,
}

#[derive(Debug)]
struct Outgoing {
    to_worker: mpsc::Receiver<ToWorker>,
    /// The last answer, kept until the worker says that it has it.
    last: Bytes,
    number: u64,
}

impl Mailbox {
    pub fn new(channel: Channel<ToWorker, ToServer>) -> Self {
        let Channel { incoming, outgoing } = channel;
        Self {
            incoming: Mutex::new(Incoming { from_worker: outgoing, taken: 0 }),
            outgoing: Mutex::new(Outgoing { to_worker: incoming, last: Bytes::new(), number: 0 }),
        }
    }

    /// Takes the frames of request `number` in, which counts from 1. `false`: the hub has let go of this worker.
    pub async fn take_in(&self, number: u64, body: Bytes) -> Result<bool, CodecError> {
        let mut incoming = self.incoming.lock().await;
        if number > incoming.taken {
            let frames = decode(body)?;
            if !forward(Ok(frames), &incoming.from_worker).await {
                return Ok(false);
            }
            incoming.taken = number;
        }
        Ok(true)
    }

    /// What there is to say, with its number, after at most [`POLL_WAIT`]; no bytes when there is nothing. `received` is
    /// the last answer that the worker has; 0: none. `None`: the hub has let go of this worker.
    pub async fn answer(&self, received: u64, clock: &Clock) -> Option<(u64, Bytes)> {
        let mut outgoing = self.outgoing.lock().await;
        if received < outgoing.number {
            return Some((outgoing.number, outgoing.last.clone()));
        }
        let first = match clock.real().timeout(POLL_WAIT, outgoing.to_worker.recv()).await {
            Ok(first) => first?,
            Err(_) => return Some((outgoing.number, Bytes::new())),
        };
        let frames = batch(first, &mut outgoing.to_worker);
        outgoing.last = encode(&frames);
        outgoing.number += 1;
        Some((outgoing.number, outgoing.last.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::Mailbox;
    use crate::codec::{decode, encode};
    use crate::message::{ToServer, ToWorker};
    use crate::socket::channel_pair;
    use windlass_clock::{Clock, virtual_runtime};
    use windlass_model::Timestamp;

    #[test]
    fn lost_answers_are_given_again_and_repeated_requests_count_once() {
        virtual_runtime().unwrap().block_on(async {
            let clock = Clock::simulated(Timestamp::from_secs(0));
            let (mut hub, worker) = channel_pair();
            let mailbox = Mailbox::new(worker);
            for number in [1, 1, 2] {
                let frames = encode(&[ToServer::Draining { grace_seconds: number }.into()]);
                assert!(mailbox.take_in(number.into(), frames).await.unwrap());
            }
            assert_eq!(hub.recv().await, Some(ToServer::Draining { grace_seconds: 1 }));
            assert_eq!(hub.recv().await, Some(ToServer::Draining { grace_seconds: 2 }));

            let goodbye = ToWorker::Goodbye { reason: "restart".into(), message: String::new(), reconnect: true };
            hub.send(goodbye.clone()).await;
            let first = mailbox.answer(0, &clock).await.unwrap();
            assert_eq!(mailbox.answer(0, &clock).await.unwrap(), first);
            assert_eq!(ToWorker::try_from(decode(first.1).unwrap().remove(0)).unwrap(), goodbye);

            let before = clock.now();
            assert_eq!(mailbox.answer(1, &clock).await.map(|(n, bytes)| (n, bytes.len())), Some((1, 0)));
            assert_eq!(clock.now().since(before), super::POLL_WAIT);
            drop(hub);
            assert_eq!(mailbox.answer(1, &clock).await, None);
        });
    }
}
