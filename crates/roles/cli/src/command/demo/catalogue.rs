//! Changes of the configuration repository, as its owners make them: in the catalogue, rendered, reviewed together.

use super::house::{EDITOR_TOKEN, House};
use super::process;
use crate::failure::CliFailure;
use base64::Engine as _;
use std::path::{Path, PathBuf};

/// A clone of the catalogue.
#[derive(Debug)]
pub(super) struct Catalogue {
    folder: PathBuf,
}

impl Catalogue {
    pub(super) async fn clone(house: &House) -> Result<Self, CliFailure> {
        let folder = house.folder().join("catalogue-clone");
        let url = format!("{}/acme/platform-catalog.git", house.forge_url);
        git(house.folder(), &["clone", "--quiet", &url, &folder.display().to_string()]).await?;
        Ok(Self { folder })
    }

    /// Replaces a text in a file, renders the manifests anew, commits both and pushes.
    pub(super) async fn change(
        &self,
        house: &House,
        path: &str,
        from: &str,
        to: &str,
        message: &str,
    ) -> Result<(), CliFailure> {
        let file = self.folder.join(path);
        let text = std::fs::read_to_string(&file)
            .map_err(|error| CliFailure::failed(format!("cannot read {}: {error}", file.display())))?;
        super::files::write(&file, &text.replace(from, to))?;
        let render = ["render", "--all", "catalog", "--out", "generated"];
        super::tell::prompt(&render);
        let mut command = house.command();
        command.current_dir(&self.folder).args(render);
        if !process::shown(command).await? {
            return Err(CliFailure::failed("the catalogue was not rendered"));
        }
        git(&self.folder, &["commit", "--quiet", "--all", "--message", message]).await?;
        git(&self.folder, &["push", "--quiet"]).await
    }

    /// Takes the newest commit back, with a commit.
    pub(super) async fn revert(&self) -> Result<(), CliFailure> {
        git(&self.folder, &["revert", "--no-edit", "HEAD"]).await?;
        git(&self.folder, &["push", "--quiet"]).await
    }
}

async fn git(folder: &Path, arguments: &[&str]) -> Result<(), CliFailure> {
    let mut command = process::command("git".as_ref());
    let login = base64::engine::general_purpose::STANDARD.encode(format!("editor:{EDITOR_TOKEN}"));
    command.current_dir(folder).args(["-c", "user.name=Editor", "-c", "user.email=editor@example.com"]).args(arguments);
    // Through the environment: command lines are seen by others.
    command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "http.extraHeader");
    command.env("GIT_CONFIG_VALUE_0", format!("Authorization: Basic {login}")).env("GIT_TERMINAL_PROMPT", "0");
    let output = process::output(command).await?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(CliFailure::failed(format!("`git {}` failed: {said}", arguments.first().copied().unwrap_or_default())))
}
