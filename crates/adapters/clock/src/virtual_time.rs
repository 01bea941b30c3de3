//! Time without waiting.

use std::io;
use tokio::runtime::{Builder, Runtime};

/// A runtime of one thread whose time stands still while anything can run, and jumps to the next timer when all wait.
///
/// Work on other threads (`spawn_blocking`) holds the jump back until it is done, but ends at a moment of its own among all that is ready:
/// see [`crate::apart`]. Other threads that send messages into the runtime do not hold it back: everything that takes part in a simulation
/// has to live inside of it.
pub fn virtual_runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().start_paused(true).build()
}
