//! Who is calling: a session or an API key in the request's headers.

use crate::Api;
use crate::problem::Problem;
use axum::extract::FromRequestParts;
use http::HeaderMap;
use http::request::Parts;
use windlass_app::{Failure, access};

/// A caller who has shown who they are. A handler that takes this cannot be reached by nobody.
#[derive(Clone, Debug)]
pub(crate) struct Caller(pub(crate) access::Caller);

impl FromRequestParts<Api> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let token = key_of(&parts.headers).ok_or_else(|| {
            Failure::unauthenticated("this needs a session or an API key")
                .hint("sign in with `windlass login`, or send the header `x-api-key`")
        })?;
        let principal = api.app.authenticate(&token).await?;
        Ok(Self(api.app.caller(principal).await?))
    }
}

/// An API key, or a session's token.
pub(crate) fn key_of(headers: &HeaderMap) -> Option<String> {
    let header = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
    header("x-api-key").or_else(|| header("authorization")?.strip_prefix("Bearer ")).map(str::to_owned)
}
