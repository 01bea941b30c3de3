//! The door of every operation that changes or shows something.

use crate::caller::Caller;
use windlass_app::{ADMIN, Failure};

/// Only the administrator may do anything, as long as there are no roles.
pub(crate) fn administrator(caller: &Caller) -> Result<(), Failure> {
    if caller.0.id == format!("user:{ADMIN}") {
        Ok(())
    } else {
        Err(Failure::denied("only the administrator may do this"))
    }
}
