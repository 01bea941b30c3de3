//! What only a file can do: be full, locked, damaged, copied, opened twice.

use crate::support::{World, at, sqlite};
use rusqlite::Connection;
use std::path::PathBuf;
use windlass_model::Millis;
use windlass_store::outbox::{Claim, NewEffect};
use windlass_store::settings::Setting;
use windlass_store::timers::NewTimer;
use windlass_store::{BackupError, Database, OpenError, Scopes, SqliteOptions, Store, StoreError, Write, check_file};

fn options(world: &World) -> SqliteOptions {
    match &world.database {
        Database::Sqlite(options) => options.clone(),
        other => panic!("{other:?} is no file"),
    }
}

fn setting(name: &str, value: impl Into<String>) -> Write {
    let mut write = Write::new();
    write.set_setting(&Setting {
        scope: windlass_model::Scope::Account,
        name: name.into(),
        value: value.into(),
        updated_at: at(0),
        updated_by: "user:ada".into(),
    });
    write
}

async fn names(store: &Store) -> Vec<String> {
    let settings = store.settings().list(&Scopes::default(), None).await.unwrap();
    settings.into_iter().map(|setting| setting.name).collect()
}

#[test]
fn what_was_written_is_there_after_opening_again() {
    sqlite(async |world| {
        world.store.write(setting("a", "1")).await.unwrap();
        let database = world.database.clone();
        let second = Store::open(&database, world.clock).await.unwrap_err();
        assert!(matches!(second, OpenError::InUse { .. }), "{second:?}");
        let World { store, clock, .. } = world;
        drop(store);
        let store = Store::open(&database, clock).await.unwrap();
        assert_eq!(names(&store).await, ["a"]);
        store.ping().await.unwrap();
    });
}

/// The lock of the file says that whoever had taken them is gone.
#[test]
fn what_a_server_had_taken_is_free_once_it_is_gone() {
    sqlite(async |world| {
        let mut write = Write::new();
        let run = world.run();
        let mut at_hand = NewEffect::of_run(run, 2, 0, "resolve", "{}".into(), at(0));
        let _ = at_hand.take("server", at(3_600));
        write.effect(NewEffect::of_run(run, 1, 0, "resolve", "{}".into(), at(0))).effect(at_hand);
        write.timer(NewTimer { key: "a".into(), run: None, kind: "run".into(), body: String::new(), due_at: at(0) });
        world.store.write(write).await.unwrap();
        let claim = Claim { holder: "server".into(), now: at(1), until: at(3_600), limit: 9 };
        assert_eq!(world.store.outbox().claim(&claim).await.unwrap().len(), 1);
        assert_eq!(world.store.timers().claim(at(1), &claim).await.unwrap().len(), 1);
        let (database, clock) = (world.database.clone(), world.clock);
        drop(world);
        let store = Store::open(&database, clock).await.unwrap();
        assert_eq!(store.outbox().claim(&claim).await.unwrap().len(), 2);
        assert_eq!(store.timers().claim(at(1), &claim).await.unwrap().len(), 1);
    });
}

#[test]
fn a_folder_that_is_not_there_is_told() {
    sqlite(async |world| {
        let database = Database::Sqlite(SqliteOptions::new("/nowhere/at/all/state.db"));
        let error = Store::open(&database, world.clock).await.unwrap_err();
        assert_eq!(error.to_string(), "cannot open the database /nowhere/at/all/state.db");
    });
}

#[test]
fn a_full_disk_is_told_and_nothing_is_half_done() {
    sqlite(async |world| {
        let mut options = options(&world);
        drop(world.store);
        options.max_pages = Some(200);
        let store = Store::open(&Database::Sqlite(options.clone()), world.clock).await.unwrap();
        store.write(setting("before", "1")).await.unwrap();
        let mut large = setting("small", "1");
        large.extend(setting("large", "x".repeat(2_000_000)));
        let error = store.write(large).await.unwrap_err();
        assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
        assert_eq!(names(&store).await, ["before"], "not even the part that fits");
        store.write(setting("after", "1")).await.unwrap();

        // Little by little: what was acknowledged stays, what was refused is not there.
        let mut stored = vec!["after".to_owned(), "before".to_owned()];
        for n in 0..1_000 {
            match store.write(setting(&format!("n{n:04}"), "x".repeat(3_000))).await {
                Ok(_) => stored.push(format!("n{n:04}")),
                Err(StoreError::Full { .. }) => break,
                Err(error) => panic!("{error:?}"),
            }
        }
        assert_eq!(names(&store).await, stored);
        store.check().await.unwrap();
        drop(store);
        options.max_pages = None;
        let store = Store::open(&Database::Sqlite(options), world.clock).await.unwrap();
        store.write(setting("z", "x".repeat(2_000_000))).await.unwrap();
    });
}

#[test]
fn a_locked_file_is_told_and_works_again_afterwards() {
    sqlite(async |world| {
        let mut options = options(&world);
        drop(world.store);
        options.busy = Millis(50);
        let store = Store::open(&Database::Sqlite(options.clone()), world.clock).await.unwrap();
        let other = Connection::open(&options.path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let (one, two) = futures::future::join(store.write(setting("a", "1")), store.write(setting("b", "1"))).await;
        for outcome in [one, two] {
            assert!(matches!(outcome, Err(StoreError::Busy { .. })), "{outcome:?}");
        }
        assert_eq!(names(&store).await, [""; 0], "readers go on");
        other.execute_batch("ROLLBACK").unwrap();
        store.write(setting("a", "1")).await.unwrap();
        assert_eq!(names(&store).await, ["a"]);
    });
}

#[test]
fn a_running_database_is_copied_whole() {
    sqlite(async |world| {
        let copy: PathBuf = options(&world).path.with_file_name("copy.db");
        for n in 0..50 {
            world.store.write(setting(&format!("n{n:02}"), "x".repeat(10_000))).await.unwrap();
        }
        let (writing, store) = (world.store.clone(), world.store.clone());
        let go_on = async move {
            for n in 0..200 {
                writing.write(setting(&format!("during{n:03}"), "x")).await.unwrap();
            }
        };
        let ((), backup) = futures::future::join(go_on, store.backup(&copy)).await;
        backup.unwrap();
        check_file(&copy).unwrap();
        let again = world.store.backup(&copy).await.unwrap_err();
        assert!(matches!(again, BackupError::Exists { .. }), "{again:?}");
        assert!(!copy.with_file_name("copy.db.part").exists());

        let restored = Store::open(&Database::Sqlite(SqliteOptions::new(&copy)), world.clock).await.unwrap();
        let found = names(&restored).await;
        let before: Vec<_> = (0..50).map(|n| format!("n{n:02}")).collect();
        assert_eq!(found.iter().filter(|name| name.starts_with('n')).cloned().collect::<Vec<_>>(), before);
        restored.write(setting("goes on", "1")).await.unwrap();
    });
}

#[test]
fn a_damaged_file_is_found() {
    sqlite(async |world| {
        for n in 0..50 {
            world.store.write(setting(&format!("n{n}"), "x".repeat(3_000))).await.unwrap();
        }
        let copy = options(&world).path.with_file_name("copy.db");
        world.store.backup(&copy).await.unwrap();
        let mut bytes = std::fs::read(&copy).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 5_000].fill(0xa5);
        std::fs::write(&copy, bytes).unwrap();
        assert!(check_file(&copy).is_err());
        std::fs::write(&copy, "not a database at all, only some text that is long enough to have a header of its own")
            .unwrap();
        assert!(check_file(&copy).is_err());
        let opened = Store::open(&Database::Sqlite(SqliteOptions::new(&copy)), world.clock).await;
        assert!(matches!(opened, Err(OpenError::Open { .. })), "{opened:?}");
    });
}

#[test]
fn a_changed_audit_record_breaks_the_chain() {
    use windlass_model::id::AuditId;
    use windlass_store::audit::{AuditRecord, seal::Broken};
    for (change, wanted) in [
        ("UPDATE audit SET principal = 'user:mallory' WHERE position = 2", "changed"),
        ("DELETE FROM audit WHERE position = 2", "missing"),
        ("UPDATE audit SET previous = zeroblob(32) WHERE position = 2", "unlinked"),
    ] {
        sqlite(async |world| {
            let mut write = Write::new();
            for _ in 0..3 {
                write.audit(&AuditRecord {
                    id: AuditId::from_ulid(world.ulid()),
                    at: at(0),
                    scope: windlass_model::Scope::Account,
                    principal: "user:ada".into(),
                    action: "UPDATE".into(),
                    resource_kind: "PIPELINE".into(),
                    resource: "payment".into(),
                    body: "{}".into(),
                });
            }
            world.store.write(write).await.unwrap();
            let lease = world.store.leases().take("sealer", "a", at(0), at(15)).await.unwrap().unwrap();
            world.store.audit().seal(&lease).await.unwrap();
            Connection::open(options(&world).path).unwrap().execute_batch(change).unwrap();
            let broken = world.store.audit().verify(None).await.unwrap().unwrap_err();
            let found = match broken {
                Broken::Changed { position: 2, .. } => "changed",
                Broken::Missing { position: 2 } => "missing",
                Broken::Unlinked { position: 2, .. } => "unlinked",
                other => panic!("{other:?}"),
            };
            assert_eq!(found, wanted);
        });
    }
}
