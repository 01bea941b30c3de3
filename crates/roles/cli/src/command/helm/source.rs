//! Where a chart comes from: this machine, a repository, a registry, an address.

use super::{load, verify};
use crate::command::reach::Reach;
use std::path::{Path, PathBuf};
use windlass_helm::Chart;
use windlass_model::task::source::ChartRepository;
use windlass_render::disk::read_file;

#[derive(Debug, clap::Args)]
pub(super) struct SourceFlags {
    /// The address of the Helm repository that holds the chart.
    #[arg(long, value_name = "URL")]
    repo: Option<String>,
    /// The chart's version, or a range; left out: the newest.
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    /// Versions before a release count too.
    #[arg(long)]
    devel: bool,
    /// The user of the repository.
    #[arg(long, value_name = "NAME")]
    username: Option<String>,
    /// The user's password.
    #[arg(long, value_name = "TEXT", env = "HELM_PASSWORD", hide_env_values = true)]
    password: Option<String>,
    /// Certificate authorities of the repository, in PEM.
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    #[arg(long, hide = true)]
    insecure_skip_tls_verify: bool,
    #[arg(long, hide = true)]
    plain_http: bool,
    #[arg(long, hide = true)]
    pass_credentials: bool,
    /// The packed chart must have been signed by somebody of the keyring; with --dependency-update, the charts that are fetched.
    #[arg(long)]
    verify: bool,
    /// Keys that are trusted, as packets or with armor; left out: `pubring.gpg` of GnuPG.
    #[arg(long, value_name = "FILE")]
    keyring: Option<PathBuf>,
    #[arg(long, hide = true)]
    cert_file: Option<PathBuf>,
    #[arg(long, hide = true)]
    key_file: Option<PathBuf>,
}

impl SourceFlags {
    /// The chart behind a path, a name or an address. `update`: charts that it lists and does not hold are fetched.
    pub(super) fn chart(&self, reference: &str, update: bool) -> Result<Chart, String> {
        self.refuse()?;
        let authorities = self.ca_file.iter().map(|file| {
            String::from_utf8(read_file(file)?).map_err(|_| format!("{} is no certificate in PEM", file.display()))
        });
        let repository = self.repository(reference);
        let path = Path::new(reference);
        let is_elsewhere =
            repository.is_some() || reference.starts_with("http://") || reference.starts_with("https://");
        if !is_elsewhere && !path.exists() && reference.contains('/') && !reference.starts_with('.') {
            return Err(format!(
                "path \"{reference}\" not found; repositories of `helm repo add` are not read: give the name with --repo \
                 URL, or oci://"
            ));
        }
        let keyring = self.keyring.as_deref();
        let is_checked_here = self.verify && !is_elsewhere && !(update && path.is_dir());
        let fetches = is_elsewhere || update;
        let verification = (self.verify && fetches).then(|| verify::verification(keyring)).transpose()?;
        let reach = Reach::trusting(authorities.collect::<Result<_, _>>()?).verifying(verification);
        let mut chart = match &repository {
            Some((repository, name)) => reach.local()?.chart(repository, name, &self.wanted())?,
            None if is_elsewhere => reach.local()?.packed(reference)?,
            None if is_checked_here => verify::beside(path, keyring)?,
            None => load(path)?,
        };
        if update {
            // The versions are looked for anew, as the flag says.
            chart.lock = None;
            let folder = path.is_dir().then_some(path);
            reach.local()?.complete(&mut chart, folder, repository.as_ref().map(|(repository, _)| repository))?;
        }
        Ok(chart)
    }

    fn wanted(&self) -> String {
        match &self.version {
            Some(version) => version.clone(),
            None if self.devel => ">0.0.0-0".to_owned(),
            None => String::new(),
        }
    }

    /// A repository and the chart's name in it.
    fn repository(&self, reference: &str) -> Option<(ChartRepository, String)> {
        let (url, name) = match (&self.repo, reference.strip_prefix("oci://")) {
            (_, Some(path)) => {
                let (above, name) = path.trim_end_matches('/').rsplit_once('/')?;
                (format!("oci://{above}"), name)
            }
            (Some(repo), None) => (repo.clone(), reference),
            (None, None) => return None,
        };
        let (username, password) = (self.username.clone(), self.password.clone());
        Some((ChartRepository { connector: String::new(), url, username, password }, name.to_owned()))
    }

    /// What the reference does and this does not, with what to do instead.
    fn refuse(&self) -> Result<(), String> {
        let refused = [
            (
                self.insecure_skip_tls_verify,
                "--insecure-skip-tls-verify is not offered: give the authority with --ca-file",
            ),
            (self.plain_http, "--plain-http is not offered: registries of this machine are asked without TLS anyway"),
            (
                self.pass_credentials,
                "--pass-credentials is not offered: user and password go to the repository's host only",
            ),
            (
                self.cert_file.is_some() || self.key_file.is_some(),
                "--cert-file and --key-file are not offered: use a user and a password",
            ),
        ];
        refused.iter().find(|(given, _)| *given).map_or(Ok(()), |(_, why)| Err((*why).to_owned()))
    }
}
