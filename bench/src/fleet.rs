//! A thousand connected delegates: what they cost the server when nothing happens.

use crate::figure::{Budget, Report};
use crate::process::Observed;
use crate::worker::{heartbeat, welcomed};
use futures::StreamExt as _;
use std::time::{Duration, Instant};
use windlass_tests::World;

const DELEGATES: usize = 1_000;
/// As many begin at the same time.
const AT_ONCE: usize = 50;
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Three heartbeats of each.
const WINDOW: Duration = Duration::from_secs(30);

pub(crate) fn measure(report: &mut Report) {
    let mut world = World::new();
    let server = Observed(world.server().id());
    let alone = server.resident();
    let token = world.run(&["delegate", "token", "create", "fleet"]).ok().trim().to_owned();
    let url = world.url();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (start, before) = (Instant::now(), server.processor());
    runtime.block_on(async {
        let http = reqwest::Client::new();
        let joining = (0..DELEGATES).map(|number| {
            let (url, http, token) = (url.clone(), http.clone(), token.clone());
            async move {
                let name = format!("delegate-{number:04}");
                let channel = welcomed(&url, &http, &token, &name, 20).await;
                tokio::spawn(idle(channel));
            }
        });
        futures::stream::iter(joining).buffer_unordered(AT_ONCE).for_each(|()| async {}).await;
    });
    let (took, spent) = (start.elapsed(), server.processor() - before);
    report.tell("server alone, resident", "MiB", None, vec![alone]);
    report.tell("1,000 delegates, until all are connected", "s", None, vec![took.as_secs_f64()]);
    report.tell("1,000 delegates, processor time until then", "s", None, vec![spent.as_secs_f64()]);
    let (mut shares, mut residents) = (Vec::new(), Vec::new());
    for _ in 0..report.times {
        shares.push(server.share(WINDOW));
        residents.push(server.resident());
    }
    report.tell("1,000 delegates, server idle", "% of a core", Some(Budget::AtMost(5.0)), shares);
    report.tell("1,000 delegates, server resident", "MiB", Some(Budget::AtMost(150.0)), residents);
    report.tell("1,000 delegates, server at its peak", "MiB", Some(Budget::AtMost(150.0)), vec![server.peak()]);
    let listed = world.run(&["delegate", "list", "-o", "json"]).json();
    let connected = listed.as_array().unwrap().iter().filter(|delegate| delegate["state"] == "connected").count();
    assert_eq!(connected, DELEGATES, "some delegates are gone");
}

async fn idle(mut channel: windlass_link::Channel<windlass_link::ToWorker, windlass_link::ToServer>) {
    let mut beat = tokio::time::interval(HEARTBEAT);
    loop {
        tokio::select! {
            _ = beat.tick() => assert!(channel.send(heartbeat(20)).await, "a connection is lost"),
            message = channel.recv() => if message.is_none() { return },
        }
    }
}
