//! One question to a repository.

use crate::error::RegistryError;
use windlass_http::{Answer, Client, Request, RetryPolicy, Url, shown};

/// A question that an answer below 400 satisfies.
pub(crate) async fn get(
    client: &Client,
    url: &Url,
    accept: &str,
    authorization: Option<&str>,
) -> Result<Answer, RegistryError> {
    let wrong = |_| RegistryError::Address { url: shown(url), problem: "it cannot be asked" };
    let mut request = Request::get(url.as_str()).map_err(wrong)?;
    if !accept.is_empty() {
        request = request.header("accept", accept).map_err(wrong)?;
    }
    if let Some(authorization) = authorization {
        request = request.header("authorization", authorization).map_err(|_| RegistryError::Address {
            url: shown(url),
            problem: "user or password hold characters that cannot be sent",
        })?;
    }
    Ok(client.send_retrying(&request, &RetryPolicy::default()).await?)
}

/// What a status says that is no success.
pub(crate) fn refused(url: &Url, status: u16, signed_in: bool) -> RegistryError {
    let url = shown(url);
    match status {
        401 | 403 if !signed_in => RegistryError::Anonymous { url },
        401 | 403 => RegistryError::Refused { url, status },
        _ => RegistryError::Status { url, status },
    }
}
