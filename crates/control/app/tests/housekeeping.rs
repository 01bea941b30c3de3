//! What nobody needs any more is forgotten by itself, on a clock that is stepped.

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used)]

use windlass_app::{App, Parts};
use windlass_clock::{Clock, virtual_runtime};
use windlass_model::id::{EventId, SessionId};
use windlass_model::{Millis, Scope, Timestamp};
use windlass_store::sessions::Session;
use windlass_store::trigger_events::TriggerEvent;
use windlass_store::{Store, TokenHash, Write};

const DAY: Millis = Millis::from_mins(24 * 60);

/// A replica of a server in memory.
fn replica(store: &Store, clock: Clock, name: &str) -> App {
    App::new(Parts::unreachable(store.clone(), clock, name).unwrap())
}

fn session(number: usize, expires_at: Timestamp) -> Session {
    Session {
        id: format!("ses_{number:026}").parse::<SessionId>().unwrap(),
        user: "ada".to_owned(),
        hash: TokenHash::of(&format!("token {number}")),
        created_at: Timestamp::default(),
        used_at: Timestamp::default(),
        expires_at,
        client: String::new(),
    }
}

fn event(number: usize, received_at: Timestamp) -> TriggerEvent {
    TriggerEvent {
        id: format!("evt_{number:026}").parse::<EventId>().unwrap(),
        scope: Scope::Account,
        source: "custom".to_owned(),
        received_at,
        sender: String::new(),
        headers: "{}".to_owned(),
        payload: b"{}".to_vec(),
        status: "PROCESSED".to_owned(),
        message: String::new(),
    }
}

#[test]
fn what_has_expired_is_forgotten_and_nothing_else() {
    virtual_runtime().unwrap().block_on(async {
        let start = Timestamp::parse("2026-03-02T12:00:00Z").unwrap();
        let clock = Clock::simulated(start);
        let store = Store::in_memory(clock).unwrap();
        let (one, two) = (replica(&store, clock, "one"), replica(&store, clock, "two"));
        one.first_start().await.unwrap().unwrap();
        let mut write = Write::new();
        // More than one batch.
        for number in 0..1_200 {
            write.create_session(&session(number, start + Millis::from_mins(5)));
        }
        write.create_session(&session(5_000, start + DAY + DAY));
        write.receive_event(&event(1, start - DAY)).receive_event(&event(2, start));
        store.write(write).await.unwrap();
        // Several replicas do no harm to each other.
        let performers = (one.perform(), two.perform());

        clock.sleep(Millis::from_mins(3)).await;
        assert_eq!(store.sessions().of_user("ada").await.unwrap().len(), 1_201, "nothing has expired yet");

        clock.sleep(Millis::from_mins(30)).await;
        let left = store.sessions().of_user("ada").await.unwrap();
        assert_eq!(
            left.iter().map(|session| session.id.to_string()).collect::<Vec<_>>(),
            [format!("ses_{:026}", 5_000)]
        );

        drop(performers);

        // The first code is worth nothing after a day, webhooks are kept for thirty.
        let codes =
            || async { store.settings().list(&windlass_store::Scopes::At(Scope::Account), None).await.unwrap().len() };
        assert_eq!(codes().await, 1);
        clock.sleep(DAY).await;
        one.tidy_up().await.unwrap();
        assert_eq!(codes().await, 0);
        let events = store.trigger_events();
        assert!(events.get(event(1, start).id).await.unwrap().is_some());
        clock.sleep(Millis(DAY.0 * 28)).await;
        assert_eq!(two.tidy_up().await.unwrap(), 2, "a session and an event");
        assert_eq!(one.tidy_up().await.unwrap(), 0);
        assert!(events.get(event(1, start).id).await.unwrap().is_none());
        assert!(events.get(event(2, start).id).await.unwrap().is_some());
        assert!(store.sessions().of_user("ada").await.unwrap().is_empty());
    });
}
