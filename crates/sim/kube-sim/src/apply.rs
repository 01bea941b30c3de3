//! Server-side apply: who owns which field, and what an apply changes.
//!
//! The rules are those of structured merge: a manager owns the fields it set; an apply that changes a field of another
//! manager is a conflict unless forced; what a manager applied before and no longer says is removed when nobody else owns it.

pub(crate) mod compare;
pub(crate) mod fieldset;
pub(crate) mod last_applied;
pub(crate) mod managed;
pub(crate) mod manager;
pub(crate) mod merge;
pub(crate) mod remove;
pub(crate) mod typed;

pub(crate) use manager::{Apply, apply, update};
