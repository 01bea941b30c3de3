//! Sequences in whose middle both servers forget the past.

use super::{Arguments, Named, judge, simulated, tell};
use futures::StreamExt as _;
use serde_json::json;
use windlass_kube_sim::{ApiError, kind};
use windlass_test_cluster::differential::{Expiring, Played, Server, expiring, play_on};
use windlass_test_cluster::{Client, Error, RealCluster};

/// Plays them; answers what is wrong.
pub(super) async fn run(cluster: &mut RealCluster, arguments: &Arguments) -> Result<Vec<String>, Error> {
    let seeds: Vec<u64> = (1..=arguments.expiring).collect();
    if seeds.is_empty() {
        return Ok(Vec::new());
    }
    let client = cluster.client().clone();
    let halves = futures::stream::iter(seeds).map(|seed| before(client.clone(), seed));
    let halves: Vec<(u64, Vec<Played>)> =
        halves.buffered(arguments.at_once).collect::<Vec<_>>().await.into_iter().collect::<Result<_, _>>()?;
    // All of them are on their way when the past is lost, so that once is enough.
    cluster.forget_history().await?;
    let wholes = futures::stream::iter(halves).map(|(seed, played)| after(client.clone(), seed, played));
    let mut wholes = wholes.buffered(arguments.at_once);
    let (mut requests, mut count, mut news) = (0, 0, Vec::new());
    while let Some(played) = wholes.next().await {
        let (seed, wanted) = played?;
        let Expiring { before, after } = expiring(seed);
        let (of_sim, split) = (namespace(seed), before.len());
        let steps = [before, after].concat();
        let (namespace, sent) = (of_sim.clone(), steps.clone());
        let got = tokio::task::spawn_blocking(move || simulate(&of_sim, &sent, split)).await;
        let got = got.map_err(|error| Error::Simulation(error.to_string()))??;
        (requests, count) = (requests + steps.len(), count + 1);
        let (found, _) = judge(&namespace, &steps, &wanted, &got);
        if !found.is_empty() {
            let name = format!("expiring seed {seed}");
            news.push(format!("{name} differs"));
            tell(&Named { name, seed, steps, is_fresh: false }, &found, false);
        }
    }
    println!("{} of {count} expiring sequences agree, {requests} requests", count - news.len());
    Ok(news)
}

fn namespace(seed: u64) -> String {
    format!("x-{seed:08x}")
}

async fn before(client: Client, seed: u64) -> Result<(u64, Vec<Played>), Error> {
    let (server, mut played) = (Server::Real(client), Vec::new());
    server.namespace(&namespace(seed)).await?;
    play_on(&server, &namespace(seed), &expiring(seed).before, &mut played).await?;
    Ok((seed, played))
}

async fn after(client: Client, seed: u64, mut played: Vec<Played>) -> Result<(u64, Vec<Played>), Error> {
    play_on(&Server::Real(client), &namespace(seed), &expiring(seed).after, &mut played).await?;
    Ok((seed, played))
}

fn simulate(
    namespace: &str,
    steps: &[windlass_test_cluster::differential::Step],
    split: usize,
) -> Result<Vec<Played>, Error> {
    simulated(namespace, async |server, sim| {
        let (before, after) = steps.split_at(split);
        let mut played = Vec::new();
        play_on(&server, namespace, before, &mut played).await?;
        // Something else happens in every cluster, so that the last version of the sequence is past too.
        let map = json!({"metadata": {"namespace": "default", "generateName": "forgotten-"}});
        let failed = |error: ApiError| Error::Simulation(error.message);
        sim.cluster().create(&kind::CONFIG_MAPS, map, "differential").map_err(failed)?;
        sim.cluster().forget_history();
        play_on(&server, namespace, after, &mut played).await?;
        Ok(played)
    })
}
