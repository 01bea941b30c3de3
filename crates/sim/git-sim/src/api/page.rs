//! Lists in pages, with a `Link` header.

use axum::Json;
use axum::http::{Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::Value;

/// `?page=2&per_page=100`; counting begins at 1. Texts, since a page that is no number is the first, as at GitHub.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Page {
    page: Option<String>,
    per_page: Option<String>,
}

impl Page {
    fn number(&self) -> usize {
        self.page.as_deref().and_then(|text| text.parse().ok()).unwrap_or(1).max(1)
    }

    fn size(&self) -> usize {
        self.per_page.as_deref().and_then(|text| text.parse().ok()).unwrap_or(30).clamp(1, 100)
    }

    /// How many items must be known to answer this page and to tell whether another follows.
    pub(super) fn reach(&self) -> usize {
        self.number().saturating_mul(self.size()).saturating_add(1)
    }

    /// The page of a list, and where the next one is. `uri` is the request's below `/api/v3`.
    pub(super) fn answer<T>(&self, url: &str, uri: &Uri, items: &[T], show: impl Fn(&T) -> Value) -> Response {
        let (number, size) = (self.number(), self.size());
        let start = (number - 1).saturating_mul(size).min(items.len());
        let end = start.saturating_add(size).min(items.len());
        let body: Vec<Value> = items[start..end].iter().map(show).collect();
        if end == items.len() {
            return Json(body).into_response();
        }
        let others = uri
            .query()
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !pair.is_empty() && !pair.starts_with("page=") && !pair.starts_with("per_page="));
        let mut query: Vec<String> = others.map(str::to_owned).collect();
        query.extend([format!("per_page={size}"), format!("page={}", number + 1)]);
        let link = format!("<{url}/api/v3{}?{}>; rel=\"next\"", uri.path(), query.join("&"));
        ([(header::LINK, link)], Json(body)).into_response()
    }
}
