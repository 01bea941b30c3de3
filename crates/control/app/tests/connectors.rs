//! Connectors are tested again by themselves, on a clock that is stepped.

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used)]

use windlass_app::{App, Parts};
use windlass_clock::{Clock, virtual_runtime};
use windlass_model::{Identifier, Millis, Scope, Timestamp};
use windlass_store::documents::{DocumentKey, Draft};
use windlass_store::secrets::SealedSecret;
use windlass_store::{Store, Write};

const DAY: Millis = Millis::from_mins(24 * 60);

fn server(store: &Store, clock: Clock) -> App {
    App::new(Parts::unreachable(store.clone(), clock, "one").unwrap())
}

/// A connector without and one with a secret, and one that cannot be tested.
const CONNECTORS: [(&str, &str); 3] = [
    ("open", "type: DockerRegistry, spec: {dockerRegistryUrl: 'https://open.test/v2/', auth: {type: Anonymous}}"),
    (
        "closed",
        "type: DockerRegistry, spec: {dockerRegistryUrl: 'https://closed.test/v2/', auth: \
         {type: UsernamePassword, spec: {username: bot, passwordRef: password}}}",
    ),
    ("other", "type: Jira, spec: {}"),
];

fn connector((name, rest): (&str, &str), at: Timestamp) -> Draft {
    Draft {
        key: DocumentKey {
            kind: "connector".to_owned(),
            scope: project(),
            parent: None,
            identifier: Identifier::parse(name).unwrap(),
        },
        name: name.to_owned(),
        tags: Default::default(),
        text: format!(
            "connector: {{identifier: {name}, name: {name}, orgIdentifier: default, projectIdentifier: platform, {rest}}}"
        ),
        at,
        by: "user:ada".to_owned(),
    }
}

fn project() -> Scope {
    "project:default/platform".parse().unwrap()
}

fn password(value: &str, at: Timestamp) -> SealedSecret {
    SealedSecret {
        scope: project(),
        identifier: Identifier::parse("password").unwrap(),
        version: 0,
        master_key: "1".to_owned(),
        sealed: value.as_bytes().to_vec(),
        updated_at: at,
        updated_by: "user:ada".to_owned(),
    }
}

#[test]
fn a_connector_is_tested_every_day_and_when_its_secret_is_renewed() {
    virtual_runtime().unwrap().block_on(async {
        let start = Timestamp::parse("2026-03-02T12:00:00Z").unwrap();
        let clock = Clock::simulated(start);
        let store = Store::in_memory(clock).unwrap();
        let app = server(&store, clock);
        let mut write = Write::new();
        for one in CONNECTORS {
            write.create_document(&connector(one, start));
        }
        let _ = write.put_secret(&password("first", start));
        store.write(write).await.unwrap();
        let tests = async |name: &str| {
            store.tasks().of_node(&format!("connector/project:default/platform/{name}"), 10).await.unwrap().len()
        };
        assert_eq!(app.test_connectors_again().await.unwrap(), 0, "their owner has just saved them");
        clock.sleep(DAY).await;
        assert_eq!(app.test_connectors_again().await.unwrap(), 2);
        assert_eq!(app.test_connectors_again().await.unwrap(), 0);
        assert_eq!((tests("open").await, tests("closed").await, tests("other").await), (1, 1, 0));

        clock.sleep(Millis::from_mins(60)).await;
        let mut write = Write::new();
        let _ = write.put_secret(&password("second", clock.now()));
        store.write(write).await.unwrap();
        assert_eq!(app.test_connectors_again().await.unwrap(), 1, "the one with the secret");
        assert_eq!((tests("open").await, tests("closed").await), (1, 2));

        // And by itself, by one of two replicas.
        clock.sleep(DAY).await;
        let performers = (app.perform(), server(&store, clock).perform());
        clock.sleep(Millis::from_mins(15)).await;
        drop(performers);
        assert_eq!((tests("open").await, tests("closed").await, tests("other").await), (2, 3, 0));
    });
}
