//! The binary `windlass`.

use std::process::ExitCode;

/// A sixth of the server's and of a rehearsal's time went into the C library's allocator (docs/performance.md).
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    windlass_cli::main()
}
