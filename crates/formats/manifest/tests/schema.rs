//! The table of Kubernetes facts: what it says, and that it says all that the server's documents say.

#![allow(clippy::unwrap_used)]

mod support;

use serde_json::json;
use std::path::PathBuf;
use support::{read_json, shared};
use windlass_manifest::schema::{Catalog, Format, ListType, Schema, Scope, Shape, TypeRef, schema};
use windlass_manifest::{Gvk, Json};

fn gvk(api_version: &str, kind: &str) -> Gvk {
    Gvk::from_api_version(api_version, kind)
}

#[test]
fn the_table_parses() {
    let text = include_str!("../data/kubernetes-1.34.table");
    let parsed = Schema::from_table(text).unwrap();
    assert_eq!(parsed.kinds().count(), schema().kinds().count());
    assert!(parsed.kinds().count() >= 66);
    assert_eq!(parsed.to_table(), text);
}

#[test]
fn a_broken_table_names_its_line() {
    for (text, line) in [
        ("nonsense", 1),
        ("version v1\nresource pods", 2),
        ("  sub log Pod get", 1),
        ("  field string", 1),
        ("type a.B struct\n  f [string", 2),
        ("type a.B struct\n  f strong", 2),
        ("type a.B struct\n  f string colour=red", 2),
        ("type a.B struct\n  f string default={", 2),
        ("type a.B struct\n  f string list=heap", 2),
        ("type a.B struct\n  f [[[[[[[[[[string]]]]]]]]]]", 2),
    ] {
        let error = Schema::from_table(text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("line {line} ")), "{text:?}: {error}");
    }
}

#[test]
fn kinds_by_name_and_by_address() {
    let deployment = schema().kind(&gvk("apps/v1", "Deployment")).unwrap();
    assert_eq!(deployment.resource, "deployments");
    assert_eq!(deployment.singular, "deployment");
    assert_eq!(*deployment.short_names, ["deploy"]);
    assert_eq!(*deployment.categories, ["all"]);
    assert!(deployment.is_namespaced());
    assert!(deployment.allows("patch") && !deployment.allows("fly"));
    assert_eq!(deployment.subresource("scale").unwrap().kind, gvk("autoscaling/v1", "Scale"));
    assert_eq!(schema().by_resource("apps", "v1", "deployments"), Some(deployment));
    assert_eq!(schema().kind(&gvk("v1", "Namespace")).unwrap().scope, Scope::Cluster);
    assert_eq!(schema().kind(&gvk("apps/v9", "Deployment")), None);
    assert_eq!(schema().by_resource("", "v1", "deployments"), None);
    let versions: Vec<_> =
        schema().versions_of("autoscaling", "HorizontalPodAutoscaler").map(|k| &*k.gvk.version).collect();
    assert_eq!(versions, ["v2", "v1"]);
}

#[test]
fn fields_are_walked() {
    let spec = schema().type_of(&gvk("apps/v1", "Deployment")).unwrap().field("spec").unwrap();
    assert_eq!(spec.required().collect::<Vec<_>>(), ["selector", "template"]);
    assert!(spec.field("strategy").unwrap().patch_retain_keys());
    assert_eq!(spec.field("replicas").unwrap().shape(), Shape::Scalar(Format::Int32));

    let pod = spec.path(["template", "spec"]).unwrap();
    assert_eq!(pod.name(), Some("io.k8s.api.core.v1.PodSpec"));
    let containers = pod.field("containers").unwrap();
    assert_eq!(
        (containers.shape(), containers.patch_merge(), containers.patch_merge_key()),
        (Shape::List, true, Some("name"))
    );
    assert_eq!(pod.field("nodeSelector").map(|t| (t.shape(), t.is_atomic_map())), Some((Shape::Map, true)));
    assert_eq!(pod.path(["nodeSelector", "any/key"]).unwrap().shape(), Shape::Scalar(Format::String));
    assert_eq!(pod.field("restartPolicy").unwrap().enumeration(), ["Always", "Never", "OnFailure"]);
    assert!(pod.path(["nonsense"]).is_none());

    let container = containers.items().unwrap();
    let ports = container.field("ports").unwrap();
    assert_eq!(*ports.list_type(), ListType::Map(["containerPort".into(), "protocol".into()].into()));
    assert_eq!(ports.patch_merge_key(), Some("containerPort"));
    assert_eq!(ports.items().unwrap().field("protocol").unwrap().default(), Some(&json!("TCP")));
    assert_eq!(*container.field("args").unwrap().list_type(), ListType::Atomic);
    assert_eq!(container.path(["resources", "limits", "cpu"]).unwrap().shape(), Shape::Scalar(Format::Quantity));
    assert_eq!(
        container.path(["readinessProbe", "httpGet", "port"]).unwrap().shape(),
        Shape::Scalar(Format::IntOrString)
    );

    let metadata = schema().type_of(&gvk("v1", "Pod")).unwrap().field("metadata").unwrap();
    assert_eq!(*metadata.field("finalizers").unwrap().list_type(), ListType::Set);
    assert!(metadata.field("finalizers").unwrap().patch_merge());
    assert_eq!(metadata.field("ownerReferences").unwrap().patch_merge_key(), Some("uid"));
    assert!(metadata.path(["ownerReferences"]).unwrap().items().unwrap().is_atomic_map());
    assert_eq!(metadata.field("creationTimestamp").unwrap().shape(), Shape::Scalar(Format::DateTime));
}

#[test]
fn types_may_contain_themselves() {
    let crd = schema().type_of(&gvk("apiextensions.k8s.io/v1", "CustomResourceDefinition")).unwrap();
    let props = crd.path(["spec", "versions", "schema", "openAPIV3Schema"]).unwrap();
    let deep = std::iter::repeat_n(["properties", "x"], 50).flatten().try_fold(props, TypeRef::field);
    assert_eq!(deep.unwrap().name(), props.name());
    assert_eq!(
        schema().type_of(&gvk("v1", "PodList")).unwrap().path(["items", "spec"]).unwrap().name(),
        Some("io.k8s.api.core.v1.PodSpec")
    );
}

fn widget_crd() -> Json {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wd"], "categories": ["all"]},
            "versions": [
                {"name": "v1", "served": true, "storage": true, "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.n"}},
                 "schema": {"openAPIV3Schema": {"type": "object", "description": "A widget", "properties": {
                    "spec": {"type": "object", "required": ["size"], "properties": {
                        "size": {"type": "integer", "minimum": 1, "default": 3},
                        "port": {"x-kubernetes-int-or-string": true},
                        "note": {"type": "string", "nullable": true},
                        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                        "parts": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"],
                                  "items": {"type": "object", "properties": {"id": {"type": "string"}}}},
                        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                        "inner": {"type": "object", "x-kubernetes-embedded-resource": true}
                    }}
                 }}}},
                {"name": "v1beta1", "served": false, "storage": false, "schema": {"openAPIV3Schema": {"type": "object"}}},
                {"name": "v2", "served": true, "storage": false}
            ]
        }
    })
}

#[test]
fn custom_kinds_come_at_run_time() {
    let mut catalog = Catalog::new();
    let added = catalog.add_crd(&widget_crd()).unwrap();
    assert_eq!(added, [gvk("example.com/v1", "Widget"), gvk("example.com/v2", "Widget")]);
    let kind = catalog.by_resource("example.com", "v1", "widgets").unwrap();
    assert_eq!((&*kind.singular, kind.is_namespaced()), ("widget", true));
    assert!(kind.subresource("status").is_some() && kind.subresource("scale").is_some());

    let widget = catalog.type_of(&added[0]).unwrap();
    let spec = widget.field("spec").unwrap();
    assert_eq!(spec.required().collect::<Vec<_>>(), ["size"]);
    assert_eq!(spec.field("size").unwrap().default(), Some(&json!(3)));
    assert_eq!(spec.field("port").unwrap().shape(), Shape::Scalar(Format::IntOrString));
    assert!(spec.field("note").unwrap().is_nullable());
    assert!(spec.field("free").unwrap().preserves_unknown() && !spec.preserves_unknown());
    assert_eq!(*spec.field("parts").unwrap().list_type(), ListType::Map(["id".into()].into()));
    assert!(spec.field("inner").unwrap().is_embedded());
    // The metadata are those of every object, though the definition does not say so.
    for at in [widget, spec.field("inner").unwrap()] {
        assert_eq!(at.path(["metadata", "ownerReferences"]).unwrap().patch_merge_key(), Some("uid"));
    }
    assert_eq!(
        catalog.type_of(&added[1]).unwrap().path(["metadata", "name"]).unwrap().shape(),
        Shape::Scalar(Format::String)
    );

    // Built-in kinds are there as well, and a definition can be taken back.
    assert!(catalog.kind(&gvk("v1", "Pod")).is_some());
    catalog.remove_resource("example.com", "widgets");
    assert_eq!(catalog.added().count(), 0);
}

#[test]
fn discovery_tells_of_kinds_without_a_schema() {
    let mut catalog = Catalog::new();
    let resource = |kind: &str, plural: &str| {
        json!({"resource": plural, "singularResource": "x", "scope": "Cluster", "verbs": ["get"],
        "responseKind": {"group": "", "version": "", "kind": kind}})
    };
    let document = json!({"items": [{"metadata": {"name": "metrics.k8s.io"}, "versions": [{"version": "v1beta1", "resources": [resource("NodeMetrics", "nodes")]}]}]});
    catalog.add_discovery(&document).unwrap();
    let facts = catalog.by_resource("metrics.k8s.io", "v1beta1", "nodes").unwrap();
    assert_eq!((&*facts.gvk.kind, facts.scope), ("NodeMetrics", Scope::Cluster));
    assert!(catalog.type_of(&facts.gvk).is_none());
    for bad in
        [json!(null), json!({"items": 3}), json!({"items": [{"versions": [{"version": "v1", "resources": [{}]}]}]})]
    {
        assert!(catalog.clone().add_discovery(&bad).is_err(), "{bad}");
    }
}

#[test]
fn a_bad_definition_changes_nothing() {
    let mut catalog = Catalog::new();
    catalog.add_crd(&widget_crd()).unwrap();
    let mut deep = json!({"type": "object"});
    for _ in 0..100 {
        deep = json!({"type": "object", "properties": {"x": deep}});
    }
    let with = |path: &str, value: Json| {
        let mut crd = widget_crd();
        *crd.pointer_mut(path).unwrap() = value;
        crd
    };
    for (bad, problem) in [
        (json!({}), "the definition: has no spec.group"),
        (json!([1, null]), "the definition: has no spec.group"),
        (with("/spec/names/kind", json!(7)), "widgets.example.com: has no spec.names.kind"),
        (with("/spec/versions", json!("v1")), "widgets.example.com: has no spec.versions"),
        (with("/spec/versions/0/name", json!(null)), "widgets.example.com: has no name of a version"),
        (with("/spec/versions/0/schema/openAPIV3Schema", json!([])), "widgets.example.com: is not an object"),
        (with("/spec/versions/0/schema/openAPIV3Schema", json!({"type": "colour"})), "type colour"),
        (with("/spec/versions/0/schema/openAPIV3Schema", deep), "nested deeper than 64 levels"),
    ] {
        let error = catalog.add_crd(&bad).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
        assert_eq!(catalog.added().count(), 2);
    }
}

/// The documents of a real server, where they lie beside the checkout.
fn documents() -> Option<(Vec<Json>, Vec<Json>)> {
    let folder = shared("kubernetes/1.34")?;
    let discovery = ["discovery-aggregated-api.json", "discovery-aggregated-apis.json"];
    let discovery = discovery.map(|name| read_json(&folder.join(name))).to_vec();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder.join("openapi-v3")).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    Some((discovery, files.iter().map(|f| read_json(f)).collect()))
}

#[test]
fn the_committed_table_is_what_the_generator_writes() {
    let Some((discovery, openapi)) = documents() else { return };
    let built = Schema::from_documents(&discovery, &openapi).unwrap();
    assert!(
        built.to_table() == include_str!("../data/kubernetes-1.34.table"),
        "run `cargo run -p windlass-manifest --example gen-schema -- FOLDER`"
    );
}

#[test]
fn nothing_of_the_servers_schemas_is_lost() {
    let Some((_, openapi)) = documents() else { return };
    let mut count = 0;
    for document in &openapi {
        let Some(expected) = document.pointer("/components/schemas").and_then(Json::as_object) else { continue };
        let written = schema().openapi(expected.keys().map(|name| &**name));
        for (name, body) in expected {
            let mut body = body.clone();
            normalise(&mut body);
            assert_eq!(written.get(name), Some(&body), "{name}");
            count += 1;
        }
    }
    assert!(count > 566);
}

/// The server writes a reference about which it says no more sometimes as `allOf` with one element, and required fields in
/// the order of its source.
fn normalise(json: &mut Json) {
    match json {
        Json::Object(map) => {
            if map.len() == 1 && map.contains_key("allOf") {
                *json = json["allOf"][0].clone();
                return;
            }
            if let Some(Json::Array(required)) = map.get_mut("required") {
                required.sort_by_key(ToString::to_string);
            }
            map.values_mut().for_each(normalise);
        }
        Json::Array(list) => list.iter_mut().for_each(normalise),
        _ => {}
    }
}
