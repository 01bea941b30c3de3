//! Where a DaemonSet stands, in numbers of nodes.

use super::super::pod::{Availability, availability, is_ready};
use super::super::revision;
use super::{ByNode, MANAGER, Round};
use crate::error::ApiError;
use crate::kind::DAEMON_SETS;
use crate::object::Object;
use serde_json::{Value, json};
use windlass_model::Millis;

impl Round<'_> {
    pub(super) fn write_status(&self, by_node: &ByNode) -> Result<Option<Millis>, ApiError> {
        let now = self.cluster.now();
        let min_ready = self.set.int("/spec/minReadySeconds").unwrap_or(0);
        let (mut desired, mut scheduled, mut misplaced, mut ready, mut available, mut updated) = (0, 0, 0, 0, 0, 0);
        let mut next: Option<Millis> = None;
        for node in &self.nodes {
            let here = by_node.get(node.name()).map_or(&[][..], Vec::as_slice);
            if !self.fits(node).0 {
                misplaced += i64::from(!here.is_empty());
                continue;
            }
            desired += 1;
            let newest = here.iter().rev().find(|pod| !pod.is_deleting());
            let ready_one = here.iter().find(|pod| is_ready(pod) && !pod.is_deleting());
            scheduled += i64::from(!here.is_empty());
            updated += i64::from(newest.is_some_and(|pod| pod.label(revision::LABEL) == Some(&self.hash)));
            if let Some(pod) = ready_one {
                ready += 1;
                match availability(pod, min_ready, now) {
                    Availability::Yes => available += 1,
                    Availability::In(wait) => next = Some(next.map_or(wait, |known| known.min(wait))),
                    Availability::Not => {}
                }
            }
        }
        let mut status = json!({
            "currentNumberScheduled": scheduled, "numberMisscheduled": misplaced, "desiredNumberScheduled": desired,
            "numberReady": ready, "observedGeneration": self.set.generation(),
        });
        for (field, number) in [
            ("/updatedNumberScheduled", updated),
            ("/numberAvailable", available),
            ("/numberUnavailable", desired - available),
        ] {
            if number != 0 {
                status.set(field, number);
            }
        }
        if !crate::apply::compare::same(&status, self.set.get("status").unwrap_or(&Value::Null)) {
            let (namespace, name) = (self.set.namespace(), self.set.name());
            self.cluster.modify(&DAEMON_SETS, namespace, name, "status", MANAGER, |set| set.set("/status", status))?;
        }
        Ok(next)
    }
}
