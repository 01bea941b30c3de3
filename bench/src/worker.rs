//! The delegate's side of the wire, without a process of its own.

use std::sync::Arc;
use windlass_clock::Clock;
use windlass_link::client::{Endpoint, Transport, connect, register};
use windlass_link::{Channel, PROTOCOL, Registration, TaskSupport, ToServer, ToWorker, WorkerIdentity};
use windlass_model::task::Work;
use windlass_secrets::WorkerKey;

/// Registers a worker and connects it, until the server has welcomed it.
pub(crate) async fn welcomed(
    server: &str,
    http: &reqwest::Client,
    token: &str,
    name: &str,
    capacity: u32,
) -> Channel<ToWorker, ToServer> {
    let endpoint = Endpoint {
        server: server.to_owned(),
        http: http.clone(),
        identity: Arc::new(WorkerIdentity::generate().unwrap()),
        clock: Clock::system(),
    };
    let registration = Registration {
        account: "windlass".to_owned(),
        name: name.to_owned(),
        tags: vec!["bench".to_owned()],
        description: String::new(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        protocol: PROTOCOL,
        tasks: Work::TYPES
            .iter()
            .map(|kind| TaskSupport { kind: (*kind).to_owned(), version: Work::VERSION })
            .collect(),
        capacity,
        instance: name.to_owned(),
        hostname: name.to_owned(),
        signing_key: endpoint.identity.public_key(),
        sealing_key: WorkerKey::generate().unwrap().public().to_string(),
    };
    let registered = register(&endpoint, token, &registration).await.unwrap();
    let mut channel = connect(&endpoint, &registered.token, Transport::WebSocket).await.unwrap();
    let hello = ToServer::Hello { protocol: PROTOCOL, version: registration.version, running: Vec::new() };
    assert!(channel.send(hello).await, "{name} lost its connection");
    match channel.recv().await {
        Some(ToWorker::Welcome { .. }) => channel,
        other => panic!("{name} was not welcomed: {other:?}"),
    }
}

/// What an idle worker says every ten seconds.
pub(crate) fn heartbeat(capacity: u32) -> ToServer {
    ToServer::Heartbeat { running: Vec::new(), capacity, draining: false, memory_bytes: 0 }
}
