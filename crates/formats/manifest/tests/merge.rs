//! Merges against what the API server's own library answers, and the laws they keep.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use proptest::prelude::*;
use serde_json::json;
use std::collections::HashMap;
use support::{read_json, shared};
use windlass_manifest::merge::{
    JsonPatchError, MOST_OPERATIONS, difference, json_patch, merge_patch, strategic, three_way,
};
use windlass_manifest::schema::{TypeRef, schema};
use windlass_manifest::{Gvk, Json};

fn type_of(api_version: &str, kind: &str) -> Option<TypeRef<'static>> {
    schema().type_of(&Gvk::from_api_version(api_version, kind))
}

fn pod() -> Option<TypeRef<'static>> {
    type_of("v1", "Pod")
}

/// A pod from the fields of its spec.
fn spec(fields: Json) -> Json {
    json!({ "spec": fields })
}

#[test]
fn strategic_merges_as_the_server_does() {
    let cases: &[(&str, Json, Json, Json)] = &[
        (
            "elements are found by name, new ones come first",
            json!({"containers": [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]}),
            json!({"containers": [{"name": "c", "image": "c:1"}, {"name": "b", "image": "b:2"}]}),
            json!({"containers": [{"name": "c", "image": "c:1"}, {"name": "a", "image": "a:1"}, {"name": "b", "image": "b:2"}]}),
        ),
        (
            "ports are found by containerPort alone",
            json!({"containers": [{"name": "a", "ports": [{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 81}]}]}),
            json!({"containers": [{"name": "a", "ports": [{"containerPort": 80, "protocol": "UDP"}]}]}),
            json!({"containers": [{"name": "a", "ports": [{"containerPort": 80, "protocol": "UDP"}, {"containerPort": 81}]}]}),
        ),
        (
            "an element is deleted",
            json!({"containers": [{"name": "a"}, {"name": "b"}]}),
            json!({"containers": [{"name": "a", "$patch": "delete"}]}),
            json!({"containers": [{"name": "b"}]}),
        ),
        (
            "a list is replaced",
            json!({"containers": [{"name": "a"}, {"name": "b"}]}),
            json!({"containers": [{"$patch": "replace"}, {"name": "c"}]}),
            json!({"containers": [{"name": "c"}]}),
        ),
        (
            "lists without a strategy are replaced",
            json!({"containers": [{"name": "a", "args": ["1", "2"]}], "tolerations": [{"key": "x"}]}),
            json!({"containers": [{"name": "a", "args": ["3"]}], "tolerations": [{"key": "y", "value": null}]}),
            json!({"containers": [{"name": "a", "args": ["3"]}], "tolerations": [{"key": "y"}]}),
        ),
        (
            "maps merge, null removes",
            json!({"nodeSelector": {"a": "1", "b": "2"}, "hostname": "h"}),
            json!({"nodeSelector": {"b": null, "c": "3"}, "hostname": null}),
            json!({"nodeSelector": {"a": "1", "c": "3"}}),
        ),
        (
            "a map is replaced or emptied",
            json!({"nodeSelector": {"a": "1"}, "securityContext": {"runAsUser": 1}}),
            json!({"nodeSelector": {"$patch": "replace", "b": "2"}, "securityContext": {"$patch": "delete"}}),
            json!({"nodeSelector": {"b": "2"}, "securityContext": {}}),
        ),
        (
            "retainKeys clears the other members of a union",
            json!({"volumes": [{"name": "v", "emptyDir": {}}, {"name": "w", "emptyDir": {}}]}),
            json!({"volumes": [{"name": "v", "$retainKeys": ["name", "configMap"], "configMap": {"name": "c"}}]}),
            json!({"volumes": [{"name": "v", "configMap": {"name": "c"}}, {"name": "w", "emptyDir": {}}]}),
        ),
        (
            "the wanted order, with what others added left where it was",
            json!({"containers": [{"name": "side"}, {"name": "a"}, {"name": "b"}]}),
            json!({"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}], "containers": [{"name": "a", "image": "a:2"}]}),
            json!({"containers": [{"name": "side"}, {"name": "b"}, {"name": "a", "image": "a:2"}]}),
        ),
        (
            "only an order",
            json!({"containers": [{"name": "a"}, {"name": "b"}]}),
            json!({"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]}),
            json!({"containers": [{"name": "b"}, {"name": "a"}]}),
        ),
        (
            // The server deletes and appends in place: c stands where a was, behind the side car.
            "a new element takes the place of a deleted one",
            json!({"containers": [{"name": "side"}, {"name": "a"}]}),
            json!({
                "$setElementOrder/containers": [{"name": "c"}],
                "containers": [{"name": "c"}, {"name": "a", "$patch": "delete"}],
            }),
            json!({"containers": [{"name": "side"}, {"name": "c"}]}),
        ),
        (
            "directives in something new do not stay",
            json!({}),
            json!({
                "volumes": [{"name": "v", "$retainKeys": ["name"]}, {"name": "w", "$patch": "delete"}],
                "$setElementOrder/volumes": [{"name": "v"}], "affinity": {"$patch": "delete"}, "hostname": null,
            }),
            json!({"volumes": [{"name": "v"}]}),
        ),
    ];
    for (what, original, patch, expected) in cases {
        let merged = strategic(&spec(original.clone()), &spec(patch.clone()), pod()).unwrap();
        assert_eq!(merged, spec(expected.clone()), "{what}");
    }
}

#[test]
fn lists_of_scalars_are_sets() {
    let meta = |finalizers: Json| json!({"metadata": {"finalizers": finalizers}});
    for (patch, expected) in [
        (meta(json!(["c", "b"])), meta(json!(["c", "a", "b"]))),
        (json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["a", "z"]}}), meta(json!(["b"]))),
        (json!({"metadata": {"$setElementOrder/finalizers": ["b", "a"]}}), meta(json!(["b", "a"]))),
    ] {
        assert_eq!(strategic(&meta(json!(["a", "b"])), &patch, pod()).unwrap(), expected, "{patch}");
    }
}

#[test]
fn a_patch_that_does_not_fit_is_refused_with_its_place() {
    let original = json!({"spec": {"containers": [{"name": "a"}], "volumes": []}, "metadata": {"finalizers": ["x"]}});
    for (patch, message) in [
        (json!([]), "expected an object, found a list"),
        (json!({"$patch": "merge"}), "unknown directive `$patch: merge`"),
        (json!({"spec": {"$patch": 7}}), "spec: unknown directive `$patch: 7`"),
        (
            json!({"spec": {"containers": [{"image": "x"}]}}),
            "spec.containers: an element has no `name`, by which elements of this list are matched",
        ),
        (
            json!({"spec": {"containers": ["x"]}}),
            "spec.containers: a list that is merged must hold elements of one type",
        ),
        (json!({"spec": {"containers": [["x"]]}}), "spec.containers: lists inside lists cannot be merged"),
        (
            json!({"spec": {"containers": [{"name": "a", "$patch": "merge"}]}}),
            "spec.containers: `$patch: merge` does not exist for lists",
        ),
        (
            json!({"spec": {"containers": [{"name": "a", "$patch": "odd"}]}}),
            "spec.containers: unknown directive `$patch: odd`",
        ),
        (
            json!({"spec": {"containers": [{"$patch": "delete"}]}}),
            "spec.containers: an element has no `name`, by which elements of this list are matched",
        ),
        (
            json!({"spec": {"containers": [{"name": "a", "env": [{"name": "e"}], "$retainKeys": ["name"]}]}}),
            "spec.containers.[name=a]: `$retainKeys` must be a list that names every field of the patch",
        ),
        (
            json!({"spec": {"$retainKeys": "x"}}),
            "spec: `$retainKeys` must be a list that names every field of the patch",
        ),
        (
            json!({"spec": {"$setElementOrder/containers": [{"name": "b"}], "containers": [{"name": "a"}]}}),
            "spec.containers: the order of the patch differs from `$setElementOrder`",
        ),
        (json!({"spec": {"$setElementOrder/containers": {}}}), "spec.containers: expected a list, found an object"),
        (json!({"spec": {"$setElementOrder": []}}), "spec: `$setElementOrder` does not say which list it means"),
        (
            json!({"metadata": {"$deleteFromPrimitiveList/finalizers": 1}}),
            "metadata.finalizers: expected a list, found a number",
        ),
    ] {
        assert_eq!(strategic(&original, &patch, pod()).unwrap_err().to_string(), message, "{patch}");
    }
}

#[test]
fn without_a_schema_lists_are_replaced() {
    let original = json!({"spec": {"containers": [{"name": "a"}], "map": {"x": 1}}});
    let patch = json!({"spec": {"containers": [{"name": "b"}], "map": {"y": 2}}});
    let merged = strategic(&original, &patch, None).unwrap();
    assert_eq!(merged, json!({"spec": {"containers": [{"name": "b"}], "map": {"x": 1, "y": 2}}}));
}

#[test]
fn three_way_keeps_what_others_did() {
    let deployment = type_of("apps/v1", "Deployment");
    let last = json!({"metadata": {"labels": {"old": "1", "a": "1"}}, "spec": {"replicas": 2, "template": {"spec": {
        "containers": [{"name": "app", "image": "app:1", "env": [{"name": "X", "value": "1"}, {"name": "GONE", "value": "1"}]}]}}}});
    let wanted = json!({"metadata": {"labels": {"a": "2"}}, "spec": {"template": {"spec": {
        "containers": [{"name": "app", "image": "app:2", "env": [{"name": "X", "value": "2"}]}]}}}});
    let live = json!({"metadata": {"labels": {"old": "1", "a": "1", "theirs": "1"}, "uid": "u"}, "spec": {"replicas": 2, "template": {"spec": {
    "containers": [
        {"name": "sidecar", "image": "mesh:1"},
        {"name": "app", "image": "app:1", "imagePullPolicy": "Always",
         "env": [{"name": "INJECTED", "value": "1"}, {"name": "X", "value": "1"}, {"name": "GONE", "value": "1"}]},
    ]}}}});
    let merged = three_way(&last, &wanted, &live, deployment).unwrap();
    assert_eq!(
        merged,
        json!({"metadata": {"labels": {"a": "2", "theirs": "1"}, "uid": "u"}, "spec": {"template": {"spec": {
        "containers": [
            {"name": "sidecar", "image": "mesh:1"},
            {"name": "app", "image": "app:2", "imagePullPolicy": "Always",
             "env": [{"name": "INJECTED", "value": "1"}, {"name": "X", "value": "2"}]},
        ]}}}})
    );
    // Once there, applying it again changes nothing.
    assert_eq!(three_way(&wanted, &wanted, &merged, deployment).unwrap(), merged);
}

#[test]
fn a_union_loses_its_defaults_only_when_it_changes() {
    let deployment = type_of("apps/v1", "Deployment");
    let of = |strategy: Json| json!({"spec": {"strategy": strategy}});
    let live = of(json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%"}}));
    let same = of(json!({"type": "RollingUpdate"}));
    assert_eq!(three_way(&same, &same, &live, deployment).unwrap(), live);
    let other = of(json!({"type": "Recreate"}));
    assert_eq!(three_way(&same, &other, &live, deployment).unwrap(), other);
}

#[test]
fn json_patch_applies_as_the_server_does() {
    let document = json!({"a": {"b": [1, 2, 3]}, "c": null, "d/e": 1, "m~n": 2});
    for (patch, path, expected) in [
        (json!([{"op": "add", "path": "/a/b/-", "value": 4}]), "/a/b", json!([1, 2, 3, 4])),
        (json!([{"op": "add", "path": "/a/b/1", "value": 9}]), "/a/b", json!([1, 9, 2, 3])),
        (json!([{"op": "add", "path": "/a/b/3", "value": 9}]), "/a/b", json!([1, 2, 3, 9])),
        (json!([{"op": "add", "path": "/a/b/-1", "value": 9}]), "/a/b", json!([1, 2, 3, 9])),
        (json!([{"op": "remove", "path": "/a/b/-1"}]), "/a/b", json!([1, 2])),
        (json!([{"op": "replace", "path": "/a/b/-3", "value": 7}]), "/a/b", json!([7, 2, 3])),
        (json!([{"op": "replace", "path": "/a/new", "value": 7}]), "/a/new", json!(7)),
        (
            json!([{"op": "replace", "path": "/d~1e", "value": 7}, {"op": "replace", "path": "/m~0n", "value": 8}]),
            "/d~1e",
            json!(7),
        ),
        (json!([{"op": "move", "from": "/a/b/0", "path": "/x"}]), "/x", json!(1)),
        (json!([{"op": "copy", "from": "/a/b", "path": "/x"}, {"op": "remove", "path": "/a"}]), "/x", json!([1, 2, 3])),
        (json!([{"op": "test", "path": "/c", "value": null}, {"op": "test", "path": "/none"}]), "/c", json!(null)),
        (json!([{"op": "replace", "path": "", "value": {"z": 1}}]), "/z", json!(1)),
        (json!([{"op": "add", "path": "ignored/z", "value": 1}]), "/z", json!(1)),
    ] {
        let patched = json_patch(&document, &patch).unwrap();
        assert_eq!(patched.pointer(path), Some(&expected), "{patch}");
    }
}

#[test]
fn a_json_patch_that_does_not_apply_changes_nothing_and_says_why() {
    let document = json!({"a": {"b": [1]}});
    for (patch, message) in [
        (json!({}), "a JSON patch is a list of operations, each an object with `op` and `path`"),
        (json!([1]), "a JSON patch is a list of operations, each an object with `op` and `path`"),
        (json!([{"op": "fly", "path": "/a"}]), "operation 0: unknown operation `fly`"),
        (json!([{"path": "/a"}]), "operation 0: unknown operation ``"),
        (json!([{"op": "add"}]), "operation 0: `add` needs `path`, a JSON pointer"),
        (json!([{"op": "move", "path": "/a"}]), "operation 0: `move` needs `from`, a JSON pointer"),
        (
            json!([{"op": "test", "path": "/a/b/0", "value": 1}, {"op": "remove", "path": "/a/x"}]),
            "operation 1: `remove` does not apply: there is no /a/x",
        ),
        (json!([{"op": "add", "path": "/x/y", "value": 1}]), "operation 0: `add` does not apply: there is no /x/y"),
        (json!([{"op": "add", "path": "", "value": 1}]), "operation 0: `add` does not apply: there is no "),
        (
            json!([{"op": "add", "path": "nowhere", "value": 1}]),
            "operation 0: `add` does not apply: there is no nowhere",
        ),
        (json!([{"op": "add", "path": "/a/b/2", "value": 1}]), "operation 0: /a/b/2: `2` is not an index of this list"),
        (json!([{"op": "remove", "path": "/a/b/-2"}]), "operation 0: /a/b/-2: `-2` is not an index of this list"),
        (
            json!([{"op": "test", "path": "/a/b/0", "value": 2}]),
            "operation 0: /a/b/0 does not have the value that the patch tests for",
        ),
    ] {
        assert_eq!(json_patch(&document, &patch).unwrap_err().to_string(), message, "{patch}");
    }
    let many = Json::Array(vec![json!({"op": "test", "path": "/a"}); MOST_OPERATIONS + 1]);
    assert_eq!(json_patch(&document, &many), Err(JsonPatchError::TooMany(MOST_OPERATIONS + 1)));
    // Moving values into each other does not dig a hole that nobody can read out of.
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!({ "x": inner }));
    let dig = json!([{"op": "add", "path": format!("/a{}", "/x".repeat(60)), "value": nested(60)}]);
    assert_eq!(json_patch(&json!({"a": nested(60)}), &dig), Err(JsonPatchError::TooDeep { index: 0 }));
    let deep = json!([{"op": "add", "path": format!("/a{}", "/x".repeat(59)), "value": 2}]);
    assert!(json_patch(&json!({"a": nested(60)}), &deep).is_ok());
    // Doubling by copies is stopped before it fills the memory.
    let bomb: Vec<Json> = (0..60).map(|_| json!({"op": "copy", "from": "/a", "path": "/a/-"})).collect();
    let bomb = json_patch(&json!({"a": ["x".repeat(1000)]}), &Json::Array(bomb));
    assert!(matches!(bomb, Err(JsonPatchError::CopiesTooLarge { .. })), "{bomb:?}");
}

/// Patches that a real API server answered, where the recordings lie beside the checkout: what we make of the object
/// before is in the object after. The server adds defaults, and keeps some fields for itself.
#[test]
fn recorded_patches() {
    let Some(folder) = shared("cases/kube-api") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let mut compared = 0;
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "json")) {
        let mut known: HashMap<String, Json> = HashMap::new();
        for (index, step) in read_json(file)["steps"].as_array().unwrap().iter().enumerate() {
            let query = step["path"].as_str().unwrap_or_default();
            let path = query.split('?').next().unwrap().to_owned();
            let (expected, status) = (&step["expect"]["body"], step["expect"]["status"].as_i64());
            if status.is_none_or(|status| status >= 300) || expected.get("metadata").is_none() {
                continue;
            }
            let kind = step["headers"]["Content-Type"].as_str().unwrap_or_default();
            if let (true, Some(before), false) = (step["method"] == "PATCH", known.get(&path), query.contains("dryRun"))
            {
                let before = before.clone();
                let of_type = type_of(before["apiVersion"].as_str().unwrap(), before["kind"].as_str().unwrap());
                let after = match kind {
                    "application/merge-patch+json" => Some(merge_patch(&before, &step["body"])),
                    "application/json-patch+json" => Some(json_patch(&before, &step["body"]).unwrap()),
                    "application/strategic-merge-patch+json" => {
                        Some(strategic(&before, &step["body"], of_type).unwrap())
                    }
                    _ => None,
                };
                if let Some(mut after) = after {
                    after["metadata"]
                        .as_object_mut()
                        .unwrap()
                        .retain(|name, _| !["managedFields", "resourceVersion", "generation"].contains(&&**name));
                    assert!(
                        is_within(&after, expected),
                        "{} step {index}: {after}\nis not in {expected}",
                        file.display()
                    );
                    compared += 1;
                }
            }
            let name = expected["metadata"]["name"].as_str().unwrap_or_default();
            let of_object = if step["method"] == "POST" { format!("{path}/{name}") } else { path };
            known.insert(of_object, expected.clone());
        }
    }
    println!("{compared} recorded patches agree");
    assert!(compared >= 10, "{compared} patches");
}

/// Whether everything in `part` is in `whole`, too.
fn is_within(part: &Json, whole: &Json) -> bool {
    match (part, whole) {
        (Json::Object(part), Json::Object(whole)) => part.iter().all(|(name, value)| {
            // The server leaves out what is null, empty or zero, and decides about the status itself.
            value.is_null()
                || value == &json!({})
                || value == &json!([])
                || value == 0
                || name == "status"
                || whole.get(name).is_some_and(|whole| is_within(value, whole))
        }),
        (Json::Array(part), Json::Array(whole)) => {
            part.len() == whole.len() && part.iter().zip(whole).all(|(part, whole)| is_within(part, whole))
        }
        _ => part == whole,
    }
}

/// Any JSON, small enough to read.
fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (-3i64..3).prop_map(Json::from),
        "[a-c]{0,2}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            proptest::collection::btree_map(any_key(), inner, 0..4).prop_map(|m| Json::Object(m.into_iter().collect())),
        ]
    })
}

/// Names that mean something to a merge, and others.
fn any_key() -> impl Strategy<Value = String> {
    proptest::sample::select(vec![
        "a",
        "b",
        "name",
        "spec",
        "metadata",
        "containers",
        "volumes",
        "finalizers",
        "$patch",
        "$retainKeys",
        "$setElementOrder/containers",
        "$deleteFromPrimitiveList/finalizers",
        "ports",
        "containerPort",
    ])
    .prop_map(str::to_owned)
}

fn any_pod() -> impl Strategy<Value = Json> {
    let names = || proptest::sample::subsequence(vec!["a", "b", "c", "d"], 0..=4).prop_shuffle();
    let container = ("[a-c]", names()).prop_map(|(image, env)| {
        json!({"image": image, "env": env.into_iter().map(|n| json!({"name": n, "value": image})).collect::<Vec<_>>()})
    });
    let containers = (names(), proptest::collection::vec(container, 4)).prop_map(|(names, mut made)| {
        let named = names.into_iter().zip(made.drain(..)).map(|(name, mut container)| {
            container["name"] = json!(name);
            container
        });
        Json::Array(named.collect())
    });
    (containers, names(), names()).prop_map(|(containers, finalizers, labels)| {
        let labels: serde_json::Map<String, Json> = labels.into_iter().map(|l| (l.to_owned(), json!(l))).collect();
        json!({"metadata": {"finalizers": finalizers, "labels": labels}, "spec": {"containers": containers}})
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_makes_a_merge_panic(a in any_json(), b in any_json(), c in any_json()) {
        let _ = merge_patch(&a, &b);
        let _ = json_patch(&a, &b);
        let _ = strategic(&json!({"metadata": a, "spec": b}), &json!({"metadata": b, "spec": c}), pod());
        let _ = strategic(&a, &b, pod());
        let _ = three_way(&json!({"spec": a}), &json!({"spec": b}), &json!({"spec": c}), pod());
    }

    #[test]
    fn a_difference_leads_there_and_back(a in any_json(), b in any_json()) {
        let (a, b) = (json!({"x": a}), json!({"x": b}));
        prop_assert_eq!(&json_patch(&a, &difference(&a, &b)).unwrap(), &b);
        prop_assert_eq!(&json_patch(&b, &difference(&b, &a)).unwrap(), &a);
    }

    #[test]
    fn merging_twice_is_merging_once(live in any_pod(), patch in any_pod()) {
        let once = strategic(&live, &patch, pod()).unwrap();
        prop_assert_eq!(&strategic(&once, &patch, pod()).unwrap(), &once);
        let once = merge_patch(&live, &patch);
        prop_assert_eq!(&merge_patch(&once, &patch), &once);
    }

    #[test]
    fn an_empty_patch_changes_nothing(live in any_pod()) {
        prop_assert_eq!(&strategic(&live, &json!({}), pod()).unwrap(), &live);
        prop_assert_eq!(&merge_patch(&live, &json!({})), &live);
        prop_assert_eq!(&json_patch(&live, &json!([])).unwrap(), &live);
    }

    #[test]
    fn no_change_is_no_change(last in any_pod(), live in any_pod()) {
        prop_assert_eq!(&three_way(&last, &live, &live, pod()).unwrap(), &live);
        prop_assert_eq!(&three_way(&last, &json!({}), &live, None).unwrap()["kind"], &Json::Null);
    }

    #[test]
    fn what_is_wanted_is_there_and_applying_again_does_nothing(last in any_pod(), wanted in any_pod(), live in any_pod()) {
        let merged = three_way(&last, &wanted, &live, pod()).unwrap();
        prop_assert_eq!(&three_way(&wanted, &wanted, &merged, pod()).unwrap(), &merged);
        for container in wanted["spec"]["containers"].as_array().unwrap() {
            let found = merged["spec"]["containers"].as_array().unwrap().iter().find(|c| c["name"] == container["name"]);
            prop_assert_eq!(&found.unwrap()["image"], &container["image"]);
        }
    }
}
