//! What `windlass login` remembers: server and session, in a file only its owner can read.

use crate::failure::CliFailure;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Profile {
    pub(crate) server: String,
    pub(crate) token: String,
    /// Where the authorities lie that the server's certificate comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ca_file: Option<PathBuf>,
}

/// `$WINDLASS_CONFIG`, or `windlass/profile.json` in the configuration folder of this person.
fn path() -> Option<PathBuf> {
    #[allow(clippy::disallowed_methods, reason = "the command line's one place that reads where its own file is")]
    let variable = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
    if let Some(path) = variable("WINDLASS_CONFIG") {
        return Some(path.into());
    }
    let folder = variable("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".config")));
    folder.map(|f| f.join("windlass").join("profile.json"))
}

impl Profile {
    /// What was remembered; empty when nobody has signed in.
    pub(crate) fn load() -> Self {
        let text = path().and_then(|p| std::fs::read_to_string(p).ok());
        text.and_then(|t| serde_json::from_str(&t).ok()).unwrap_or_default()
    }

    pub(crate) fn save(&self) -> Result<PathBuf, CliFailure> {
        use std::io::Write as _;
        let path = path().ok_or_else(|| CliFailure::failed("there is no home folder to remember the session in"))?;
        let failed = |error: std::io::Error| CliFailure::failed(format!("cannot write {}: {error}", path.display()));
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(failed)?;
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        file.write_all(text.as_bytes()).map_err(failed)?;
        Ok(path)
    }
}
