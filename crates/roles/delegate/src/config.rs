use std::path::PathBuf;
use windlass_link::client::Transport;
use windlass_model::Millis;

/// How a delegate is started.
#[derive(Clone)]
pub struct Config {
    /// `https://windlass.example.com`.
    pub server: String,
    pub account: String,
    /// The delegate token.
    pub token: String,
    /// Instances with one name form a group; the name is a tag.
    pub name: String,
    pub tags: Vec<String>,
    pub description: String,
    /// Tasks at once.
    pub capacity: u32,
    pub transport: Transport,
    /// Where tasks keep files while they run.
    pub work_folder: PathBuf,
    /// How long running tasks may go on after a request to stop.
    pub grace: Millis,
    pub version: String,
    pub hostname: String,
}

/// What is wrong with a configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{what} is missing: give {how}")]
    Missing { what: &'static str, how: &'static str },
    #[error("`{server}` is not an address of a server: write https://HOST, or http:// on this machine only")]
    Server { server: String },
    #[error("cannot use the work folder {}", folder.display())]
    WorkFolder { folder: PathBuf, source: std::io::Error },
}

impl Config {
    pub fn check(&self) -> Result<(), ConfigError> {
        for (value, what, how) in [
            (&self.server, "the server", "--server or WINDLASS_SERVER"),
            (&self.token, "the delegate token", "DELEGATE_TOKEN or --token-file"),
            (&self.name, "the delegate's name", "--name or DELEGATE_NAME"),
            (&self.account, "the account", "--account or ACCOUNT_ID"),
        ] {
            if value.is_empty() {
                return Err(ConfigError::Missing { what, how });
            }
        }
        let is_safe = reqwest::Url::parse(&self.server).is_ok_and(|url| match url.scheme() {
            "https" => true,
            "http" => matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]")),
            _ => false,
        });
        if !is_safe {
            return Err(ConfigError::Server { server: self.server.clone() });
        }
        std::fs::create_dir_all(&self.work_folder)
            .map_err(|source| ConfigError::WorkFolder { folder: self.work_folder.clone(), source })
    }
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("server", &self.server)
            .field("name", &self.name)
            .field("tags", &self.tags)
            .field("token", &"••••")
            .finish_non_exhaustive()
    }
}
