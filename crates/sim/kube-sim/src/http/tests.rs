//! Rules that only whole requests show.

use crate::{Config, KubeSim};
use axum::Router;
use axum::body::Body;
use http::{Request, header};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;
use windlass_clock::{Clock, virtual_runtime};
use windlass_model::Timestamp;

const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SERVICES: &str = "/api/v1/namespaces/default/services";
const WIDGETS: &str = "/apis/example.test/v1/namespaces/default/widgets";

struct Client(Router);

impl Client {
    async fn send(&self, method: &str, path: &str, media_type: &str, body: &Value) -> (u16, Value) {
        let (status, body, _) = self.send_and_heed(method, path, media_type, body).await;
        (status, body)
    }

    /// The same, with how many warnings came.
    async fn send_and_heed(&self, method: &str, path: &str, media_type: &str, body: &Value) -> (u16, Value, usize) {
        let request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, media_type);
        let request = request.header(header::AUTHORIZATION, "Bearer admin");
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let response = self.0.clone().oneshot(request.body(Body::from(body)).unwrap()).await.unwrap();
        let status = response.status().as_u16();
        let warnings = response.headers().get_all(header::WARNING).iter().count();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        let text = || String::from_utf8_lossy(&bytes).into_owned().into();
        (status, serde_json::from_slice(&bytes).unwrap_or_else(|_| text()), warnings)
    }

    async fn get(&self, path: &str) -> (u16, Value) {
        self.send("GET", path, JSON, &Value::Null).await
    }
}

/// A cluster with a custom kind, and nothing that moves by itself.
fn with_client(work: impl AsyncFnOnce(Client)) {
    virtual_runtime().unwrap().block_on(async {
        let mut config = Config::new(Clock::simulated(Timestamp::from_secs(1_000))).admin_token("admin");
        config.controllers = false;
        let scale = json!({"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"});
        let spec = json!({"type": "object", "properties": {"replicas": {"type": "integer"}, "mode": {"type": "string"},
            "either": {"x-kubernetes-int-or-string": true}}});
        config.objects = vec![json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "widgets.example.test"},
            "spec": {"group": "example.test", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
                "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"scale": scale},
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]},
        })];
        let sim = KubeSim::new(config).unwrap();
        work(Client(sim.router())).await;
    });
}

fn widget(spec: Value) -> Value {
    json!({"apiVersion": "example.test/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": spec})
}

fn managers(object: &Value) -> Vec<&str> {
    let owners = object.pointer("/metadata/managedFields").and_then(Value::as_array).into_iter().flatten();
    owners.filter_map(|owner| owner.get("manager")?.as_str()).collect()
}

#[test]
fn nothing_below_a_group_of_the_server_is_told_as_a_status() {
    with_client(async |client| {
        for (path, kind) in [
            ("/apis/apps/v9", "Status"),
            ("/apis/apps/v9/namespaces/default/deployments", "Status"),
            ("/api/v9", "Status"),
            ("/apis/example.test/v9", ""),
            ("/apis/example.test/v1/namespaces/default/potatoes", ""),
            ("/apis/none/v1", ""),
        ] {
            let (status, body) = client.get(path).await;
            assert_eq!((status, body["kind"].as_str().unwrap_or_default()), (404, kind), "{path}");
        }
    });
}

#[test]
fn resources_tell_as_what_they_are_stored() {
    with_client(async |client| {
        for (path, name, hash) in [
            ("/api/v1", "configmaps", json!("qFsyl6wFWjQ=")),
            ("/api/v1", "bindings", Value::Null),
            ("/api/v1", "pods/status", Value::Null),
            ("/apis/autoscaling/v1", "horizontalpodautoscalers", json!("qwQve8ut294=")),
        ] {
            let (_, list) = client.get(path).await;
            let found = list["resources"].as_array().unwrap().iter().find(|entry| entry["name"] == name).cloned();
            assert_eq!(found.unwrap()["storageVersionHash"], hash, "{path} {name}");
        }
    });
}

#[test]
fn custom_kinds_tell_all_the_forms_of_bodies() {
    with_client(async |client| {
        let (status, body) = client.send("POST", WIDGETS, "text/plain", &widget(json!({}))).await;
        let message = body["message"].as_str().unwrap();
        let forms = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
        assert!(status == 415 && message.ends_with(forms), "{message}");
    });
}

#[test]
fn custom_objects_lose_nulls_and_keep_what_validation_is_to_refuse() {
    with_client(async |client| {
        let (status, body) = client.send("POST", WIDGETS, JSON, &widget(json!({"mode": null, "replicas": 1}))).await;
        assert_eq!((status, &body["spec"]), (201, &json!({"replicas": 1})));
        let path = format!("{WIDGETS}/w?fieldManager=red");
        let (status, body) = client.send("PATCH", &path, APPLY, &widget(json!({"either": {}}))).await;
        assert_eq!((status, body["details"]["causes"][0]["field"].as_str()), (422, Some("spec.either")));
    });
}

#[test]
fn a_scale_of_replicas_without_an_owner_has_none() {
    with_client(async |client| {
        let (_, made) = client.send("POST", WIDGETS, JSON, &widget(json!({"mode": "fast"}))).await;
        assert_eq!(managers(&made).len(), 1);
        let body = json!({"spec": {"replicas": 5}});
        let scale = format!("{WIDGETS}/w/scale?fieldManager=scaler");
        assert_eq!(client.send("PATCH", &scale, MERGE, &body).await.0, 200);
        let (_, scaled) = client.get(&format!("{WIDGETS}/w")).await;
        assert_eq!((&scaled["spec"]["replicas"], managers(&scaled)), (&json!(5), managers(&made)));
        // Once somebody owns them, they go from hand to hand.
        let own = format!("{WIDGETS}/w?fieldManager=owner");
        client.send("PATCH", &own, MERGE, &json!({"spec": {"replicas": 6}})).await;
        client.send("PATCH", &scale, MERGE, &body).await;
        let (_, scaled) = client.get(&format!("{WIDGETS}/w")).await;
        assert!(managers(&scaled).contains(&"scaler") && !managers(&scaled).contains(&"owner"), "{scaled}");
    });
}

#[test]
fn names_of_objects_that_go_are_taken_for_dry_runs_too() {
    with_client(async |client| {
        let map =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "finalizers": ["a.test/b"]}});
        client.send("POST", MAPS, JSON, &map).await;
        client.send("DELETE", &format!("{MAPS}/m"), JSON, &Value::Null).await;
        let (status, body) = client.send("POST", &format!("{MAPS}?dryRun=All"), JSON, &map).await;
        let message = "object is being deleted: configmaps \"m\" already exists";
        assert_eq!((status, body["message"].as_str()), (409, Some(message)));
    });
}

#[test]
fn only_a_post_asks_for_no_version() {
    with_client(async |client| {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "resourceVersion": "1"}});
        assert_eq!(client.send("POST", MAPS, JSON, &map).await.0, 500);
        assert_eq!(client.send("PATCH", &format!("{MAPS}/m?fieldManager=red"), APPLY, &map).await.0, 201);
        let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "resourceVersion": "1"},
            "spec": {"ports": [{"port": 80}]}});
        assert_eq!(client.send("PUT", &format!("{SERVICES}/s"), JSON, &service).await.0, 201);
    });
}

#[test]
fn what_contradicts_itself_in_a_service_is_told_alone() {
    with_client(async |client| {
        let fields = async |metadata: Value, spec: Value| {
            let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec});
            let (_, body) = client.send("POST", SERVICES, JSON, &service).await;
            let causes = body.pointer("/details/causes").and_then(Value::as_array).cloned().unwrap_or_default();
            causes.iter().map(|cause| cause["field"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        let named = json!({"name": "s", "annotations": {"a b": "x"}});
        let ports = json!([{"name": "a", "port": 80}, {"name": "a", "port": 81}]);
        let policy = json!({"ipFamilyPolicy": "Whatever", "ports": ports});
        assert_eq!(fields(named.clone(), policy).await, ["spec.ipFamilyPolicy"]);
        assert_eq!(fields(named, json!({"ports": ports})).await, ["metadata.annotations", "spec.ports[1].name"]);
        let affine = json!({"ports": [{"port": 80}], "sessionAffinity": "Sometimes",
            "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 5}}});
        assert_eq!(fields(json!({"name": "s"}), affine).await, ["spec.sessionAffinity"]);
        let external = json!({"type": "ExternalName", "clusterIP": "1.2.3.4", "ports": [{"port": 80}]});
        assert_eq!(fields(json!({"name": "s"}), external).await, ["spec.clusterIPs", "spec.externalName"]);
    });
}

#[test]
fn empty_policies_of_scaling_are_refused() {
    with_client(async |client| {
        let scaler = json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"},
            "spec": {"maxReplicas": 3, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
                "behavior": {"scaleDown": {"policies": []}}}});
        let path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
        let (status, body) = client.send("POST", path, JSON, &scaler).await;
        let field = body["details"]["causes"][0]["field"].as_str();
        assert_eq!((status, field), (422, Some("spec.behavior.scaleDown.policies")));
    });
}

#[test]
fn whoever_makes_a_custom_object_may_name_it_in_the_path() {
    with_client(async |client| {
        let path = format!("{WIDGETS}/any");
        assert_eq!(client.send("POST", &path, JSON, &widget(json!({}))).await.0, 201);
        assert_eq!(client.send("POST", &path, JSON, &widget(json!({}))).await.0, 409);
        assert_eq!(client.send("POST", &format!("{MAPS}/any"), JSON, &json!({})).await.0, 405);
    });
}

#[test]
fn a_scale_that_changes_tells_of_the_template_behind_it() {
    with_client(async |client| {
        let sets = "/apis/apps/v1/namespaces/default/replicasets";
        let labels = json!({"app": "a"});
        let set = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "a"},
            "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels},
                "spec": {"terminationGracePeriodSeconds": -1, "containers": [{"name": "a", "image": "a"}]}}}});
        assert_eq!(client.send_and_heed("POST", sets, JSON, &set).await.2, 1);
        for (replicas, warnings) in [(2, 1), (2, 0)] {
            let body = json!({"spec": {"replicas": replicas}});
            let (status, _, heard) = client.send_and_heed("PATCH", &format!("{sets}/a/scale"), MERGE, &body).await;
            assert_eq!((status, heard), (200, warnings), "{replicas}");
        }
    });
}

#[test]
fn labels_that_are_empty_are_those_of_the_template() {
    with_client(async |client| {
        let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "labels": {}},
            "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "a"}]}}}});
        let (_, made) = client.send("POST", "/apis/batch/v1/namespaces/default/jobs?dryRun=All", JSON, &job).await;
        assert_eq!(made["metadata"]["labels"], made["spec"]["template"]["metadata"]["labels"]);
        assert_eq!(made["metadata"]["labels"]["job-name"], "j");
    });
}

#[test]
fn addresses_of_balancers_say_whose_they_are() {
    with_client(async |client| {
        let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
            "spec": {"type": "LoadBalancer", "ports": [{"port": 80}]}});
        client.send("POST", SERVICES, JSON, &service).await;
        let status = json!({"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}, {"hostname": "a.test"}]}}});
        let (_, told) = client.send("PATCH", &format!("{SERVICES}/s/status"), MERGE, &status).await;
        let ingress = &told["status"]["loadBalancer"]["ingress"];
        assert_eq!((ingress[0]["ipMode"].as_str(), ingress[1].get("ipMode")), (Some("VIP"), None));
    });
}
