//! Lists: selection and pages.

use super::prepare::shown;
use crate::cluster::State;
use crate::error::ApiError;
use crate::json::Tree;
use crate::object::Object;
use crate::registry::Resource;
use crate::selectors::{FieldSelector, LabelSelector};
use base64::Engine;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::{alphabet, engine::DecodePaddingMode};
use serde_json::{Value, json};
use std::sync::Arc;

/// Which objects, and how many at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListQuery {
    /// Empty for all namespaces.
    pub namespace: String,
    pub labels: LabelSelector,
    pub fields: FieldSelector,
    /// 0 for all.
    pub limit: usize,
    pub token: String,
    /// The state as of exactly this revision.
    pub exact: Option<u64>,
    /// The state at this revision or any after it.
    pub newer: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Page {
    /// In the version of the resource.
    pub items: Vec<Arc<Value>>,
    pub revision: u64,
    /// What continues the list; empty at its end.
    pub token: String,
    pub remaining: Option<usize>,
}

const TOO_OLD: &str = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/// URL-safe base64 as Go reads it here: padding is not written and need not be there.
const TOKENS: GeneralPurpose = GeneralPurpose::new(
    &alphabet::URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

impl State {
    pub(crate) fn list(&self, resource: &Resource, query: &ListQuery) -> Result<Page, ApiError> {
        let stored = self.stored_resource(&resource.stored)?;
        let token = (!query.token.is_empty()).then(|| parse_token(&query.token)).transpose()?;
        let now = self.store.revision();
        // A token of revision -1 continues with whatever is there now.
        let revision = match &token {
            Some((revision, _)) => revision.unwrap_or(now),
            None => query.exact.unwrap_or(now),
        };
        let wanted = query.newer.filter(|_| token.is_none()).unwrap_or(revision).max(revision);
        if wanted > now {
            return Err(ApiError::too_large_version(wanted, now));
        }
        let in_namespace = |at: &str| query.namespace.is_empty() || query.namespace == at;
        let objects: Vec<((String, String), Arc<Value>)> = if revision == now {
            let namespace = (!query.namespace.is_empty()).then_some(query.namespace.as_str());
            let place = |o: &Arc<Value>| (o.namespace().to_owned(), o.name().to_owned());
            self.store.list(&resource.stored, namespace).map(|o| (place(o), o.clone())).collect()
        } else {
            let shelf = self.store.at(revision, &resource.stored).map_err(|_| match &token {
                Some((_, place)) => ApiError::expired_page(TOO_OLD, write_token(-1, place)),
                None => ApiError::expired("The resourceVersion for the provided list is too old."),
            })?;
            shelf.into_iter().filter(|((namespace, _), _)| in_namespace(namespace)).collect()
        };
        let start = token.map(|(_, start)| start);
        let mut matching = objects.into_iter().filter_map(|(place, object)| {
            if start.as_ref().is_some_and(|s| place <= *s) {
                return None;
            }
            let shown = shown(&object, &stored, resource);
            (query.labels.matches(&shown) && query.fields.matches(&shown)).then_some((place, shown))
        });
        let limit = if query.limit == 0 { usize::MAX } else { query.limit };
        let mut items = Vec::new();
        let mut last = None;
        for (place, object) in matching.by_ref().take(limit) {
            items.push(object);
            last = Some(place);
        }
        let left = matching.count();
        let token = match last.filter(|_| left > 0) {
            Some(place) => write_token(i64::try_from(revision).unwrap_or(i64::MAX), &place),
            None => String::new(),
        };
        let selected = !query.labels.is_everything() || !query.fields.terms.is_empty();
        let remaining = (!token.is_empty() && !selected).then_some(left);
        Ok(Page { items, revision, token, remaining })
    }
}

/// Revision -1 goes on with whatever is there.
fn write_token(revision: i64, (namespace, name): &(String, String)) -> String {
    let start = if namespace.is_empty() { format!("{name}\0") } else { format!("{namespace}/{name}\0") };
    TOKENS.encode(json!({"v": "meta.k8s.io/v1", "rv": revision, "start": start}).to_string())
}

/// Revision (nothing for -1) and the last object of the page before.
type Token = (Option<u64>, (String, String));

fn parse_token(token: &str) -> Result<Token, ApiError> {
    let invalid =
        |why: String| ApiError::bad_request(format!("invalid continue token: continue key is not valid: {why}"));
    let bytes = TOKENS.decode(token).map_err(|_| {
        let good = token.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')).count();
        invalid(format!("illegal base64 data at input byte {good}"))
    })?;
    let parsed = Tree::parse(&bytes).map_err(invalid)?.to_value();
    if parsed.text("/v") != "meta.k8s.io/v1" {
        let version = parsed.text("/v");
        return Err(ApiError::bad_request(format!(
            "invalid continue token: continue key is not valid: server does not recognize this encoded version {version:?}"
        )));
    }
    let revision = parsed.int("/rv").unwrap_or(0);
    if revision == 0 {
        return Err(invalid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)".into()));
    }
    let start = parsed.text("/start").trim_end_matches('\0');
    if start.is_empty() {
        return Err(invalid("encoded start key empty (version meta.k8s.io/v1)".into()));
    }
    let (namespace, name) = start.split_once('/').unwrap_or(("", start));
    Ok((u64::try_from(revision).ok(), (namespace.to_owned(), name.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_survive_and_nonsense_is_refused_as_go_says() {
        let place = ("ns".to_owned(), "a".to_owned());
        assert_eq!(parse_token(&write_token(7, &place)).ok(), Some((Some(7), place)));
        assert_eq!(
            parse_token("nonsense").unwrap_err().message,
            r"invalid continue token: continue key is not valid: invalid character '\u009e' looking for beginning of value"
        );
        assert!(parse_token("a b").unwrap_err().message.ends_with("illegal base64 data at input byte 1"));
    }
}
