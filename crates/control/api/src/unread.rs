//! A refusal is heard only by a client that has finished speaking.
//!
//! A connection that ends with unread bytes on it is reset, and the client reports a broken connection instead of the
//! refusal that stands on it. So what was left unread of a refused request is read and thrown away before the answer goes
//! out, within bounds (what other servers call a lingering close).

use crate::Api;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use http::header;
use http_body::{Frame, SizeHint};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use windlass_model::Millis;

/// What is thrown away of one request at the most, in bytes. Whoever sends more is not worth it.
const MOST: usize = 64 * 1024 * 1024;
/// How long a refused client may go on speaking, in real time.
const PATIENCE: Millis = Millis::from_secs(10);

/// Reads what the handler did not, when it refused.
pub(crate) async fn discarded(State(api): State<Api>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    if body.is_end_stream() {
        return next.run(Request::from_parts(parts, body)).await;
    }
    // Such a client sends its body only when it is asked to, and hears a refusal before.
    let asks_first = parts.headers.contains_key(header::EXPECT);
    let rest = Shared(Arc::new(Mutex::new(Rest { body, begun: false })));
    let response = next.run(Request::from_parts(parts, Body::new(rest.clone()))).await;
    let refused = response.status().is_client_error() || response.status().is_server_error();
    if refused && (rest.lock().begun || !asks_first) {
        // A client that is too slow for this gets what it would have got without.
        let _ = api.app.clock().real().timeout(PATIENCE, rest.discard()).await;
    }
    response
}

struct Rest {
    body: Body,
    begun: bool,
}

/// The body of a request, in the hands of its handler and of whoever reads what that left.
#[derive(Clone)]
struct Shared(Arc<Mutex<Rest>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Rest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn poll(&self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let mut rest = self.lock();
        rest.begun = true;
        Pin::new(&mut rest.body).poll_frame(context)
    }

    /// Until the end, an error, or [`MOST`].
    async fn discard(&self) {
        let mut read = 0;
        while let Some(Ok(frame)) = poll_fn(|context| self.poll(context)).await {
            read += frame.data_ref().map_or(0, Bytes::len);
            if read > MOST {
                return;
            }
        }
    }
}

impl HttpBody for Shared {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.poll(context)
    }

    fn is_end_stream(&self) -> bool {
        self.lock().body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.lock().body.size_hint()
    }
}
