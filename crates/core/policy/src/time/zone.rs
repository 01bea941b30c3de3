//! Time zones by name, from the database in the binary.

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// What a zone says about a moment: seconds to the east of UTC, and what people there call the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Local {
    pub(super) offset: i64,
    pub(super) name: String,
}

/// `""`, `UTC` and `Local` are UTC. Unlike the database, names are read with their capitals, as on OPA's machines.
pub(super) fn find(name: &str) -> Option<TimeZone> {
    if matches!(name, "" | "UTC" | "Local") {
        return Some(TimeZone::UTC);
    }
    TimeZoneDatabase::bundled().get(name).ok().filter(|zone| zone.iana_name() == Some(name))
}

/// At a moment in seconds since 1970.
pub(super) fn at(zone: &TimeZone, unix: i64) -> Local {
    // Beyond the years that zones know, no result has a value in nanoseconds either.
    let moment = Timestamp::from_second(unix).unwrap_or_default();
    let info = zone.to_offset_info(moment);
    Local { offset: i64::from(info.offset().seconds()), name: info.abbreviation().to_owned() }
}
