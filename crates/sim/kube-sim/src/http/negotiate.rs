//! Which form of an answer a client accepts.

use crate::error::{ApiError, Details};
use http::{HeaderMap, header};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Yaml,
}

/// What objects are turned into before they are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Whole,
    Table,
    /// Metadata only.
    Partial,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted {
    pub format: Format,
    pub view: View,
    /// The group of discovery documents in one piece.
    pub aggregated: Option<&'static str>,
}

impl Accepted {
    pub(crate) const JSON: Self = Self { format: Format::Json, view: View::Whole, aggregated: None };
}

/// Picks the first acceptable form. Protobuf is passed over: whoever names another form gets that.
/// `known`: the representations of which a refusal tells.
pub(crate) fn accepted(headers: &HeaderMap, known: Known) -> Result<Accepted, ApiError> {
    let mut wishes: Vec<(f32, String)> = Vec::new();
    for value in headers.get_all(header::ACCEPT).iter().filter_map(|v| v.to_str().ok()) {
        for wish in value.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            let quality = wish.split(';').find_map(|p| p.trim().strip_prefix("q=")?.parse().ok()).unwrap_or(1.0);
            wishes.push((quality, wish.to_owned()));
        }
    }
    if wishes.is_empty() {
        return Ok(Accepted::JSON);
    }
    wishes.sort_by(|a, b| b.0.total_cmp(&a.0));
    wishes.iter().find_map(|(_, wish)| acceptable(wish)).ok_or_else(|| not_acceptable(known))
}

fn acceptable(wish: &str) -> Option<Accepted> {
    let mut parts = wish.split(';').map(str::trim);
    let format = match parts.next()? {
        "application/json" | "application/*" | "*/*" => Format::Json,
        "application/yaml" => Format::Yaml,
        _ => return None,
    };
    let parameters: Vec<(&str, &str)> = parts.filter_map(|p| p.split_once('=')).collect();
    let parameter = |name: &str| parameters.iter().find(|(k, _)| *k == name).map(|(_, v)| *v);
    let mut accepted = Accepted { format, ..Accepted::JSON };
    match parameter("as") {
        None => {}
        Some(_) if parameter("g") == Some("apidiscovery.k8s.io") => {
            accepted.aggregated = Some(if parameter("v") == Some("v2") { "v2" } else { "v2beta1" });
        }
        Some("Table") => accepted.view = View::Table,
        Some("PartialObjectMetadata" | "PartialObjectMetadataList") => accepted.view = View::Partial,
        Some(_) => return None,
    }
    Some(accepted)
}

/// What else an answer could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    Objects,
    /// Streams of events too.
    Streams,
    /// Of a custom kind.
    Custom,
}

fn not_acceptable(among: Known) -> ApiError {
    let known = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    if among == Known::Custom {
        let message = format!("only the following media types are accepted: {known}");
        return ApiError::new(406, "NotAcceptable", message);
    }
    let streamed = ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
    let more = if among == Known::Streams { streamed } else { "" };
    let message = format!("406: Not Acceptable\n\nAvailable representations: {known}{more}");
    let mut error = ApiError::new(406, "NotAcceptable", message);
    error.details = Some(Details::default());
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(accept: &str) -> Option<(Format, View)> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, accept.parse().unwrap());
        accepted(&headers, Known::Objects).ok().map(|a| (a.format, a.view))
    }

    #[test]
    fn the_first_known_form_wins() {
        for (accept, form) in [
            ("*/*", Some((Format::Json, View::Whole))),
            ("application/vnd.kubernetes.protobuf,application/json", Some((Format::Json, View::Whole))),
            ("application/json;as=Table;v=v1;g=meta.k8s.io,application/json", Some((Format::Json, View::Table))),
            ("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", Some((Format::Json, View::Partial))),
            ("application/json;q=0.5,application/yaml", Some((Format::Yaml, View::Whole))),
            ("application/vnd.kubernetes.protobuf", None),
            ("text/html", None),
        ] {
            assert_eq!(of(accept), form, "{accept}");
        }
    }
}
