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

/// A body that is JSON and means the same by the rules of YAML: what clients send for an apply. Nothing where that is not certain.
pub(crate) fn plain(bytes: &[u8]) -> Option<Tree<'_>> {
    // Surrogates are written in halves in JSON alone, and a slash is escaped in JSON alone.
    if bytes.windows(2).any(|two| matches!(two, br"\u" | br"\/")) {
        return None;
    }
    Tree::parse(bytes).ok().filter(|tree| matches!(tree, Tree::Object(_)) && is_plain(tree, 0))
}

/// YAML has its own ideas of doubled and long keys, of numbers with a fraction, and of what ends a line.
fn is_plain(tree: &Tree<'_>, depth: usize) -> bool {
    let is_said =
        |text: &str| !text.contains(|c: char| c.is_control() && c != '\n' || "\u{2028}\u{2029}\u{feff}".contains(c));
    match tree {
        Tree::Null | Tree::Bool(_) => true,
        Tree::Number(text) => text.parse::<i64>().is_ok(),
        Tree::Text(text) => is_said(text),
        Tree::List(items) => depth < 50 && items.iter().all(|item| is_plain(item, depth + 1)),
        Tree::Object(entries) => {
            let mut keys: Vec<&str> = entries.iter().map(|(key, _)| key.as_ref()).collect();
            keys.sort_unstable();
            depth < 50
                && keys.iter().all(|key| key.len() < 1_000 && *key != "<<" && is_said(key))
                && keys.windows(2).all(|two| two[0] != two[1])
                && entries.iter().all(|(_, value)| is_plain(value, depth + 1))
        }
    }
}

/// The words of Go's parser where ours are known to stand for them.
fn go_words(message: &str, text: &str) -> String {
    if text.trim_end().ends_with(['[', '{', ',']) {
        return "did not find expected node content".into();
    }
    message.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn what_yaml_may_see_otherwise_is_not_plain() {
        for text in [
            r#"{"a":1,"a":2}"#,
            r#"{"a":1.5}"#,
            r#"{"a":1e3}"#,
            r#"{"<<":{"a":1}}"#,
            r#"{"a":"\ud83d\ude00"}"#,
            r#"{"a":"\/"}"#,
            "{\"a\":\"\u{2028}\"}",
            "[1]",
            "a: 1",
            "",
        ] {
            assert!(plain(text.as_bytes()).is_none(), "{text}");
        }
        assert!(plain(br#"{"a":[1,-2,true,null,{"b":"c: \"d\"\n"}]}"#).is_some());
    }

    fn any_json() -> impl Strategy<Value = Value> {
        // Mostly what is plain: of the rest there is nothing to compare.
        let leaf = prop_oneof![
            4 => Just(Value::Null),
            4 => any::<bool>().prop_map(Value::from),
            4 => any::<i64>().prop_map(Value::from),
            8 => "[ -~\n]{0,12}".prop_map(Value::from),
            8 => "[a-zäß€😀#:{},&*!|>%@`'\" -]{0,8}".prop_map(Value::from),
            1 => any::<f64>().prop_map(Value::from),
            1 => any::<String>().prop_map(Value::from),
        ];
        let key = prop_oneof![1 => any::<String>(), 16 => "[a-z~<:#./ -]{0,3}"];
        leaf.prop_recursive(4, 24, 5, move |inner| {
            let list = prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from);
            let map = prop::collection::btree_map(key.clone(), inner, 0..4);
            prop_oneof![1 => list, 3 => map.prop_map(|map| Value::Object(map.into_iter().collect()))]
        })
    }

    proptest! {
        #[test]
        fn plain_is_what_yaml_says(value in any_json()) {
            let text = value.to_string();
            if let Some(tree) = plain(text.as_bytes()) {
                prop_assert_eq!(yaml(text.as_bytes()).map(|tree| tree.to_value()), Ok(tree.to_value()));
            }
        }
    }
}
