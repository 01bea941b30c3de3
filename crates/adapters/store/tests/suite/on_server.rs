//! What only several servers on one PostgreSQL can do.

use crate::support::{World, at, postgres};
use windlass_model::Millis;
use windlass_store::outbox::{Claim, NewEffect};
use windlass_store::{Database, Store, Topic, Write};

const PATIENCE: Millis = Millis::from_secs(30);

fn effects(world: &World, count: u32) -> Write {
    let run = world.run();
    let mut write = Write::new();
    for index in 0..count {
        write.effect(NewEffect::of_run(run, 1, index, "Notify", "{}".into(), at(0)));
    }
    write
}

#[test]
fn servers_that_start_together_migrate_once() {
    postgres(async |world| {
        let opened = (0..4).map(|_| Store::open(&world.database, world.clock));
        let stores = futures::future::try_join_all(opened).await.unwrap();
        for store in stores {
            assert!(store.is_shared());
            store.ping().await.unwrap();
        }
    });
}

#[test]
fn what_one_server_writes_wakes_the_other() {
    postgres(async |world| {
        let other = Store::open(&world.database, world.clock).await.unwrap();
        let mut changes = other.changes();
        // The first thing heard is that it listens now; what is written after that is heard by name.
        let listens = world.clock.timeout(PATIENCE, changes.next()).await.unwrap().unwrap();
        assert_eq!(listens.topic, Topic::Everything);
        world.store.write(effects(&world, 1)).await.unwrap();
        let change = world.clock.timeout(PATIENCE, changes.any_of(&[Topic::Outbox])).await.unwrap().unwrap();
        assert_eq!(change.topic, Topic::Outbox);
    });
}

#[test]
fn two_servers_share_the_work_without_waiting_for_each_other() {
    postgres(async |world| {
        let other = Store::open(&world.database, world.clock).await.unwrap();
        world.store.write(effects(&world, 60)).await.unwrap();
        let claim = |holder: &str| Claim { holder: holder.into(), now: at(1), until: at(16), limit: 4 };
        let take = async |store: &Store, holder: &str| {
            let mut keys = Vec::new();
            loop {
                let taken = store.outbox().claim(&claim(holder)).await.unwrap();
                if taken.is_empty() {
                    return keys;
                }
                keys.extend(taken.into_iter().map(|effect| effect.key));
            }
        };
        let (mine, theirs) = futures::future::join(take(&world.store, "a"), take(&other, "b")).await;
        let mut all: Vec<_> = mine.iter().chain(&theirs).collect();
        all.sort_unstable();
        all.dedup();
        // Passing over locked rows may leave some for the next look, never give one twice.
        let left = take(&world.store, "a").await;
        assert_eq!(mine.len() + theirs.len() + left.len(), 60);
        assert_eq!(all.len(), mine.len() + theirs.len());
    });
}

#[test]
fn broken_connections_are_replaced() {
    postgres(async |world| {
        let Database::Postgres(options) = &world.database else { panic!("not a server") };
        let mut changes = world.store.changes();
        world.clock.timeout(PATIENCE, changes.any_of(&[Topic::Everything])).await.unwrap().unwrap();
        world.store.write(effects(&world, 1)).await.unwrap();

        let (client, connection) = tokio_postgres::connect(&options.url, tokio_postgres::NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        let others = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                      WHERE datname = current_database() AND pid <> pg_backend_pid()";
        let ended: i64 = client.query_one(others, &[]).await.unwrap().get(0);
        assert!(ended >= 2, "one that works and one that listens");
        connection.abort();

        // A write may meet the broken connection; it says so, and the next one gets a new one.
        let mut failures = 0;
        while let Err(error) = world.store.write(effects(&world, 1)).await {
            assert!(error.is_transient(), "{error:?}");
            failures += 1;
            assert!(failures <= options.connections, "{error:?}");
        }
        let heard = world.clock.timeout(PATIENCE, changes.any_of(&[Topic::Everything])).await.unwrap().unwrap();
        assert_eq!(heard.topic, Topic::Everything, "listens again, and says that something may have been missed");
    });
}
