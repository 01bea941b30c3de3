pub(crate) mod clients;
pub(crate) mod differential;
pub(crate) mod run;

use windlass_test_cluster::{Binaries, Error};

/// The programs, built when they are not there yet.
pub(crate) fn build() -> Result<Binaries, Error> {
    Binaries::build(|what| eprintln!("{what}"))
}
