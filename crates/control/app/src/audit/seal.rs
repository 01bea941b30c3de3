//! The sealer: one server at a time gives records their place in the chain (architecture §5).

use crate::{Answer, App};
use windlass_model::Millis;
use windlass_store::{StoreError, Topic};

/// The lease that the sealer holds.
const NAME: &str = "audit-seal";

const LEASE: Millis = Millis::from_secs(15);

/// Records wait for their seal this long at most, when a hint was lost.
const GLANCE: Millis = Millis::from_secs(5);

pub(crate) async fn seal(app: App) -> Answer<()> {
    let real = app.clock().real();
    let mut changes = app.store().changes();
    loop {
        let now = real.now();
        if let Some(lease) = app.store().leases().take(NAME, &app.parts().replica, now, now + LEASE).await? {
            match app.store().audit().seal(&lease).await {
                Ok(_) => {}
                // Another server took over.
                Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let _ = real.timeout(GLANCE, changes.any_of(&[Topic::Audit])).await;
    }
}
