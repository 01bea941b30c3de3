//! Bodies of requests: JSON, YAML and, for built-in kinds, protobuf.

use crate::error::ApiError;
use crate::json::Tree;
use crate::schema::{builtin, protobuf};
use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, header};
use http_body_util::{BodyExt, Limited};
use windlass_yaml::NumberStyle;

/// What typed clients of Go send.
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// As Go names the type that finds out what a document is.
const TYPE_META: &str =
    r#"struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;

/// Reads the whole body; more than `limit` bytes are refused.
pub(crate) async fn collect(body: Body, limit: usize) -> Result<Bytes, ApiError> {
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(_) => Err(ApiError::new(413, "RequestEntityTooLarge", format!("limit is {limit}"))),
    }
}

/// The media type without parameters; JSON when the client says nothing.
pub(crate) fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or("application/json");
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// What came in, as JSON text, and as a tree.
pub(crate) struct Document<'a> {
    pub tree: Tree<'a>,
}

/// Reads an object. The error is the text that follows "couldn't get version/kind".
pub(crate) fn parse<'a>(media_type: &str, bytes: &'a [u8]) -> Result<Document<'a>, String> {
    let tree = match media_type {
        "application/yaml" => yaml(bytes)?,
        PROTOBUF => Tree::from(protobuf::object(bytes, builtin::sent).map_err(|why| why.to_string())?),
        _ => {
            let tree = Tree::parse(bytes).map_err(|why| format!("json parse error: {why}"))?;
            if !matches!(tree, Tree::Object(_) | Tree::Null) {
                let word = tree.word();
                return Err(format!(
                    "json parse error: json: cannot unmarshal {word} into Go value of type {TYPE_META}"
                ));
            }
            tree
        }
    };
    Ok(Document { tree })
}

/// Whether objects can be read in this form.
pub(crate) fn check_media_type(media_type: &str, custom: bool) -> Result<(), ApiError> {
    match media_type {
        "application/json" | "application/yaml" => Ok(()),
        PROTOBUF if !custom => Ok(()),
        // Custom kinds tell the form too, and cannot be read from it.
        _ => Err(unsupported("application/json, application/yaml, application/vnd.kubernetes.protobuf")),
    }
}

pub(crate) fn unsupported(accepted: &str) -> ApiError {
    ApiError::new(
        415,
        "UnsupportedMediaType",
        format!("the body of the request was in an unknown format - accepted media types include: {accepted}"),
    )
}

/// YAML by the rules of YAML 1.1, as the API server reads it: `y` is true.
pub(crate) fn yaml(bytes: &[u8]) -> Result<Tree<'static>, String> {
    let converting = |why: String| format!("error converting YAML to JSON: {why}");
    let text = std::str::from_utf8(bytes).map_err(|_| converting("yaml: invalid leading UTF-8 octet".into()))?;
    if text.trim().is_empty() {
        return Ok(Tree::Null);
    }
    let documents = windlass_yaml::parse("body", text, &windlass_yaml::Options::CONTROL).map_err(|problems| {
        let first = problems.iter().next();
        let line = first.and_then(|d| d.place.as_ref()).map_or(1, |p| p.line);
        let message = first.map_or_else(String::new, |d| d.message.clone());
        converting(format!("yaml: line {line}: {}", go_words(&message, text)))
    })?;
    match documents.first() {
        Some(document) => Ok(Tree::from(document.root.to_json(NumberStyle::Typed))),
        None => Ok(Tree::Null),
    }
}

/// The words of Go's parser where ours are known to stand for them.
fn go_words(message: &str, text: &str) -> String {
    if text.trim_end().ends_with(['[', '{', ',']) {
        return "did not find expected node content".into();
    }
    message.to_owned()
}
