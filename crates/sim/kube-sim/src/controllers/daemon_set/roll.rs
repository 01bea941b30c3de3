//! Bringing a new template to the nodes.

use super::super::pod::{Availability, availability, scaled};
use super::super::revision;
use super::{ByNode, Round};
use crate::error::ApiError;
use crate::object::Object;
use serde_json::Value;

impl Round<'_> {
    /// Replaces old pods: as many at once as may be missing, or after a new one beside them is available.
    pub(super) fn roll(&self, by_node: &ByNode) -> Result<(), ApiError> {
        let now = self.cluster.now();
        let min_ready = self.set.int("/spec/minReadySeconds").unwrap_or(0);
        let is_new = |pod: &Value| pod.label(revision::LABEL) == Some(&self.hash);
        let is_available = |pod: &Value| !pod.is_deleting() && availability(pod, min_ready, now) == Availability::Yes;
        let wanted: Vec<_> = self.nodes.iter().filter(|node| self.fits(node).0).collect();
        let total = i64::try_from(wanted.len()).unwrap_or(i64::MAX);
        let limit = |name: &str| self.set.at(&format!("/spec/updateStrategy/rollingUpdate/{name}"));
        let surge = scaled(limit("maxSurge"), total, true);
        let unavailable = scaled(limit("maxUnavailable"), total, true);
        let mut missing = 0;
        let mut surging = 0;
        let (mut broken, mut whole) = (Vec::new(), Vec::new());
        for node in &wanted {
            let here = by_node.get(node.name()).map_or(&[][..], Vec::as_slice);
            let old = here.iter().find(|pod| !is_new(pod) && !pod.is_deleting());
            let new = here.iter().find(|pod| is_new(pod));
            missing += i64::from(!here.iter().any(|pod| is_available(pod)));
            surging += i64::from(old.is_some() && new.is_some());
            match (old, new) {
                (Some(old), Some(new)) if is_available(new) => self.delete(old)?,
                (Some(old), None) if is_available(old) => whole.push((node.name(), old)),
                (Some(old), None) => broken.push(old),
                _ => {}
            }
        }
        if surge > 0 {
            for (node, _) in whole.into_iter().take(usize::try_from(surge - surging).unwrap_or(0)) {
                self.create(node)?;
            }
            return broken.into_iter().try_for_each(|old| self.delete(old));
        }
        // A pod that is missing anyway may be replaced at any time.
        broken.into_iter().try_for_each(|old| self.delete(old))?;
        let room = usize::try_from(unavailable.max(1) - missing).unwrap_or(0);
        whole.into_iter().take(room).try_for_each(|(_, old)| self.delete(old))
    }
}
