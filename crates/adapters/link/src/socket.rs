//! One connection, whatever carries it: two queues of messages.

use crate::codec::{decode, encode};
use crate::message::{ToServer, ToWorker};
use crate::wire::Frame;
use axum::extract::ws::{Message, WebSocket};
use futures::{SinkExt, StreamExt};
use prost::Message as _;
use tokio::sync::mpsc;

/// What one side holds. Dropping it ends the connection; `recv` gives `None` once the other side is gone.
#[derive(Debug)]
pub struct Channel<In, Out> {
    pub(crate) incoming: mpsc::Receiver<In>,
    pub(crate) outgoing: mpsc::Sender<Out>,
}

/// How many messages may wait in each direction. A slow reader slows the writer down; nothing is dropped.
const QUEUE: usize = 256;

impl<In, Out> Channel<In, Out> {
    pub async fn recv(&mut self) -> Option<In> {
        self.incoming.recv().await
    }

    /// `false` once the other side is gone.
    pub async fn send(&self, message: Out) -> bool {
        self.outgoing.send(message).await.is_ok()
    }

    pub fn split(self) -> (mpsc::Sender<Out>, mpsc::Receiver<In>) {
        (self.outgoing, self.incoming)
    }
}

/// Both ends of a connection inside one process: rehearsals and tests need no sockets.
pub fn channel_pair() -> (Channel<ToServer, ToWorker>, Channel<ToWorker, ToServer>) {
    let (to_server, from_worker) = mpsc::channel(QUEUE);
    let (to_worker, from_server) = mpsc::channel(QUEUE);
    (Channel { incoming: from_worker, outgoing: to_worker }, Channel { incoming: from_server, outgoing: to_server })
}

/// Pumps a worker's WebSocket on the server until either side ends it. Run it in a task of its own; the channel's other
/// half belongs to the hub.
pub async fn serve_socket(socket: WebSocket, channel: Channel<ToWorker, ToServer>) {
    let Channel { incoming: mut to_worker, outgoing: from_worker } = channel;
    let (mut sink, mut stream) = socket.split();
    let write = async {
        while let Some(first) = to_worker.recv().await {
            let frames = batch(first, &mut to_worker);
            if sink.send(Message::Binary(encode(&frames))).await.is_err() {
                return;
            }
        }
        // The hub let go: close properly, so that the worker sees an end and no error.
        let _ = sink.send(Message::Close(None)).await;
    };
    let read = async {
        while let Some(Ok(message)) = stream.next().await {
            let bytes = match message {
                Message::Binary(bytes) => bytes,
                Message::Close(_) => return,
                _ => continue,
            };
            if !forward(decode(bytes), &from_worker).await {
                return;
            }
        }
    };
    tokio::select! { () = write => {}, () = read => {} }
}

/// Bytes after which a batch is full: what comes next goes with another.
const BATCH: usize = 1024 * 1024;

/// What waits to be said, so that one write or one request carries it.
pub(crate) fn batch<T: Into<Frame>>(first: T, queue: &mut mpsc::Receiver<T>) -> Vec<Frame> {
    let mut frames = vec![first.into()];
    let mut bytes = frames[0].encoded_len();
    while bytes < BATCH
        && let Ok(next) = queue.try_recv()
    {
        let frame: Frame = next.into();
        bytes += frame.encoded_len();
        frames.push(frame);
    }
    frames
}

/// Hands decoded frames on. A frame of an unknown kind is skipped: a newer peer may send it. Broken bytes end the connection.
pub(crate) async fn forward<T>(frames: Result<Vec<Frame>, crate::codec::CodecError>, queue: &mpsc::Sender<T>) -> bool
where
    T: TryFrom<Frame, Error = crate::codec::CodecError>,
{
    let frames = match frames {
        Ok(frames) => frames,
        Err(error) => {
            tracing::warn!(%error, "the peer sent bytes that are no frames; closing");
            return false;
        }
    };
    for frame in frames {
        match T::try_from(frame) {
            Ok(message) => {
                if queue.send(message).await.is_err() {
                    return false;
                }
            }
            Err(crate::codec::CodecError::Unknown) => tracing::debug!("skipped a frame of an unknown kind"),
            Err(error) => {
                tracing::warn!(%error, "the peer sent a frame that cannot be read; closing");
                return false;
            }
        }
    }
    true
}
