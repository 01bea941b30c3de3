//! The life of a delegate: register, connect, serve, come back, drain.

use crate::running::{Outgoing, Runner};
use crate::session::{End, Session};
use crate::{Config, ConfigError, registration};
use rand::RngExt as _;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use windlass_clock::Clock;
use windlass_link::client::{ConnectError, Endpoint, RegisterError, connect};
use windlass_link::{IdentityError, Registration, WorkerIdentity};
use windlass_model::Millis;
use windlass_secrets::SecretStores;
use windlass_task::Handler;

/// A delegate that is ready to run.
pub struct Worker {
    session: Session,
    endpoint: Endpoint,
    stop: CancellationToken,
}

/// Why a delegate ended, or could not begin.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Identity(#[from] IdentityError),
    #[error(transparent)]
    Register(#[from] RegisterError),
    #[error("the server dismissed this delegate: {0}")]
    Dismissed(String),
}

impl Worker {
    /// `stop` asks for the end: running tasks get their grace, then they are handed back.
    pub fn new(
        config: Config,
        clock: Clock,
        http: reqwest::Client,
        handlers: Vec<Arc<dyn Handler>>,
        secrets: SecretStores,
        stop: CancellationToken,
    ) -> Result<Self, Stopped> {
        config.check()?;
        let (sender, words) = mpsc::unbounded_channel();
        let endpoint =
            Endpoint { server: config.server.clone(), http, identity: Arc::new(WorkerIdentity::generate()?), clock };
        let runner = Runner::new(config, clock, handlers, secrets, Outgoing(sender), stop.clone());
        Ok(Self { session: Session::new(Arc::new(runner), words, stop.clone()), endpoint, stop })
    }

    /// Runs until it is asked to stop, or until the server will not have it.
    pub async fn run(mut self) -> Result<(), Stopped> {
        let runner = Arc::clone(&self.session.runner);
        let instance = format!("{:032x}", rand::rng().random::<u128>());
        let description = registration::describe(
            &runner.config,
            &runner.handlers,
            &self.endpoint,
            &instance,
            &runner.secrets.key().public().to_string(),
        );
        let deadline = self.give_notice();
        let ended = tokio::select! {
            biased;
            never = runner.silence.watch(&runner.running) => match never {},
            ended = self.serve(&description) => ended,
        };
        deadline.abort();
        ended
    }

    /// One connection after the other.
    async fn serve(&mut self, description: &Registration) -> Result<(), Stopped> {
        let runner = Arc::clone(&self.session.runner);
        let real = runner.clock.real();
        let mut wait = Millis(200);
        loop {
            let token = runner.config.token.clone();
            let stop = if runner.running.len() == 0 { self.stop.clone() } else { CancellationToken::new() };
            let Some(registered) = registration::persist(&self.endpoint, &token, description, &stop).await? else {
                return Ok(());
            };
            match connect(&self.endpoint, &registered.token, runner.config.transport).await {
                Ok(channel) => {
                    wait = Millis(200);
                    match self.session.serve(channel).await {
                        End::Drained => return Ok(()),
                        End::Dismissed(message) => {
                            runner.running.cancel_all(true);
                            return Err(Stopped::Dismissed(message));
                        }
                        End::Lost => tracing::warn!("the connection to the server is lost; connecting again"),
                    }
                }
                Err(error @ ConnectError::Token) => tracing::info!(%error, "registering again"),
                Err(error) => tracing::warn!(%error, again_in = %wait, "cannot connect"),
            }
            if self.stop.is_cancelled() && runner.running.len() == 0 {
                return Ok(());
            }
            real.sleep(wait).await;
            wait = Millis((wait.0 * 2).min(10_000));
        }
    }

    /// After the request to stop, running tasks go on for the grace but 30 s; then they are stopped and handed back.
    fn give_notice(&self) -> tokio::task::JoinHandle<()> {
        let (runner, stop) = (Arc::clone(&self.session.runner), self.stop.clone());
        tokio::spawn(async move {
            stop.cancelled().await;
            let grace = Millis(runner.config.grace.0.saturating_sub(30_000));
            runner.clock.real().sleep(grace).await;
            runner.running.cancel_all(false);
        })
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("config", &self.session.runner.config).finish_non_exhaustive()
    }
}
