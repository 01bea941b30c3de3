use super::ClockArgs;
use crate::failure::CliFailure;
use crate::output;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use windlass_model::Millis;
use windlass_server::{Config, Server};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where to listen. Plain HTTP is for this machine only.
    #[arg(long, default_value = "127.0.0.1:7400", env = "WINDLASS_LISTEN", value_name = "ADDR")]
    listen: SocketAddr,
    /// The folder of keys and of the SQLite file.
    #[arg(long, default_value = "./windlass-data", env = "WINDLASS_DATA", value_name = "DIR")]
    data: PathBuf,
    /// `sqlite:PATH`, `postgres://…` or `memory:`. Default: a SQLite file in the data folder.
    #[arg(long, default_value = "", env = "WINDLASS_DATABASE", hide_env_values = true, value_name = "ADDRESS")]
    database: String,
    /// Where people and delegates reach this server.
    #[arg(long, default_value = "", env = "WINDLASS_PUBLIC_URL", value_name = "URL")]
    public_url: String,
    /// The account's identifier.
    #[arg(long, default_value = "windlass", env = "WINDLASS_ACCOUNT", value_name = "ID")]
    account: String,
    /// The time between two reports of a delegate: `10s`. Tasks of one that is silent for six times as long go to another.
    #[arg(long, default_value = "10s", env = "WINDLASS_HEARTBEAT", value_name = "LENGTH", value_parser = heartbeat)]
    heartbeat: Millis,
    /// Print a new one-time code for the administrator.
    #[arg(long)]
    login_code: bool,
    #[command(flatten)]
    clock: ClockArgs,
}

/// Faster ones would be noise, slower ones would leave lost tasks lying for too long.
fn heartbeat(text: &str) -> Result<Millis, String> {
    let length = Millis::parse(text).map_err(|error| error.to_string())?;
    if (Millis(100)..=Millis::from_secs(60)).contains(&length) {
        Ok(length)
    } else {
        Err("write a length from 100ms to 60s".to_owned())
    }
}

pub(crate) async fn run(args: Args) -> Result<ExitCode, CliFailure> {
    super::log_to_stderr();
    let config = Config {
        listen: args.listen,
        data: args.data,
        database: args.database,
        public_url: args.public_url,
        account: args.account,
        clock: args.clock.clock()?,
        heartbeat: args.heartbeat,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        login_code: args.login_code,
    };
    let stop = super::until_asked_to_stop()?;
    let server = Server::start(config).await.map_err(|error| {
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(next) = cause {
            text.push_str(&format!(": {next}"));
            cause = next.source();
        }
        CliFailure::failed(text)
    })?;
    if let Some(code) = server.login_code() {
        output::line(format!("Sign in: windlass login {} --code {code}", server.public_url()));
    }
    output::line(format!("Windlass {} serves {}", env!("CARGO_PKG_VERSION"), server.public_url()));
    server.run(stop).await.map_err(|e| CliFailure::failed(e.to_string()))?;
    Ok(ExitCode::SUCCESS)
}
