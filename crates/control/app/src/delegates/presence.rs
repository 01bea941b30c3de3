//! Stores who was heard of: one write for all heartbeats of a second, where each of a thousand delegates would wait for the disk.
//!
//! What is lost with a crash is a second of presence. Leases are no part of it: each is renewed, and on disk, before its heartbeat is
//! acknowledged.

use crate::{Answer, App};
use windlass_model::Millis;
use windlass_store::Write;

/// The longest time until others can read a heartbeat.
const SELDOM: Millis = Millis::from_secs(1);

pub(crate) async fn presence(app: App) -> Answer<()> {
    let real = app.clock().real();
    let every = app.parts().pace.heartbeat.min(SELDOM);
    loop {
        real.sleep(every).await;
        let heartbeats = app.hub().take_heartbeats();
        if heartbeats.is_empty() {
            continue;
        }
        let mut write = Write::new();
        for heartbeat in &heartbeats {
            write.delegate_seen(heartbeat.delegate, &app.parts().replica, &heartbeat.load, heartbeat.seen);
        }
        app.store().write(write).await?;
    }
}
