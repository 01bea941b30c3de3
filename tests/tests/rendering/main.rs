//! Kustomizations and charts as the manifests of services: rendered on the delegate, deployed, changed, taken back.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "scenarios")]

mod catalogue;
mod charts;
mod house;
mod kustomize;
mod rehearsed;
