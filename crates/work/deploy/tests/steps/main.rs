//! Every step against a simulated cluster, in virtual time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub)]

mod apply;
mod blue_green;
mod canary;
mod killed;
mod progressive;
mod rolling;
mod rules;
mod support;
mod twice;
mod waiting;
