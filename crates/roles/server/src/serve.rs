use crate::tls::{Certificate, TlsError};
use crate::{Config, keys};
use axum_server::Handle;
use axum_server::accept::NoDelayAcceptor;
use axum_server::tls_rustls::RustlsAcceptor;
use hyper_util::rt::TokioTimer;
use rand::RngExt as _;
use std::net::SocketAddr;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use windlass_api::Front;
use windlass_app::triggers::WebhookKey;
use windlass_app::{App, Failure, Parts};
use windlass_link::{Pace, Tokens};
use windlass_model::Millis;
use windlass_secrets::{Keyring, KeyringError, Vault};
use windlass_store::{Database, OpenError, Store, StoreError};

/// How long a client may take to say what it wants.
const HEADERS: Duration = Duration::from_secs(30);
/// How long closed logs that an earlier server left may hold the start up. What is left is done later.
const LOGS: Millis = Millis::from_secs(10);
/// How long requests on their way may take when the server stops. Event streams and workers' sockets stay open by themselves; what
/// was decided is stored anyway.
const FINISH: Duration = Duration::from_secs(5);

/// A server that is ready to serve.
#[derive(Debug)]
pub struct Server {
    app: App,
    listener: TcpListener,
    address: SocketAddr,
    certificate: Option<Certificate>,
    front: Front,
    /// The one-time code of the first start.
    login_code: Option<String>,
}

/// Why a server cannot start, or had to end.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("cannot use the data folder {}", path.display())]
    Data { path: PathBuf, source: std::io::Error },
    #[error("cannot read or make the key {}", path.display())]
    Key { path: PathBuf, source: std::io::Error },
    #[error("cannot use the master key")]
    MasterKey(#[from] KeyringError),
    #[error(
        "this server's master key is not that of the others on this database: bring it theirs (--master-key-file); if that one is \
         lost, --replace-keys goes on without it, and every stored secret value must be saved again"
    )]
    OtherMasterKey { source: windlass_secrets::OpenError },
    #[error("cannot read or write the keys that servers on this database share")]
    SharedKeys(#[source] StoreError),
    #[error("cannot use the key {name} that servers on this database share")]
    SharedKey { name: &'static str, source: Box<dyn std::error::Error + Send + Sync> },
    #[error("cannot open the database")]
    Store(#[from] OpenError),
    #[error("cannot take over from an earlier server")]
    TakeOver(#[source] StoreError),
    #[error("cannot open the logs")]
    Logs(#[from] windlass_logs::OpenError),
    #[error("cannot make an HTTP client for the bucket of the logs")]
    Http(#[from] windlass_http::ConfigError),
    #[error("cannot listen on {address}")]
    Listen { address: SocketAddr, source: std::io::Error },
    #[error("cannot prepare the first start: {0}")]
    FirstStart(Failure),
    #[error(
        "plain HTTP is for this machine only, and {address} is reachable from others: give a certificate (--tls-cert, --tls-key), \
         or the proxies in front of the server that have one (--trusted-proxy)"
    )]
    Plain { address: SocketAddr },
    #[error("people and delegates cannot guess how to reach {address}: give --public-url")]
    PublicUrl { address: SocketAddr },
    #[error("cannot use the certificate")]
    Tls(#[from] TlsError),
    #[error("the server ended with an error")]
    Serve(#[source] std::io::Error),
}

impl Server {
    pub async fn start(config: Config) -> Result<Self, ServeError> {
        let front = config.front()?;
        let certificate = match config.tls.clone() {
            Some(files) => Some(files.load(config.clock).await?),
            None => None,
        };
        // Keys and database are nobody else's business.
        std::os::unix::fs::DirBuilderExt::mode(std::fs::DirBuilder::new().recursive(true), 0o700)
            .create(&config.data)
            .map_err(|source| ServeError::Data { path: config.data.clone(), source })?;
        let mut tokens = keys::load_or_make(&config.data, "delegate-tokens.key")?;
        let mut webhooks = keys::load_or_make(&config.data, "webhook-tokens.key")?;
        let vault = Vault::new(match &config.master_key {
            Some(path) => Keyring::read(path)?,
            None => Keyring::read_or_create(&config.data.join("master.key"), "1")?,
        });
        let database = if config.database.is_empty() {
            format!("sqlite:{}", config.data.join("windlass.db").display())
        } else {
            config.database.clone()
        };
        let database: Database = database.parse()?;
        let store = Store::open(&database, config.clock).await?;
        if matches!(database, Database::Sqlite(_)) {
            // One file, one server: whoever held a lease is dead, and nobody need wait until it lapses.
            store.leases().forget().await.map_err(ServeError::TakeOver)?;
        }
        if store.is_shared() {
            let now = config.clock.real().now();
            let shared = keys::Shared { store: &store, vault: &vault, replace: config.replace_keys, now };
            tokens = shared.key("delegate-tokens", tokens).await?;
            webhooks = shared.key("webhook-tokens", webhooks).await?;
        }
        let logs = crate::logs::open(&store, &config)?;
        match config.clock.real().timeout(LOGS, logs.recover()).await.unwrap_or(Ok(0)) {
            Ok(0) => {}
            Ok(settled) => tracing::info!(settled, "closed the logs that an earlier server left open"),
            // They are read line by line until the next start.
            Err(error) => tracing::warn!(%error, "cannot close the logs that an earlier server left open"),
        }
        let listen = config.listen;
        let cannot_listen = |source| ServeError::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).map_err(cannot_listen)?;
        listener.set_nonblocking(true).map_err(cannot_listen)?;
        let address = listener.local_addr().map_err(cannot_listen)?;
        let scheme = if certificate.is_some() { "https" } else { "http" };
        let public_url =
            if config.public_url.is_empty() { format!("{scheme}://{address}") } else { config.public_url.clone() };
        let replica = format!("{}-{:08x}", std::process::id(), rand::rng().random::<u32>());
        let app = App::new(Parts {
            store,
            logs,
            clock: config.clock,
            tokens: Tokens::new(&tokens),
            pace: Pace { heartbeat: config.heartbeat },
            vault,
            webhooks: WebhookKey::new(webhooks),
            account: config.account,
            replica,
            public_url,
            version: config.version,
        });
        let login_code = match app.first_start().await.map_err(ServeError::FirstStart)? {
            Some(code) => Some(code),
            None if config.login_code => Some(app.login_code().await.map_err(ServeError::FirstStart)?),
            None => None,
        };
        Ok(Self { app, listener, address, certificate, front, login_code })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn public_url(&self) -> &str {
        &self.app.parts().public_url
    }

    pub fn login_code(&self) -> Option<&str> {
        self.login_code.as_deref()
    }

    /// Serves until `stop`; requests on their way are finished first.
    pub async fn run(self, stop: CancellationToken) -> Result<(), ServeError> {
        let performers = self.app.perform();
        let router = windlass_api::router(self.app.clone(), self.front);
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        let handle = Handle::new();
        let server = axum_server::from_tcp(self.listener).map_err(ServeError::Serve)?.handle(handle.clone());
        let mut server = server.acceptor(NoDelayAcceptor::new());
        // A connection that never says what it wants is closed.
        server.http_builder().http1().timer(TokioTimer::new()).header_read_timeout(HEADERS);
        let stopping = async {
            stop.cancelled().await;
            handle.graceful_shutdown(Some(FINISH));
            std::future::pending::<()>().await;
        };
        let serving = async {
            let Some(certificate) = self.certificate else { return server.serve(service).await };
            let acceptor = RustlsAcceptor::new(certificate.config.clone());
            tokio::select! {
                served = server.map(|plain| acceptor.acceptor(plain)).serve(service) => served,
                () = certificate.follow() => Ok(()),
            }
        };
        let ended = tokio::select! {
            served = serving => served.map_err(ServeError::Serve),
            () = stopping => Ok(()),
        };
        drop(performers);
        ended
    }
}
