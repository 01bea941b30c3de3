//! Kustomizations and charts as steps render them: from a pretend forge, from repositories of charts, and from memory the
//! second time.
#![allow(clippy::unwrap_used)]

mod bench;
mod charts;
mod kustomizations;
#[path = "../support/service.rs"]
mod service;
