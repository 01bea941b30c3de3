//! What operations and their groups are called.

use crate::routes::Route;

/// The variable parts of a path: `id` of `/runs/{id}`.
pub(super) fn variables(path: &str) -> Vec<&str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect()
}

pub(super) fn tag(path: &str) -> &str {
    let vendor = if path.starts_with("/delegate-service") { "delegate-service" } else { "vendor" };
    let own = path.strip_prefix("/api/v1/").map(|rest| rest.split('/').next().unwrap_or_default());
    match own {
        Some(word) if word.starts_with('{') => "documents",
        Some(word) => word,
        None if path.matches('/').count() == 1 || path.starts_with("/webhook/") => "server",
        None => vendor,
    }
}

/// `get_runs_by_id` of `GET /api/v1/runs/{id}`.
pub(super) fn identifier(route: &Route) -> String {
    let path = route.path.strip_prefix("/api/v1").unwrap_or(&route.path);
    let mut words = vec![route.method.as_str().to_ascii_lowercase()];
    for part in path.split('/').filter(|part| !part.is_empty()) {
        match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(name) => words.push(format!("by_{name}")),
            None => words.push(part.replace(['-', '.'], "_")),
        }
    }
    words.join("_")
}
