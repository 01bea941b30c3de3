//! `--verify`: whether a packed chart was signed by somebody of a keyring.

use crate::command::pretend::chain;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use windlass_clock::Clock;
use windlass_helm::Chart;
use windlass_render::disk::read_file;
use windlass_render::provenance::Verification;

/// What charts are checked against.
pub(super) fn verification(keyring: Option<&Path>) -> Result<Verification, String> {
    let failed = |why: String| format!("failed to load keyring: {why}");
    let path = keyring.map_or_else(default_keyring, |path| Ok(path.to_owned())).map_err(failed)?;
    let bytes = read_file(&path).map_err(failed)?;
    Verification::new(&bytes, Clock::system().now()).map_err(|error| failed(chain(&error)))
}

/// The chart of an archive that fits the file `….prov` beside it: of the same bytes that were checked.
pub(super) fn beside(path: &Path, keyring: Option<&Path>) -> Result<Chart, String> {
    if !path.exists() {
        return Err(format!("path \"{}\" not found", path.display()));
    }
    if path.is_dir() {
        return Err("unpacked charts cannot be verified: pack and sign it (`helm package --sign`), or verify with \
                    --dependency-update what it depends on"
            .to_owned());
    }
    let is_archive = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("tgz"));
    let Some(name) = path.file_name().and_then(OsStr::to_str).filter(|_| is_archive) else {
        return Err("chart must be a tgz file".to_owned());
    };
    let provenance = PathBuf::from(format!("{}.prov", path.display()));
    let provenance = read_file(&provenance)
        .map_err(|why| format!("could not load provenance file {}: {why}", provenance.display()))?;
    let verification = verification(keyring)?;
    let bytes = read_file(path)?;
    verification.check(name, &bytes, &provenance).map_err(|error| chain(&error))?;
    Chart::load_archive(&bytes).map_err(|error| chain(&error))
}

/// Where GnuPG keeps, or kept, what it trusts.
fn default_keyring() -> Result<PathBuf, String> {
    let folder = match (std::env::var_os("GNUPGHOME"), std::env::home_dir()) {
        (Some(folder), _) if !folder.is_empty() => PathBuf::from(folder),
        (_, Some(home)) => home.join(".gnupg"),
        _ => return Err("there is no home folder: name the keyring with --keyring".to_owned()),
    };
    Ok(folder.join("pubring.gpg"))
}
