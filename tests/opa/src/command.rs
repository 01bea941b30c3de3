pub(crate) mod compare;
pub(crate) mod freeze;

use std::path::PathBuf;
use windlass_test_opa::Error;

/// The program, built when it is not there yet.
pub(crate) fn build() -> Result<PathBuf, Error> {
    windlass_test_opa::build(|what| eprintln!("{what}"))
}
