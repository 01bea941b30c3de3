//! Secrets on a worker: resolved, put in place, masked.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod masking;
mod resolving;
