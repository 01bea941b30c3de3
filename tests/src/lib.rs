//! Scenario tests over whole processes: what they share.
