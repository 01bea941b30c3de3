use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// One argument of a program. Everybody on the machine can read it, and it ends up in logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument(OsString);

impl Argument {
    /// Says that a text made at run time holds no secret.
    pub fn visible(text: impl Into<OsString>) -> Self {
        Self(text.into())
    }

    pub(crate) fn as_os_str(&self) -> &OsStr {
        &self.0
    }
}

/// What stands in the source code is no secret.
impl From<&'static str> for Argument {
    fn from(text: &'static str) -> Self {
        Self(text.into())
    }
}

impl From<&Path> for Argument {
    fn from(path: &Path) -> Self {
        Self(path.into())
    }
}

impl From<&PathBuf> for Argument {
    fn from(path: &PathBuf) -> Self {
        Self(path.into())
    }
}
