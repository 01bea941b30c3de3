//! The way to the API server, which can be cut at a chosen call: what a killed worker looks like.

use axum::Router;
use futures::future::BoxFuture;
use http::{Request, Response};
use kube::client::Body;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tokio::sync::Notify;
use tower::Service;

#[derive(Clone)]
pub struct Gate {
    inner: Router,
    state: Arc<Mutex<State>>,
    cut: Arc<Notify>,
}

#[derive(Default)]
struct State {
    calls: u32,
    reads: Vec<String>,
    cut_at: Option<Cut>,
    is_cut: bool,
}

/// Where the way ends, counted in calls from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The server never hears of the call.
    Before(u32),
    /// The server does it; the answer is lost.
    After(u32),
}

impl Gate {
    pub fn new(inner: Router) -> Self {
        Self { inner, state: Arc::default(), cut: Arc::default() }
    }

    /// Counts anew, and cuts where it is told.
    pub fn set(&self, cut_at: Option<Cut>) {
        *self.state.lock().unwrap() = State { cut_at, ..State::default() };
    }

    pub fn calls(&self) -> u32 {
        self.state.lock().unwrap().calls
    }

    /// How often a collection was read.
    pub fn reads(&self, collection: &str) -> usize {
        self.state.lock().unwrap().reads.iter().filter(|path| path.ends_with(collection)).count()
    }

    /// Ends when the way is cut.
    pub async fn cut(&self) {
        self.cut.notified().await;
    }
}

impl Service<Request<Body>> for Gate {
    type Response = Response<axum::body::Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Service::<Request<Body>>::poll_ready(&mut self.inner, cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        // Reads change nothing: being killed at one is being killed before the next write.
        let query = request.uri().query().unwrap_or_default();
        let is_write = request.method() != http::Method::GET && !query.contains("dryRun");
        let (cut, number, at) = {
            let mut state = self.state.lock().unwrap();
            state.calls += u32::from(is_write);
            if request.method() == http::Method::GET {
                state.reads.push(request.uri().path().to_owned());
            }
            (state.is_cut, state.calls, state.cut_at)
        };
        let is = |wanted| is_write && at == Some(wanted);
        let (before, after) = (is(Cut::Before(number)), is(Cut::After(number)));
        let (state, signal) = (Arc::clone(&self.state), Arc::clone(&self.cut));
        let answer = (!cut && !before).then(|| self.inner.call(request));
        Box::pin(async move {
            let stop = || {
                state.lock().unwrap().is_cut = true;
                signal.notify_one();
            };
            if before {
                stop();
            }
            let Some(answer) = answer else { return std::future::pending().await };
            let answer = answer.await;
            if after {
                stop();
                return std::future::pending().await;
            }
            answer
        })
    }
}
