//! What only several servers on one PostgreSQL can do.

use crate::runs;
use crate::support::postgres::database;
use crate::support::{World, at, postgres};
use std::path::PathBuf;
use windlass_clock::Clock;
use windlass_model::Millis;
use windlass_store::outbox::{Claim, NewEffect};
use windlass_store::runs::Run;
use windlass_store::{Change, Database, OpenError, PostgresOptions, Store, Topic, Write};

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
        world.store.write(effects(&world, 1)).await.unwrap();
        let change = world.clock.timeout(PATIENCE, changes.next()).await.unwrap().unwrap();
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
fn runs_of_a_pipeline_do_not_wait_for_each_other() {
    postgres(async |world| {
        let Database::Postgres(options) = &world.database else { panic!("not a server") };
        let of = runs::run(&world, "release", 0);
        let sequence = world.store.runs().next_sequence(&of.scope, &of.pipeline).await.unwrap();
        // Whoever counts on holds this row until that is on disk.
        let (client, connection) = tokio_postgres::connect(&options.url, tokio_postgres::NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        client.batch_execute("BEGIN; SELECT last FROM run_sequence FOR UPDATE").await.unwrap();
        runs::start(&world, &Run { sequence, ..of }).await;
        connection.abort();
    });
}

#[test]
fn broken_connections_are_replaced() {
    postgres(async |world| {
        let Database::Postgres(options) = &world.database else { panic!("not a server") };
        let mut changes = world.store.changes();
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
        let again = async { while changes.next().await.unwrap().topic != Topic::Everything {} };
        let heard = world.clock.timeout(PATIENCE, again).await;
        assert!(heard.is_ok(), "listens again, and says that something may have been missed");
    });
}

/// An empty database over TCP with TLS, and the certificate to trust; `None` (and a line) without `openssl` or a server.
fn encrypted() -> Option<(PostgresOptions, PathBuf)> {
    let Database::Postgres(mut options) = database()? else { return None };
    let (folder, rest) = options.url.strip_prefix("host=")?.split_once(' ')?;
    let ca = PathBuf::from(folder).join("ca.crt");
    if !ca.exists() {
        println!("skipped: no openssl to make a certificate with");
        return None;
    }
    options.url = format!("host=localhost sslmode=require {rest}");
    Some((options, ca))
}

#[test]
fn encryption_is_verified_with_name() {
    let Some((options, ca)) = encrypted() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let open =
            async |options: &PostgresOptions| Store::open(&Database::Postgres(options.clone()), Clock::system()).await;
        let trusting = PostgresOptions { ca: Some(ca.clone()), ..options.clone() };
        let store = open(&trusting).await.unwrap();
        store.ping().await.unwrap();
        let mut changes = store.changes();
        let other = open(&trusting).await.unwrap();
        let mut write = Write::new();
        write.announce(Change::of(Topic::Tasks));
        other.write(write).await.unwrap();
        let heard = Clock::system().timeout(PATIENCE, changes.next()).await;
        assert_eq!(heard.unwrap(), Some(Change::of(Topic::Tasks)), "listens over TLS, too");

        let other_name = trusting.url.replace("host=localhost", "host=127.0.0.1");
        let no_such_file = Some(ca.with_file_name("nothing.crt"));
        let no_certificate = Some(ca.with_file_name("server.csr"));
        for (what, refused) in [
            ("not known to the system", options.clone()),
            ("another name", PostgresOptions { url: other_name, ..trusting.clone() }),
            ("no such file", PostgresOptions { ca: no_such_file, ..options.clone() }),
            ("no certificate", PostgresOptions { ca: no_certificate, ..options.clone() }),
        ] {
            let error = open(&refused).await.unwrap_err();
            assert!(matches!(error, OpenError::Open { .. }), "{what}: {error:?}");
        }
    });
}
