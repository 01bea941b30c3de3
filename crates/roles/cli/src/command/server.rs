use super::ClockArgs;
use crate::failure::CliFailure;
use crate::output;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use windlass_model::Millis;
use windlass_server::{AddressRange, BucketAccess, Config, LogPlace, Server, TlsFiles};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where to listen. Beyond this machine with a certificate, or behind trusted proxies.
    #[arg(long, default_value = "127.0.0.1:7400", env = "WINDLASS_LISTEN", value_name = "ADDR")]
    listen: SocketAddr,
    /// The folder of keys and of the SQLite file.
    #[arg(long, default_value = "./windlass-data", env = "WINDLASS_DATA", value_name = "DIR")]
    data: PathBuf,
    /// `sqlite:PATH`, `postgres://…` or `memory:`. Default: a SQLite file in the data folder.
    #[arg(long, default_value = "", env = "WINDLASS_DATABASE", hide_env_values = true, value_name = "ADDRESS")]
    database: String,
    /// Where closed logs go: a folder that all servers on the database share, `s3://BUCKET/PREFIX`, or `database`. Default: a folder
    /// below the data folder; on PostgreSQL the database.
    #[arg(long, default_value = "", env = "WINDLASS_LOGS", value_name = "PLACE")]
    logs: String,
    #[command(flatten)]
    bucket: Bucket,
    /// The file of the master key, which all servers on one database need. Default: made in the data folder at the first start.
    #[arg(long, env = "WINDLASS_MASTER_KEY_FILE", value_name = "FILE")]
    master_key_file: Option<PathBuf>,
    /// Go on without the keys of the other servers on this database, which are lost.
    #[arg(long)]
    replace_keys: bool,
    /// Where people and delegates reach this server.
    #[arg(long, default_value = "", env = "WINDLASS_PUBLIC_URL", value_name = "URL")]
    public_url: String,
    /// The server's certificate with those between it and an authority, in PEM. Read again when it changes.
    #[arg(long, env = "WINDLASS_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The key of the certificate, in PEM.
    #[arg(long, env = "WINDLASS_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Addresses of proxies in front of the server, which say in `X-Forwarded-For` for whom they speak: `10.0.0.0/8`.
    #[arg(long, env = "WINDLASS_TRUSTED_PROXIES", value_name = "RANGE", value_delimiter = ',')]
    trusted_proxy: Vec<AddressRange>,
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

/// Who may use the bucket of the logs, and where it is.
#[derive(Debug, clap::Args)]
struct Bucket {
    /// The region of the bucket.
    #[arg(long, default_value = "us-east-1", env = "AWS_REGION", value_name = "REGION")]
    s3_region: String,
    /// The service, if it is not Amazon's: `https://s3.example.com`.
    #[arg(long, default_value = "", env = "AWS_ENDPOINT_URL", value_name = "URL")]
    s3_endpoint: String,
    #[arg(long, default_value = "", env = "AWS_ACCESS_KEY_ID", hide = true)]
    s3_access_key: String,
    #[arg(long, default_value = "", env = "AWS_SECRET_ACCESS_KEY", hide = true, hide_env_values = true)]
    s3_secret_key: String,
    #[arg(long, env = "AWS_SESSION_TOKEN", hide = true, hide_env_values = true)]
    s3_session_token: Option<String>,
}

impl From<Bucket> for BucketAccess {
    fn from(bucket: Bucket) -> Self {
        Self {
            region: bucket.s3_region,
            endpoint: bucket.s3_endpoint,
            access_key: bucket.s3_access_key,
            secret_key: bucket.s3_secret_key,
            session_token: bucket.s3_session_token,
        }
    }
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
        logs: LogPlace::parse(&args.logs, args.bucket.into()).map_err(CliFailure::usage)?,
        master_key: args.master_key_file,
        replace_keys: args.replace_keys,
        public_url: args.public_url,
        tls: args.tls_cert.zip(args.tls_key).map(|(certificate, key)| TlsFiles { certificate, key }),
        trusted_proxies: args.trusted_proxy,
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
    let mut told = format!("Windlass {} serves {}", env!("CARGO_PKG_VERSION"), server.public_url());
    let address = server.address().to_string();
    if !told.ends_with(&address) {
        told.push_str(&format!(" (listening on {address})"));
    }
    output::line(told);
    server.run(stop).await.map_err(|e| CliFailure::failed(e.to_string()))?;
    Ok(ExitCode::SUCCESS)
}
