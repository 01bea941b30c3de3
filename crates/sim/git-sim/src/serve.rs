//! The server: routes and the listener.

use crate::{GitSim, api, transport};
use axum::Router;
use tokio::net::TcpListener;

impl GitSim {
    /// Git under `/ORG/REPO.git`, the REST API under `/api/v3` and, as on api.github.com, under `/`.
    pub fn router(&self) -> Router {
        let router = transport::routes().merge(api::routes()).nest("/api/v3", api::routes());
        router.fallback(api::unknown).method_not_allowed_fallback(api::unknown).with_state(self.clone())
    }

    /// Serves until the future is dropped. Without a configured public URL the listener's address becomes it.
    pub async fn serve(&self, listener: TcpListener) -> std::io::Result<()> {
        if self.inner().options.public_url.is_none() {
            self.set_public_url(format!("http://{}", listener.local_addr()?));
        }
        axum::serve(listener, self.router()).await
    }
}
