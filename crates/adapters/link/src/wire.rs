//! The generated frames.
#![allow(clippy::all, unreachable_pub, missing_debug_implementations, unused_qualifications)]

include!(concat!(env!("OUT_DIR"), "/windlass.link.v1.rs"));
