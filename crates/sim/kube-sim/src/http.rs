//! The Kubernetes HTTP API over a [`Cluster`](crate::Cluster).
//!
//! A request is routed by its path, its user is found and asked for rights, faults have their say, and then one verb serves it.
//! Paths of custom kinds come and go, so there is one handler that reads the path instead of a table of routes.

mod auth;
mod body;
mod collection;
mod create;
mod delete;
mod discovery;
mod evict;
mod handle;
mod impersonate;
mod logs;
mod metrics;
mod negotiate;
mod openapi;
mod options;
mod patch;
mod proxy;
mod query;
mod rbac;
mod read;
mod reply;
mod reviews;
mod route;
mod scale;
mod table;
mod tokens;
mod update;
mod watch;

#[cfg(test)]
mod tests;

pub(crate) use auth::Users;
pub(crate) use handle::{Server, router};
