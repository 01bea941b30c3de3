use crate::address::{AddressRules, Denied};
use crate::answer::Answer;
use crate::config::{Config, ConfigError, OnExcess};
use crate::error::{HttpError, RedirectRefused};
use crate::request::{Request, shown};
use crate::resolve::{GuardedResolver, Lookup, SystemLookup};
use crate::retry::{RetryPolicy, retry_after};
use crate::stand::Stand;
use bytes::BytesMut;
use reqwest::redirect::Policy;
use reqwest::{Certificate, Proxy, Url};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use windlass_clock::Clock;
use windlass_model::Millis;

/// Where waits get their jitter from: numbers between 0 and 1.
pub type Jitter = Arc<dyn Fn() -> f64 + Send + Sync>;

/// Says of an address why it may not be asked, when it may not.
pub type Gate = Arc<dyn Fn(&Url) -> Result<(), String> + Send + Sync>;

tokio::task_local! {
    /// The gate of the request that is under way: redirects are decided in its task, by one policy for all who share connections.
    static GATE: Option<Gate>;
}

/// Sends requests. Cheap to clone; clones share connections.
#[derive(Clone)]
pub struct Client {
    inner: reqwest::Client,
    config: Arc<Config>,
    rules: Arc<AddressRules>,
    gate: Option<Gate>,
    clock: Clock,
    jitter: Jitter,
    stand: Option<Arc<dyn Stand>>,
}

impl Client {
    /// `clock` measures time limits and waits: give a real one. It also tells the moment for `Retry-After` dates.
    pub fn new(config: Config, clock: Clock, jitter: Jitter) -> Result<Self, ConfigError> {
        Self::with_lookup(config, clock, jitter, Arc::new(SystemLookup))
    }

    /// The same with another way to find addresses.
    pub fn with_lookup(
        config: Config,
        clock: Clock,
        jitter: Jitter,
        lookup: Arc<dyn Lookup>,
    ) -> Result<Self, ConfigError> {
        let rules = Arc::new(config.addresses.clone());
        let inner = build(&config, &rules, lookup)?;
        Ok(Self { inner, config: Arc::new(config), rules, gate: None, clock, jitter, stand: None })
    }

    /// The same client, but nothing leaves this process: every request is answered here.
    #[must_use]
    pub fn answered_by(mut self, stand: Arc<dyn Stand>) -> Self {
        self.stand = Some(stand);
        self
    }

    /// The same client for calls that take longer and bring more: time of one try, and bytes of an answer. Connections are
    /// shared.
    #[must_use]
    pub fn allowing(&self, timeout: Millis, body: usize) -> Self {
        Self { config: Arc::new(Config { timeout, body, ..(*self.config).clone() }), ..self.clone() }
    }

    /// The same client, which asks `gate` about every address, and about each that it is redirected to.
    #[must_use]
    pub fn gated(&self, gate: Gate) -> Self {
        Self { gate: Some(gate), ..self.clone() }
    }

    /// Whether a URL may be called, as far as can be told before its host's name is resolved.
    ///
    /// # Errors
    /// When its host is an address that may not be called.
    pub fn may_call(&self, url: &Url) -> Result<(), Denied> {
        self.rules.check_url(url)
    }

    /// Sends a request once. An answer of any status is an answer.
    pub async fn send(&self, request: &Request) -> Result<Answer, HttpError> {
        if let Some(Err(reason)) = self.gate.as_ref().map(|gate| gate(&request.url)) {
            return Err(HttpError::Closed { url: shown(&request.url), reason });
        }
        if let Some(stand) = &self.stand {
            return Ok(stand.answer(request).await);
        }
        let url = shown(&request.url);
        // A proxy connects in our stead: what it may reach is its operator's decision, but an address is an address.
        self.rules.check_url(&request.url).map_err(HttpError::Denied)?;
        let limit = self.config.timeout;
        // Boxed with its type: the compiler cannot see through the scope that it may go from thread to thread.
        let exchange = GATE.scope(self.gate.clone(), self.exchange(request, &url));
        let exchange: Pin<Box<dyn Future<Output = _> + Send + '_>> = Box::pin(exchange);
        self.clock.timeout(limit, exchange).await.unwrap_or(Err(HttpError::Timeout { url: url.clone(), limit }))
    }

    /// Sends a request until it is answered, as often as the policy allows. Requests that are not idempotent are sent once.
    /// The last answer is given back even when it asks to try again.
    pub async fn send_retrying(&self, request: &Request, policy: &RetryPolicy) -> Result<Answer, HttpError> {
        let mut tries = 0;
        loop {
            let outcome = self.send(request).await;
            tries += 1;
            let (again, asked) = match &outcome {
                Ok(answer) => {
                    (RetryPolicy::is_transient(answer.status), retry_after(&answer.headers, self.clock.now()))
                }
                Err(error) => (error.is_transient(), None),
            };
            let wait = if again && request.idempotent { policy.wait(tries, asked, (self.jitter)()) } else { None };
            match wait {
                Some(wait) => self.clock.sleep(wait).await,
                None => return outcome.map(|answer| Answer { tries, ..answer }),
            }
        }
    }

    async fn exchange(&self, request: &Request, url: &str) -> Result<Answer, HttpError> {
        let failed = |error| HttpError::from_reqwest(error, url.to_owned(), self.config.connect);
        let mut answer = self
            .inner
            .request(request.method.clone(), request.url.clone())
            .headers(request.headers.clone())
            .body(request.body.clone())
            .send()
            .await
            .map_err(failed)?;
        let (status, headers) = (answer.status(), std::mem::take(answer.headers_mut()));
        let most = self.config.body;
        let (mut body, mut truncated) = (BytesMut::new(), false);
        while let Some(chunk) = answer.chunk().await.map_err(failed)? {
            let fits = chunk.len().min(most - body.len());
            body.extend_from_slice(&chunk[..fits]);
            if fits < chunk.len() {
                truncated = true;
                break;
            }
        }
        if truncated && self.config.on_excess == OnExcess::Fail {
            return Err(HttpError::TooLong { url: url.to_owned(), limit: most });
        }
        Ok(Answer { status, headers, body: body.freeze(), truncated, tries: 1 })
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("config", &self.config).finish_non_exhaustive()
    }
}

fn build(config: &Config, rules: &Arc<AddressRules>, lookup: Arc<dyn Lookup>) -> Result<reqwest::Client, ConfigError> {
    let mut authorities = Vec::new();
    for (index, pem) in config.ca.iter().enumerate() {
        let found = Certificate::from_pem_bundle(pem.as_bytes()).ok().filter(|found| !found.is_empty());
        authorities.extend(found.ok_or(ConfigError::Certificate(index))?);
    }
    let resolver = GuardedResolver {
        lookup,
        rules: Arc::clone(rules),
        trusted: Arc::new(config.proxy.hosts().map(str::to_owned).collect()),
    };
    let builder = || {
        let proxies = config.proxy.clone();
        let builder = reqwest::Client::builder()
            .user_agent(config.user_agent.as_str())
            .connect_timeout(within_a_day(config.connect).to_std())
            .redirect(redirects(config.redirects, Arc::clone(rules)))
            .referer(false)
            .dns_resolver(resolver.clone());
        if config.proxy.is_empty() {
            // Without this the environment would decide.
            builder.no_proxy()
        } else {
            builder.no_proxy().proxy(Proxy::custom(move |url| proxies.for_url(url).cloned()))
        }
    };
    match builder().tls_certs_merge(authorities.clone()).build() {
        Ok(client) => Ok(client),
        // A system without certificates of its own: those that are configured, which may be none, have to do.
        Err(_) => builder().tls_certs_only(authorities).build().map_err(ConfigError::Client),
    }
}

/// The timer underneath does not know longer times.
fn within_a_day(time: Millis) -> Millis {
    time.min(Millis::from_secs(86_400))
}

fn redirects(most: usize, rules: Arc<AddressRules>) -> Policy {
    Policy::custom(move |attempt| {
        let was_secure = attempt.previous().last().is_some_and(|url| url.scheme() == "https");
        let scheme = attempt.url().scheme().to_owned();
        if attempt.previous().len() > most {
            return attempt.error(RedirectRefused::TooMany(most));
        }
        match (was_secure, scheme.as_str()) {
            (true, "http") => attempt.error(RedirectRefused::Downgrade),
            (_, "http" | "https") => {
                let closed = GATE.try_with(|gate| gate.as_ref().and_then(|gate| gate(attempt.url()).err()));
                match (rules.check_url(attempt.url()), closed.ok().flatten()) {
                    (Ok(()), None) => attempt.follow(),
                    (Ok(()), Some(why)) => attempt.error(RedirectRefused::Closed(why)),
                    (Err(denied), _) => attempt.error(denied),
                }
            }
            _ => attempt.error(RedirectRefused::Scheme(scheme)),
        }
    })
}
