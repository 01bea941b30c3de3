use std::time::{Duration, Instant};

/// Long enough for a machine that others starve: what lasts longer hangs.
const PATIENCE: Duration = Duration::from_mins(15);

/// Looks until `look` has an answer; fails with what was waited for when there is none in a quarter of an hour.
#[track_caller]
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited {PATIENCE:?} for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
