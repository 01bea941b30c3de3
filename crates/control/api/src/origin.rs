//! Tells everything that is done on behalf of a request where that came from.

use crate::peer::Peer;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderValue;
use windlass_app::App;
use windlass_app::audit::{Origin, origin};

/// The name of the request in answer, log and audit trail.
const REQUEST_ID: &str = "x-request-id";

pub(crate) async fn within(request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>().map(|Peer(address)| address.to_string());
    let id = App::correlation();
    let origin = Origin {
        client: peer.unwrap_or_default(),
        method: request.method().to_string(),
        // Addresses of webhooks hold their token: the path without what only its owner knows.
        path: if request.uri().path().contains("webhook/") {
            "/webhook/…".to_owned()
        } else {
            request.uri().path().to_owned()
        },
        request: id.clone(),
    };
    let mut response = origin::within(origin, next.run(request)).await;
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}
