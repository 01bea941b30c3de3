//! Listing objects.

use super::handle::Call;
use super::negotiate::View;
use super::read::{list_meta, partial};
use super::{reply, table};
use crate::error::ApiError;
use crate::ops::read::{ListQuery, Page};
use crate::registry::Resource;
use crate::selectors::{FieldSelector, LabelSelector};
use axum::response::Response;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(super) fn serve(call: &Call) -> Result<Response, ApiError> {
    let query = list_query(call)?;
    let Page { items, revision, token, remaining } =
        call.server.cluster.step(|state| state.list(&call.resource, &query))?;
    let resource = &call.resource;
    let meta = list_meta(revision, &token, remaining);
    let shown = match call.accepted.view {
        View::Whole => return Ok(reply::object(200, &List::of(resource, meta, &items), &call.accepted)),
        View::Partial => json!({"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": meta,
            // Go's empty list of these is none.
            "items": (!items.is_empty()).then(|| items.iter().map(|object| partial(object)).collect::<Vec<_>>())}),
        View::Table => {
            let now = call.server.cluster.now();
            let objects: Vec<&Value> = items.iter().map(|object| &**object).collect();
            let mut table = table::table(resource, &objects, table::Include::of(&call.query), now);
            crate::object::Object::set(&mut table, "/metadata", meta);
            table
        }
    };
    Ok(reply::object(200, &shown, &call.accepted))
}

/// A list of whole objects, written without copying them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct List<'a> {
    api_version: String,
    items: Vec<Item<'a>>,
    kind: &'a str,
    metadata: Map<String, Value>,
}

impl<'a> List<'a> {
    pub(super) fn of(resource: &'a Resource, mut metadata: Map<String, Value>, items: &'a [Arc<Value>]) -> Self {
        if resource.is_custom() {
            metadata.entry("continue").or_insert_with(|| "".into());
        }
        let item = |object: &'a Arc<Value>| Item { object, is_custom: resource.is_custom() };
        Self {
            api_version: resource.api_version(),
            items: items.iter().map(item).collect(),
            kind: &resource.list_kind,
            metadata,
        }
    }
}

struct Item<'a> {
    object: &'a Value,
    is_custom: bool,
}

impl Serialize for Item<'_> {
    /// Items of built-in lists do not repeat what the list says.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.object {
            Value::Object(map) if !self.is_custom => {
                serializer.collect_map(map.iter().filter(|(key, _)| !matches!(key.as_str(), "kind" | "apiVersion")))
            }
            whole => whole.serialize(serializer),
        }
    }
}

/// What the query of a list asks for.
pub(super) fn list_query(call: &Call) -> Result<ListQuery, ApiError> {
    let query = &call.query;
    let (labels, fields) = selectors(call)?;
    numbers(query)?;
    let version = query.get("resourceVersion");
    let matching = query.get("resourceVersionMatch");
    if !matching.is_empty() && version.is_empty() {
        let mut problems = crate::validate::field::Problems::default();
        let why = "resourceVersionMatch is forbidden unless resourceVersion is provided";
        problems.forbidden("resourceVersionMatch", why);
        return Err(ApiError::invalid("meta.k8s.io", "ListOptions", "", problems.causes()));
    }
    let token = query.get("continue").to_owned();
    let limit = query.get("limit").parse::<usize>().unwrap_or(0);
    let number = |text: &str| -> Result<Option<u64>, ApiError> {
        if text.is_empty() || text == "0" {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| {
            ApiError::bad_request(format!(
                "invalid resource version: strconv.ParseUint: parsing {text:?}: invalid syntax"
            ))
        })
    };
    let version = number(version)?;
    // Without more words a page begins at the named version, and a whole list is any newer one.
    let exact = match matching {
        "Exact" => version,
        "" if limit > 0 && token.is_empty() => version,
        _ => None,
    };
    Ok(ListQuery {
        namespace: super::read::namespace(call).to_owned(),
        labels,
        fields,
        limit,
        token,
        exact,
        newer: version,
    })
}

/// What must be a number.
pub(super) fn numbers(query: &super::query::Query) -> Result<(), ApiError> {
    for name in ["limit", "timeoutSeconds"] {
        let text = query.get(name);
        if !text.is_empty() && text.parse::<i64>().is_err() {
            return Err(ApiError::bad_request(format!("strconv.ParseInt: parsing {text:?}: invalid syntax")));
        }
    }
    Ok(())
}

/// A resourceVersion of a read that is no number.
pub(super) fn no_version(text: &str) -> ApiError {
    let why = format!("resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: invalid syntax");
    ApiError::internal(why)
}

/// The selectors of the query, with the name of the path as one more.
pub(super) fn selectors(call: &Call) -> Result<(LabelSelector, FieldSelector), ApiError> {
    let labels = LabelSelector::parse(call.query.get("labelSelector")).map_err(ApiError::bad_request)?;
    let mut fields = FieldSelector::parse(call.query.get("fieldSelector")).map_err(ApiError::bad_request)?;
    for term in &fields.terms {
        check_field(&call.resource, &term.field)?;
    }
    if call.request.is_named() {
        fields.terms.push(crate::selectors::FieldTerm {
            field: "metadata.name".into(),
            equal: true,
            value: call.request.name.clone(),
        });
    }
    Ok((labels, fields))
}

/// Fields beyond name and namespace by which a kind may be selected.
fn selectable(resource: &Resource) -> &'static [&'static str] {
    match (resource.group.as_str(), resource.plural.as_str()) {
        ("", "pods") => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
        ],
        ("", "nodes") => &["spec.unschedulable"],
        ("", "namespaces") => &["status.phase"],
        ("", "secrets") => &["type"],
        ("", "services") => &["spec.clusterIP", "spec.type"],
        ("", "replicationcontrollers") => &["status.replicas"],
        ("", "events") => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
        ("apps", "replicasets") => &["status.replicas"],
        ("batch", "jobs") => &["status.successful"],
        ("certificates.k8s.io", "certificatesigningrequests") => &["spec.signerName"],
        _ => &[],
    }
}

fn check_field(resource: &Resource, field: &str) -> Result<(), ApiError> {
    let known = matches!(field, "metadata.name" | "metadata.namespace") || selectable(resource).contains(&field);
    let declared = resource.custom.as_ref().is_some_and(|c| c.selectable.iter().any(|s| s == field));
    if known || declared {
        return Ok(());
    }
    if resource.is_custom() {
        return Err(ApiError::bad_request(format!("field label not supported: {field}")));
    }
    if resource.plural == "jobs" {
        return Err(ApiError::bad_request(format!("field label {field:?} not supported for Job")));
    }
    Err(ApiError::bad_request(match selectable(resource) {
        // Those of replica sets come from an older table.
        known if known.is_empty() || resource.plural == "replicasets" => {
            format!("{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"")
        }
        _ => format!("field label not supported: {field}"),
    }))
}
