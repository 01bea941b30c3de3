use axum::Router;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use windlass_clock::Clock;
use windlass_http::{AddressRules, Client, Config, Jitter, Lookup};

/// Serves until the test ends.
pub(crate) async fn serve(routes: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, routes).await });
    address
}

pub(crate) fn no_jitter() -> Jitter {
    Arc::new(|| 1.0)
}

pub(crate) fn local() -> Config {
    Config { addresses: AddressRules::worker(), ..Config::default() }
}

pub(crate) fn client(config: Config) -> Client {
    Client::new(config, Clock::system(), no_jitter()).unwrap()
}

/// Counts calls.
#[derive(Clone, Default)]
pub(crate) struct Count(Arc<AtomicUsize>);

impl Count {
    /// The number of this call, from 1.
    pub(crate) fn next(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Names that answer with one list of addresses after the other.
pub(crate) struct Names(pub Mutex<Vec<Vec<IpAddr>>>);

impl Names {
    pub(crate) fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |list: &&[&str]| list.iter().map(|address| address.parse().unwrap()).collect();
        Arc::new(Self(Mutex::new(answers.iter().rev().map(parse).collect())))
    }
}

impl Lookup for Names {
    fn lookup(&self, _: &str) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + '_>> {
        let answer = self.0.lock().unwrap().pop();
        Box::pin(async move { answer.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound)) })
    }
}
