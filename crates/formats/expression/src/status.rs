//! Names of states in comparisons (pipelines §3.7).

/// Paths that end so hold the state of a node.
pub(crate) const STATUS_KEYS: &[&str] = &["status", "currentStatus", "liveStatus"];

/// Whether two names mean the same state: `SUCCESS` of step outputs is `SUCCEEDED` of the engine.
pub fn same_status(a: &str, b: &str) -> bool {
    let canonical = |name: &str| if name == "SUCCESS" { "SUCCEEDED".to_owned() } else { name.to_owned() };
    canonical(a) == canonical(b)
}
