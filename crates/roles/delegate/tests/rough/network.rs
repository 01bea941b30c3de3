//! Connections between a delegate and its server, as bad as the seed says.

use crate::house::House;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use windlass_clock::Clock;
use windlass_link::channel_pair;
use windlass_model::Millis;

/// What the network did.
#[derive(Clone, Default)]
pub(crate) struct Network(Arc<Counts>);

#[derive(Default)]
struct Counts {
    repeated: AtomicU64,
    lost: AtomicU64,
    connections: AtomicU64,
}

impl Network {
    pub(crate) fn repeated(&self) -> u64 {
        self.0.repeated.load(Relaxed)
    }

    pub(crate) fn lost(&self) -> u64 {
        self.0.lost.load(Relaxed)
    }

    pub(crate) fn connections(&self) -> u64 {
        self.0.connections.load(Relaxed)
    }
}

/// Numbers that follow from a seed.
#[derive(Clone)]
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn fork(&mut self) -> Self {
        Self(self.below(u64::from(u32::MAX)) ^ 0x9E37_79B9_7F4A_7C15)
    }
}

/// Connects the delegate of a house, again and again: each connection holds for some seconds, messages in it are repeated, and
/// delayed so that they overtake each other. When it breaks, what is on its way is lost, or still comes, after the next
/// connection has begun.
pub(crate) async fn start(house: &House, seed: u64) -> Network {
    let network = Network::default();
    let mut dice = Dice(seed.wrapping_mul(7_919));
    for _ in 0..8 {
        dice.below(2);
    }
    let (connect, connections) = mpsc::channel(1);
    house.start_delegate(connections);
    let (app, delegate, clock, told) = (house.app.clone(), house.delegate, house.clock, network.clone());
    tokio::spawn(async move {
        loop {
            told.0.connections.fetch_add(1, Relaxed);
            let (server_end, to_server) = channel_pair();
            let (to_worker, worker_end) = channel_pair();
            let served = app.clone();
            tokio::spawn(async move { served.serve_delegate(delegate, server_end).await });
            if connect.send(worker_end).await.is_err() {
                return;
            }
            let end = CancellationToken::new();
            let loses = dice.below(2) == 0;
            let (to_server, from_server) = to_server.split();
            let (to_worker, from_worker) = to_worker.split();
            let up = Line { clock, end: end.clone(), loses, told: told.clone() };
            let down = up.clone();
            tokio::spawn(up.carry(from_worker, to_server, dice.fork()));
            tokio::spawn(down.carry(from_server, to_worker, dice.fork()));
            clock.sleep(Millis(500 + dice.below(12_000))).await;
            end.cancel();
            // Shorter than the silence after which tasks are given away.
            clock.sleep(Millis(dice.below(8_000))).await;
        }
    });
    network
}

#[derive(Clone)]
struct Line {
    clock: Clock,
    end: CancellationToken,
    loses: bool,
    told: Network,
}

impl Line {
    async fn carry<T: Clone + Send + 'static>(self, mut from: mpsc::Receiver<T>, to: mpsc::Sender<T>, mut dice: Dice) {
        loop {
            let message = tokio::select! {
                message = from.recv() => message,
                () = self.end.cancelled() => None,
            };
            let Some(message) = message else { return };
            let copies = if dice.below(4) == 0 { 2 } else { 1 };
            self.told.0.repeated.fetch_add(copies - 1, Relaxed);
            for _ in 0..copies {
                let delay = if dice.below(3) == 0 { dice.below(1_500) } else { 0 };
                let (line, to, message) = (self.clone(), to.clone(), message.clone());
                tokio::spawn(async move {
                    line.clock.sleep(Millis(delay)).await;
                    if line.loses && line.end.is_cancelled() {
                        line.told.0.lost.fetch_add(1, Relaxed);
                    } else {
                        let _ = to.send(message).await;
                    }
                });
            }
        }
    }
}
