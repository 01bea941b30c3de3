//! What every world begins with: an installation on which somebody has saved the documents.

use crate::documents;
use crate::people::furnish;
use std::sync::LazyLock;
use std::thread;
use windlass_app::{App, Parts, simulate_ids};
use windlass_clock::{Clock, virtual_runtime};
use windlass_link::Pace;
use windlass_model::Timestamp;
use windlass_store::Store;

pub const ACCOUNT: &str = "simulation";

/// When every world begins: a Monday in spring.
pub const START: &str = "2026-03-02T10:00:00Z";

/// Its database. It is made once, by no seed, and copied for each world.
pub fn furnished() -> Store {
    // In a thread of its own: it draws identifiers of its own.
    static FURNISHED: LazyLock<Store> = LazyLock::new(|| thread::spawn(make).join().unwrap());
    FURNISHED.copy().unwrap().unwrap()
}

fn make() -> Store {
    simulate_ids(Some(0));
    virtual_runtime().unwrap().block_on(async {
        let clock = Clock::simulated(Timestamp::parse(START).unwrap());
        let store = Store::in_memory(clock).unwrap();
        let app = App::new(parts(store.clone(), clock, "furnisher", Pace::default()));
        app.first_start().await.unwrap();
        furnish(&app, &documents::all()).await;
        store
    })
}

/// What a server is made of.
pub fn parts(store: Store, clock: Clock, replica: &str, pace: Pace) -> Parts {
    Parts { account: ACCOUNT.to_owned(), pace, ..Parts::unreachable(store, clock, replica).unwrap() }
}
