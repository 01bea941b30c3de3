//! What a path and a method ask for.

use super::query::{Query, decode_segment};
use http::Method;

/// A request as authorization and the handlers see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Resource(ResourceRequest),
    /// Discovery, health, version, OpenAPI: by path.
    Other {
        verb: &'static str,
        path: String,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourceRequest {
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`.
    pub verb: &'static str,
    pub group: String,
    pub version: String,
    /// Empty for cluster-wide requests and for all namespaces.
    pub namespace: String,
    /// The plural name.
    pub resource: String,
    pub name: String,
    pub subresource: String,
    /// What comes after the subresource (`proxy/…`).
    pub rest: String,
}

impl ResourceRequest {
    /// The verb asks for one object.
    pub(crate) fn is_named(&self) -> bool {
        !self.name.is_empty()
    }
}

pub(crate) fn route(method: &Method, path: &str, query: &Query) -> Route {
    let parts: Vec<String> = path.split('/').filter(|p| !p.is_empty()).map(decode_segment).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let (group, version, rest) = match parts.as_slice() {
        ["api", version, rest @ ..] if !rest.is_empty() => ("", *version, rest),
        ["apis", group, version, rest @ ..] if !rest.is_empty() => (*group, *version, rest),
        _ => return Route::Other { verb: plain_verb(method), path: path.to_owned() },
    };
    let (namespace, rest) = match rest {
        // A namespace itself and its subresources.
        ["namespaces"] | ["namespaces", _] | ["namespaces", _, "status" | "finalize"] if group.is_empty() => {
            (rest.get(1).copied().unwrap_or_default(), rest)
        }
        ["namespaces", namespace, resource @ ..] if !resource.is_empty() => (*namespace, resource),
        _ => ("", rest),
    };
    let [resource, rest @ ..] = rest else {
        return Route::Other { verb: plain_verb(method), path: path.to_owned() };
    };
    let name = rest.first().copied().unwrap_or_default();
    let request = ResourceRequest {
        verb: verb(method, !name.is_empty(), query),
        group: group.to_owned(),
        version: version.to_owned(),
        namespace: namespace.to_owned(),
        resource: (*resource).to_owned(),
        name: name.to_owned(),
        subresource: rest.get(1).copied().unwrap_or_default().to_owned(),
        rest: rest.get(2..).unwrap_or_default().join("/"),
    };
    Route::Resource(request)
}

fn verb(method: &Method, named: bool, query: &Query) -> &'static str {
    match *method {
        Method::GET | Method::HEAD if query.flag("watch") => "watch",
        Method::GET | Method::HEAD if named => "get",
        Method::GET | Method::HEAD => "list",
        Method::POST => "create",
        Method::PUT => "update",
        Method::PATCH => "patch",
        Method::DELETE if named => "delete",
        Method::DELETE => "deletecollection",
        _ => "",
    }
}

fn plain_verb(method: &Method) -> &'static str {
    match *method {
        Method::GET => "get",
        Method::HEAD => "head",
        Method::POST => "post",
        Method::PUT => "put",
        Method::PATCH => "patch",
        Method::DELETE => "delete",
        _ => "options",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(method: Method, url: &str) -> String {
        let (path, query) = url.split_once('?').map_or((url, None), |(p, q)| (p, Some(q)));
        match route(&method, path, &Query::parse(query)) {
            Route::Other { verb, path } => format!("{verb} {path}"),
            Route::Resource(r) => format!(
                "{} {}/{} ns={} {} {} {}",
                r.verb, r.group, r.version, r.namespace, r.resource, r.name, r.subresource
            ),
        }
    }

    #[test]
    fn paths_say_what_is_asked_for() {
        for (method, url, expected) in [
            (Method::GET, "/api", "get /api"),
            (Method::GET, "/apis/apps/v1", "get /apis/apps/v1"),
            (Method::GET, "/healthz", "get /healthz"),
            (Method::GET, "/api/v1/pods", "list /v1 ns= pods  "),
            (Method::GET, "/api/v1/pods?watch=1", "watch /v1 ns= pods  "),
            (Method::GET, "/api/v1/namespaces", "list /v1 ns= namespaces  "),
            (Method::DELETE, "/api/v1/namespaces/x", "delete /v1 ns=x namespaces x "),
            (Method::PUT, "/api/v1/namespaces/x/finalize", "update /v1 ns=x namespaces x finalize"),
            (Method::GET, "/api/v1/namespaces/x/pods/p/log", "get /v1 ns=x pods p log"),
            (Method::POST, "/apis/apps/v1/namespaces/x/deployments", "create apps/v1 ns=x deployments  "),
            (Method::PATCH, "/apis/apps/v1/namespaces/x/deployments/d/scale", "patch apps/v1 ns=x deployments d scale"),
            (Method::DELETE, "/api/v1/namespaces/x/pods", "deletecollection /v1 ns=x pods  "),
        ] {
            assert_eq!(read(method, url), expected, "{url}");
        }
    }
}
