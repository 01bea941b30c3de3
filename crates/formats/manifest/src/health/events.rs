use crate::{Json, field};

/// A warning of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLine {
    /// When it was seen last, as the cluster wrote it.
    pub at: String,
    /// `Pod/web-5d4f-x`.
    pub object: String,
    pub reason: String,
    pub message: String,
    pub count: i64,
}

/// How many warnings a report carries.
const MOST: usize = 10;

/// The newest warnings of a list of events, newest first, at most ten. Knows events of both groups.
pub fn warnings(events: &[Json]) -> Vec<EventLine> {
    let mut found: Vec<EventLine> =
        events.iter().filter(|e| field::text(e, &["type"]) == Some("Warning")).map(line).collect();
    found.sort_by(|a, b| b.at.cmp(&a.at));
    found.truncate(MOST);
    found
}

fn line(event: &Json) -> EventLine {
    let text = |paths: &[&[&str]]| {
        let found = paths.iter().find_map(|path| field::text(event, path).filter(|text| !text.is_empty()));
        found.unwrap_or_default().to_owned()
    };
    let kind = text(&[&["involvedObject", "kind"], &["regarding", "kind"]]);
    let name = text(&[&["involvedObject", "name"], &["regarding", "name"]]);
    EventLine {
        at: text(&[
            &["series", "lastObservedTime"],
            &["lastTimestamp"],
            &["eventTime"],
            &["metadata", "creationTimestamp"],
        ]),
        object: format!("{kind}/{name}"),
        reason: text(&[&["reason"]]),
        message: text(&[&["message"], &["note"]]),
        count: field::int(event, &["series", "count"]).or_else(|| field::int(event, &["count"])).unwrap_or(1),
    }
}

/// Whether a cluster autoscaler is making room for a pod.
pub(super) fn makes_room(events: &[Json], pod: &str) -> bool {
    events.iter().any(|event| {
        let of_pod =
            [["involvedObject", "name"], ["regarding", "name"]].iter().any(|p| field::text(event, p) == Some(pod));
        of_pod && matches!(field::text(event, &["reason"]), Some("TriggeredScaleUp" | "Nominated"))
    })
}
