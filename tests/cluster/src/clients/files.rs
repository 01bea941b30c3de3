use crate::error::Error;
use std::path::Path;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../clients/", $name)))),*]
    };
}

/// What the command lines name.
const FILES: [(&str, &str); 10] = files![
    "app.yaml",
    "next.yaml",
    "stateful.yaml",
    "wrong.yaml",
    "misspelt.yaml",
    "scaler.yaml",
    "chart/Chart.yaml",
    "chart/values.yaml",
    "chart/templates/web.yaml",
    "chart/templates/hook.yaml",
];

/// Writes the files of the scenarios.
///
/// # Errors
/// When the folder cannot be written.
pub(super) fn write(folder: &Path) -> Result<(), Error> {
    for (name, text) in FILES {
        let path = folder.join(name);
        let above = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(above).map_err(Error::file(above))?;
        std::fs::write(&path, text).map_err(Error::file(&path))?;
    }
    Ok(())
}
