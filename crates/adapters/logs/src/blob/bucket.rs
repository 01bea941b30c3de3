//! Closed logs as objects of a bucket, at anything that speaks as S3 does.

use crate::error::{LogError, OpenError};
use bytes::Bytes;
use rusty_s3::{Bucket as Place, Credentials, S3Action, UrlStyle};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use windlass_clock::Clock;
use windlass_http::{Answer, Client, Request, RetryPolicy, Url};

/// How long a signed request counts. Clocks may differ by some minutes.
const LIFETIME: Duration = Duration::from_secs(15 * 60);

/// Which bucket, and who may use it.
#[derive(Clone, PartialEq, Eq)]
pub struct BucketOptions {
    pub bucket: String,
    /// In front of every name; empty, or ends with `/`.
    pub prefix: String,
    pub region: String,
    /// Empty: the one of the region.
    pub endpoint: String,
    pub access_key: String,
    pub secret_key: String,
    pub session_token: Option<String>,
}

impl fmt::Debug for BucketOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bucket, prefix, region, endpoint, .. } = self;
        write!(f, "s3://{bucket}/{prefix} in {region} at `{endpoint}`")
    }
}

impl BucketOptions {
    /// Where requests go.
    ///
    /// # Errors
    /// When the endpoint is no address.
    pub fn url(&self) -> Result<Url, OpenError> {
        let endpoint = match self.endpoint.as_str() {
            "" => format!("https://s3.{}.amazonaws.com", self.region),
            endpoint => endpoint.to_owned(),
        };
        endpoint.parse().map_err(|_| OpenError::Endpoint { endpoint })
    }
}

#[derive(Clone)]
pub(super) struct Bucket {
    place: Place,
    credentials: Credentials,
    prefix: Arc<str>,
    http: Client,
    clock: Clock,
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bucket({})", self.place.base_url())
    }
}

impl Bucket {
    pub(super) fn new(options: &BucketOptions, http: Client, clock: Clock) -> Result<Self, OpenError> {
        let BucketOptions { bucket, prefix, region, access_key, secret_key, session_token, .. } = options;
        // The name of a bucket as part of the host is for the service that invented it; others have one host.
        let style =
            if options.endpoint.is_empty() && !bucket.contains('.') { UrlStyle::VirtualHost } else { UrlStyle::Path };
        let place = Place::new(options.url()?, style, bucket.clone(), region.clone());
        let place = place.map_err(|error| OpenError::Bucket { bucket: bucket.clone(), reason: error.to_string() })?;
        let credentials = match session_token {
            Some(token) => Credentials::new_with_token(access_key.clone(), secret_key.clone(), token.clone()),
            None => Credentials::new(access_key.clone(), secret_key.clone()),
        };
        Ok(Self { place, credentials, prefix: prefix.as_str().into(), http, clock: clock.real() })
    }

    /// Stores an object. When this returns the service has it.
    pub(super) async fn write(&self, name: &str, bytes: Vec<u8>) -> Result<(), LogError> {
        let object = self.object(name);
        let put = self.place.put_object(Some(&self.credentials), &object);
        self.call("PUT", name, &put, bytes.into()).await.map(drop)
    }

    pub(super) async fn read(&self, name: &str) -> Result<Vec<u8>, LogError> {
        let object = self.object(name);
        let get = self.place.get_object(Some(&self.credentials), &object);
        Ok(self.call("GET", name, &get, Bytes::new()).await?.body.to_vec())
    }

    /// Nothing happens when there is none.
    pub(super) async fn remove(&self, name: &str) -> Result<(), LogError> {
        let object = self.object(name);
        let delete = self.place.delete_object(Some(&self.credentials), &object);
        match self.call("DELETE", name, &delete, Bytes::new()).await {
            Err(LogError::Refused { status: 404, .. }) => Ok(()),
            other => other.map(drop),
        }
    }

    fn object(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    async fn call<'a>(
        &self,
        method: &str,
        name: &str,
        action: &impl S3Action<'a>,
        body: Bytes,
    ) -> Result<Answer, LogError> {
        let failed =
            |source: Box<dyn std::error::Error + Send + Sync>| LogError::Bucket { name: name.to_owned(), source };
        let now = jiff::Timestamp::from_microsecond(self.clock.now().micros()).map_err(|error| failed(error.into()))?;
        let url = action.sign_with_time(LIFETIME, &now);
        let request = Request::new(method, url.as_str()).map_err(|error| failed(error.into()))?.body(body);
        let answer = self.http.send_retrying(&request, &RetryPolicy::default()).await;
        let answer = answer.map_err(|error| failed(error.into()))?;
        if answer.status.is_success() {
            return Ok(answer);
        }
        // `<Error><Code>NoSuchBucket</Code>…`; the rest may be long.
        let text = answer.text();
        let code = text.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>")).map(|(code, _)| code);
        let reason = code.unwrap_or("no reason given").chars().take(80).collect();
        Err(LogError::Refused { name: name.to_owned(), status: answer.status.as_u16(), reason })
    }
}
