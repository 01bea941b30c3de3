//! How git signs in, without anybody else reading along.

use crate::address::{RepoUrl, Scheme};
use crate::error::GitError;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::path::Path;
use windlass_exec::{PrivateFolder, Program};
use windlass_model::task::source::GitAuth;
use zeroize::Zeroizing;

/// Credentials, made ready for one call. The key file lives as long as this.
#[derive(Debug)]
pub(crate) struct Credentials {
    header: Option<(String, String)>,
    /// The token itself: no argument may hold it.
    token: Option<Zeroizing<Vec<u8>>>,
    ssh: Option<Ssh>,
}

#[derive(Debug)]
struct Ssh {
    command: String,
    key: Vec<u8>,
    _folder: PrivateFolder,
}

impl Credentials {
    pub(crate) fn new(url: &RepoUrl, auth: &GitAuth, work: &Path) -> Result<Self, GitError> {
        match auth {
            GitAuth::Anonymous => Ok(Self { header: None, token: None, ssh: None }),
            GitAuth::Http { username, password } => {
                let origin = url.origin().filter(|_| url.scheme() != Scheme::Ssh);
                let origin = origin.ok_or_else(|| GitError::Address {
                    url: url.to_string(),
                    problem: "a user and a token are for https addresses; this one wants a key",
                })?;
                if url.scheme() == Scheme::Http && !url.is_loopback() {
                    let problem = "credentials are not sent over plain http; use https";
                    return Err(GitError::Address { url: url.to_string(), problem });
                }
                let user = if username.is_empty() { "git" } else { username };
                let header = format!("Authorization: Basic {}", BASE64_STANDARD.encode(format!("{user}:{password}")));
                Ok(Self {
                    header: Some((format!("http.{origin}.extraHeader"), header)),
                    token: Some(Zeroizing::new(password.clone().into_bytes())),
                    ssh: None,
                })
            }
            GitAuth::Ssh { private_key } => {
                if url.scheme() != Scheme::Ssh {
                    let problem = "a key is for ssh addresses; this one wants a token";
                    return Err(GitError::Address { url: url.to_string(), problem });
                }
                let cache = |source| GitError::Cache { doing: "write the key", source };
                let folder = PrivateFolder::create(work).map_err(cache)?;
                // OpenSSH wants a line break at the end.
                let key = format!("{}\n", private_key.trim_end()).into_bytes();
                let file = folder.write("key", &key).map_err(cache)?;
                let command = format!(
                    "ssh -F /dev/null -o BatchMode=yes -o IdentitiesOnly=yes -o IdentityAgent=none -o ConnectTimeout=20 \
                     -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile={} -i {}",
                    quoted(&work.join("known_hosts")),
                    quoted(&file),
                );
                Ok(Self { header: None, token: None, ssh: Some(Ssh { command, key, _folder: folder }) })
            }
        }
    }

    /// Adds the credentials to the environment of a program. `settings` are further settings of git.
    pub(crate) fn give(&self, mut program: Program, settings: &[(String, String)]) -> Program {
        let header = self.header.iter().map(|(name, value)| (name.as_str(), value.as_str(), true));
        let plain = settings.iter().map(|(name, value)| (name.as_str(), value.as_str(), false));
        let mut count = 0;
        for (name, value, secret) in plain.chain(header) {
            program = program.env(format!("GIT_CONFIG_KEY_{count}"), name);
            let variable = format!("GIT_CONFIG_VALUE_{count}");
            program = if secret { program.secret_env(variable, value) } else { program.env(variable, value) };
            count += 1;
        }
        program = program.env("GIT_CONFIG_COUNT", count.to_string());
        if let Some(token) = &self.token {
            program = program.know(token);
        }
        if let Some(ssh) = &self.ssh {
            program = program.env("GIT_SSH_COMMAND", &*ssh.command).know(&ssh.key);
        }
        program
    }
}

/// A path as one word of a shell: git hands the command to one.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_go_to_one_server_and_only_over_tls() {
        let work = tempfile::tempdir().unwrap();
        let http = GitAuth::Http { username: String::new(), password: "s3cret".into() };
        let make = |url: &str, auth: &GitAuth| Credentials::new(&RepoUrl::parse(url).unwrap(), auth, work.path());
        let credentials = make("https://git.example/acme/deploy", &http).unwrap();
        let (name, value) = credentials.header.unwrap();
        assert_eq!(name, "http.https://git.example/.extraHeader");
        assert_eq!(value, format!("Authorization: Basic {}", BASE64_STANDARD.encode("git:s3cret")));
        assert!(make("http://git.example/r", &http).is_err());
        assert!(make("http://127.0.0.1:1/r", &http).is_ok());
        assert!(make("git@git.example:r", &http).is_err());
        let key = GitAuth::Ssh { private_key: "KEY".into() };
        assert!(make("https://git.example/r", &key).is_err());
        let ssh = make("git@git.example:r", &key).unwrap().ssh.unwrap();
        assert!(ssh.command.contains("BatchMode=yes") && !ssh.command.contains("KEY"));
    }
}
