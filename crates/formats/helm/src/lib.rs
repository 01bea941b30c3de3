//! Helm charts, rendered in process (rendering §3).
