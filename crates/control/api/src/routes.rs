//! Routes with the door in front of each: the router, and the list of what it serves.

use crate::Api;
use crate::openapi::{Operation, Speaks};
use axum::Router;
use axum::handler::Handler;
use axum::routing::MethodRouter;
use http::Method;
use std::fmt;
use windlass_app::access::{Permission, Verb};

/// What opens a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// Nothing: health, signing in, payloads that carry their own proof.
    Open,
    /// The token of a delegate.
    Delegate,
    /// Being somebody: what belongs to oneself, and questions to one's groups.
    SignedIn,
    /// This permission over what the path names. Lists need it for what they show.
    Needs(Permission),
    /// The permission of the kind of document that the path names.
    Document(Verb),
    /// The permissions of the documents that the body holds.
    Documents,
}

impl fmt::Display for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => f.write_str("open"),
            Self::Delegate => f.write_str("delegate token"),
            Self::SignedIn => f.write_str("signed in"),
            Self::Needs(permission) => write!(f, "{permission}"),
            Self::Document(verb) => write!(f, "{verb:?} of the kind in the path"),
            Self::Documents => f.write_str("Create or Edit of every document in the body"),
        }
    }
}

/// One route.
#[derive(Clone, Debug)]
pub struct Route {
    pub method: Method,
    /// With `{names}` for its variable parts.
    pub path: String,
    pub door: Door,
    /// What it takes and answers: told when somebody asks, a server that starts does not.
    pub(crate) operation: fn() -> Operation,
}

/// A router that knows its routes. There is no way to add one without saying what opens it.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    router: Router<Api>,
    list: Vec<Route>,
}

macro_rules! methods {
    ($($name:ident = $method:ident;)*) => {
        $(
            pub(crate) fn $name<H, T>(self, path: &str, door: Door, handler: H) -> Self
            where
                H: Handler<T, Api> + Speaks<T>,
                T: 'static,
            {
                self.add(Method::$method, path, door, H::operation, axum::routing::$name(handler))
            }
        )*
    };
}

impl Routes {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    methods! {
        get = GET;
        post = POST;
        put = PUT;
        patch = PATCH;
        delete = DELETE;
    }

    fn add(
        mut self,
        method: Method,
        path: &str,
        door: Door,
        operation: fn() -> Operation,
        handler: MethodRouter<Api>,
    ) -> Self {
        self.list.push(Route { method, path: path.to_owned(), door, operation });
        Self { router: self.router.route(path, handler), ..self }
    }

    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.list.extend(other.list);
        Self { router: self.router.merge(other.router), ..self }
    }

    pub(crate) fn nest(mut self, prefix: &str, other: Self) -> Self {
        let inner = other.list.into_iter().map(|route| Route { path: format!("{prefix}{}", route.path), ..route });
        self.list.extend(inner);
        Self { router: self.router.nest(prefix, other.router), ..self }
    }

    /// Puts something around the handlers.
    pub(crate) fn around(self, wrap: impl FnOnce(Router<Api>) -> Router<Api>) -> Self {
        Self { router: wrap(self.router), ..self }
    }

    pub(crate) fn into_parts(self) -> (Router<Api>, Vec<Route>) {
        (self.router, self.list)
    }
}
