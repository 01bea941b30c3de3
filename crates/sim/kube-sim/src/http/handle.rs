//! The one handler: who, whether, what.

use super::auth::{Users, authorize};
use super::impersonate::impersonated;
use super::negotiate::{Accepted, Known, accepted};
use super::query::Query;
use super::route::{ResourceRequest, Route, route};
use super::tokens::User;
use super::{
    collection, create, delete, discovery, evict, logs, metrics, patch, proxy, read, reply, reviews, scale, update,
    watch,
};
use crate::cluster::Cluster;
use crate::error::ApiError;
use crate::faults::Request as FaultRequest;
use crate::kind::GroupResource;
use crate::registry::Resource;
use crate::warnings;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, Method, Request};
use std::sync::Arc;
use windlass_model::Millis;

/// What every request needs.
#[derive(Debug)]
pub(crate) struct Server {
    pub cluster: Cluster,
    pub users: Users,
    /// Bytes of a body.
    pub body_limit: usize,
}

/// One request for a resource, on its way through the handlers.
pub(super) struct Call {
    pub server: Arc<Server>,
    pub request: ResourceRequest,
    pub resource: Arc<Resource>,
    pub query: Query,
    pub headers: HeaderMap,
    pub user: User,
    pub accepted: Accepted,
}

pub(crate) fn router(server: Arc<Server>) -> Router {
    Router::new().fallback(handle).with_state(server)
}

async fn handle(State(server): State<Arc<Server>>, request: Request<Body>) -> Response {
    let cluster = server.cluster.clone();
    let mut response = serve(server, request).await.unwrap_or_else(|error| reply::error(&error));
    reply::date(&mut response, cluster.now());
    response
}

async fn serve(server: Arc<Server>, request: Request<Body>) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let query = Query::parse(parts.uri.query());
    let route = route(&parts.method, parts.uri.path(), &query);
    let user = server.users.authenticate(&parts.headers)?;
    let user = impersonated(&server.cluster, user, &parts.headers)?;
    authorize(&server.cluster, &user, &route)?;
    let request = match route {
        Route::Resource(request) => request,
        Route::Other { path, .. } => return discovery::serve(&server, &parts.method, &path, &parts.headers),
    };
    let Some(resource) = find(&server.cluster, &request) else {
        let is_known = server.cluster.step(|s| s.registry.owns_group(&request.group));
        return if is_known { Err(ApiError::no_such_resource()) } else { Ok(reply::page_not_found()) };
    };
    suffer(&server, &request, &user).await?;
    let known = match request.verb {
        _ if resource.is_custom() => Known::Custom,
        "list" | "watch" => Known::Streams,
        _ => Known::Objects,
    };
    let accepted = accepted(&parts.headers, known);
    let call = Call {
        server,
        request,
        resource,
        query,
        headers: parts.headers,
        user,
        accepted: *accepted.as_ref().unwrap_or(&Accepted::JSON),
    };
    let deprecated = warnings::deprecated(&call.resource);
    let answer = async {
        check_method(&call, &parts.method)?;
        accepted?;
        dispatch(call, body).await
    };
    let mut response = answer.await.unwrap_or_else(|error| reply::error(&error));
    reply::warn(&mut response, deprecated.as_slice());
    Ok(response)
}

fn find(cluster: &Cluster, request: &ResourceRequest) -> Option<Arc<Resource>> {
    let resource = cluster.step(|s| s.registry.resource(&request.group, &request.version, &request.resource))?;
    // Cluster-wide objects have no path below a namespace, except namespaces themselves.
    let misplaced = !resource.namespaced && !request.namespace.is_empty() && resource.plural != "namespaces"
        || resource.namespaced && request.namespace.is_empty() && request.is_named();
    (!misplaced).then_some(resource)
}

/// Lets the faults have their say.
async fn suffer(server: &Server, request: &ResourceRequest, user: &User) -> Result<(), ApiError> {
    let kind = GroupResource::named(&request.group, &request.resource);
    let now = server.cluster.now();
    let fault = FaultRequest {
        verb: request.verb,
        kind: &kind,
        namespace: &request.namespace,
        name: &request.name,
        user: &user.name,
    };
    let effect = server.cluster.faults().on_request(fault, now);
    if effect.latency > Millis::ZERO {
        server.cluster.clock().real().sleep(effect.latency).await;
    }
    match effect.status {
        None => Ok(()),
        Some((409, _)) => Err(ApiError::modified(&kind, &request.name)),
        Some((429, seconds)) => Err(ApiError::too_many_requests("a fault of the plan: too many requests", seconds)),
        Some((status, _)) => {
            let reason = match status {
                500 => "InternalError",
                503 => "ServiceUnavailable",
                504 => "Timeout",
                _ => "",
            };
            Err(ApiError::new(status, reason, "a fault of the plan"))
        }
    }
}

fn check_method(call: &Call, method: &Method) -> Result<(), ApiError> {
    let request = &call.request;
    let allowed = if request.subresource.is_empty() {
        if call.resource.is_custom() && request.verb == "update" && !request.is_named() {
            return Err(ApiError::bad_request("name must be provided"));
        }
        // Who creates a custom object may name any path of its kind.
        let misplaced = match request.verb {
            "create" => request.is_named() && !call.resource.is_custom(),
            "update" | "patch" => !request.is_named(),
            _ => false,
        };
        !misplaced && call.resource.allows(request.verb)
    } else {
        match call.resource.subresource(&request.subresource) {
            Some(subresource) => subresource.verbs.iter().any(|v| v == request.verb) || request.verb == "watch",
            None => return Err(ApiError::no_such_resource()),
        }
    };
    if allowed && *method != Method::OPTIONS { Ok(()) } else { Err(ApiError::method_not_allowed()) }
}

async fn dispatch(call: Call, body: Body) -> Result<Response, ApiError> {
    if call.resource.group == crate::metrics::GROUP {
        return metrics::serve(&call);
    }
    if reviews::serves(&call) {
        return reviews::serve(call, body).await;
    }
    if call.resource.plural == "componentstatuses" || call.resource.plural == "bindings" {
        return Err(ApiError::not_simulated(&call.resource.plural));
    }
    match (call.request.subresource.as_str(), call.request.verb) {
        ("log", _) => logs::serve(call).await,
        ("proxy", "get") if call.resource.plural == "pods" => proxy::serve(&call),
        ("scale", _) => scale::serve(call, body).await,
        ("eviction", _) => evict::serve(call, body).await,
        ("token", _) => reviews::issue_token(call, body).await,
        ("" | "status" | "finalize" | "approval" | "ephemeralcontainers" | "resize", verb) => match verb {
            "get" => read::serve(&call),
            "list" => collection::serve(&call),
            "watch" => watch::serve(call),
            "create" => create::serve(call, body).await,
            "update" => update::serve(call, body).await,
            "patch" => patch::serve(call, body).await,
            "delete" => delete::serve(call, body).await,
            "deletecollection" => delete::collection(call, body).await,
            _ => Err(ApiError::method_not_allowed()),
        },
        (subresource, _) => Err(ApiError::not_simulated(&format!("{}/{subresource}", call.resource.plural))),
    }
}
