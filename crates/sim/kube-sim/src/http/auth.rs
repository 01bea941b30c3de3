//! Who asks, and whether they may.

use super::rbac;
use super::route::{ResourceRequest, Route};
use super::tokens::{Tokens, User};
use crate::cluster::Cluster;
use crate::config::Token;
use crate::error::{ApiError, Details};
use crate::kind::GroupResource;
use http::{HeaderMap, header};

/// The users of one API server.
#[derive(Debug)]
pub(crate) struct Users {
    pub(crate) tokens: Tokens,
}

impl Users {
    pub(crate) fn new(tokens: &[Token]) -> Self {
        Self { tokens: Tokens::new(tokens) }
    }

    /// The user of a request; nobody's token is refused, no token is the anonymous user.
    pub(crate) fn authenticate(&self, headers: &HeaderMap) -> Result<User, ApiError> {
        let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(User::anonymous()) };
        let value = value.to_str().map_err(|_| ApiError::unauthorized())?;
        match value.split_once(' ') {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => {
                self.tokens.user(token.trim()).ok_or_else(ApiError::unauthorized)
            }
            // Other schemes are nobody's business here, as in a server that knows tokens only.
            _ => Ok(User::anonymous()),
        }
    }
}

/// Refuses with the words of the real authorizer.
pub(crate) fn authorize(cluster: &Cluster, user: &User, route: &Route) -> Result<(), ApiError> {
    match route {
        Route::Resource(request) => {
            let attributes = rbac::Attributes {
                verb: request.verb,
                group: &request.group,
                resource: &request.resource,
                subresource: &request.subresource,
                namespace: &request.namespace,
                name: &request.name,
            };
            if rbac::allows(cluster, user, &attributes).is_some() {
                return Ok(());
            }
            let kind = GroupResource::named(&request.group, &request.resource);
            Err(ApiError::forbidden(&kind, &request.name, &reason(user, request)))
        }
        Route::Other { verb, path } => {
            if rbac::allows_path(cluster, user, verb, path) {
                return Ok(());
            }
            let why = format!("forbidden: User {:?} cannot {verb} path {path:?}", user.name);
            let mut error = ApiError::new(403, "Forbidden", why);
            error.details = Some(Details::default());
            Err(error)
        }
    }
}

fn reason(user: &User, request: &ResourceRequest) -> String {
    let mut resource = request.resource.clone();
    if !request.subresource.is_empty() {
        resource = format!("{resource}/{}", request.subresource);
    }
    let place = if request.namespace.is_empty() {
        "at the cluster scope".to_owned()
    } else {
        format!("in the namespace {:?}", request.namespace)
    };
    format!(
        "User {:?} cannot {} resource {resource:?} in API group {:?} {place}",
        user.name, request.verb, request.group
    )
}
