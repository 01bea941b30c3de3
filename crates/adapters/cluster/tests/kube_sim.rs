//! The adapter against a simulated API server, in virtual time.
#![allow(clippy::unwrap_used)]

use serde_json::{Value as Json, json};
use std::future::Future;
use std::sync::{Arc, Mutex};
use windlass_clock::{Clock, virtual_runtime};
use windlass_cluster::{
    Address, Apply, Cluster, Clusters, Delete, FenceError, Holder, Identity, LeaseError, Lock, LogOptions, Query,
    Watched, adopt,
};
use windlass_kube_sim::faults::FaultPlan;
use windlass_kube_sim::{Config, KubeSim};
use windlass_manifest::{Gvk, ObjectRef};
use windlass_model::failure::FailureType;
use windlass_model::task::cluster::{ClusterAccess, ClusterAuth};
use windlass_model::{Millis, Timestamp};

struct World {
    sim: KubeSim,
    cluster: Cluster,
    clock: Clock,
}

impl World {
    fn faults(&self, plan: Json) {
        self.sim.cluster().faults().replace(FaultPlan::from_json(&plan).unwrap(), self.clock.now());
    }

    async fn at(&self, api_version: &str, kind: &str, name: &str) -> Address {
        self.cluster.address(&Gvk::from_api_version(api_version, kind), Some("default"), name).await.unwrap()
    }

    async fn applied(&self, object: &Json) -> Json {
        let text = |path: &str| object.pointer(path).and_then(Json::as_str).unwrap();
        let at = self.at(text("/apiVersion"), text("/kind"), text("/metadata/name")).await;
        self.cluster.apply(&at, object, &Apply::default()).await.unwrap()
    }
}

fn world<F: Future<Output = ()>>(test: impl FnOnce(World) -> F) {
    virtual_runtime().unwrap().block_on(async {
        let clock = Clock::simulated(Timestamp::from_secs(1_700_000_000));
        let config = Config::new(clock).admin_token("admin").user_token("limited", "limited");
        let sim = KubeSim::new(config).unwrap();
        let controllers = sim.clone();
        let running = tokio::spawn(async move { controllers.run_controllers().await });
        let clusters = Clusters::new(Identity::default(), clock).mount("https://sim", sim.router());
        let access = ClusterAccess::Manual {
            url: "https://sim/".into(),
            ca: None,
            auth: ClusterAuth::Token { token: "admin".into() },
        };
        let cluster = clusters.get("account.sim", &access).await.unwrap();
        test(World { sim, cluster, clock }).await;
        running.abort();
    });
}

fn config_map(name: &str, value: &str) -> Json {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}, "data": {"key": value}})
}

#[test]
fn kinds_are_found_as_people_name_them() {
    world(|w| async move {
        for name in ["Deployment", "deployments", "deploy", "DEPLOYMENT", "deployments.apps"] {
            let name = ObjectRef { namespace: None, kind: name.into(), name: "web".into() };
            assert_eq!(w.cluster.resolve(&name, "shop").await.unwrap().to_string(), "shop/Deployment/web");
        }
        let unknown = w.cluster.address(&Gvk::new("apps", "v1beta1", "Deployment"), Some("x"), "y").await.unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "account.sim does not serve apps/v1beta1/Deployment; it serves apps/v1/Deployment"
        );
        let namespace = w.at("v1", "Namespace", "shop").await;
        assert_eq!(namespace.namespace, None);
    });
}

#[test]
fn a_new_definition_is_found_without_being_told() {
    world(|w| async move {
        let widget = Gvk::new("shop.example", "v1", "Widget");
        assert!(w.cluster.address(&widget, Some("default"), "a").await.is_err());
        let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "widgets.shop.example"},
            "spec": {"group": "shop.example", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets", "singular": "widget"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
                    "x-kubernetes-preserve-unknown-fields": true}}}]}});
        w.applied(&definition).await;
        w.clock.sleep(Millis::from_secs(1)).await;
        let at = w.cluster.address(&widget, Some("default"), "a").await.unwrap();
        let object = json!({"apiVersion": "shop.example/v1", "kind": "Widget", "metadata": {"name": "a"}, "size": 3});
        assert_eq!(w.cluster.apply(&at, &object, &Apply::default()).await.unwrap()["size"], 3);
    });
}

#[test]
fn a_dry_run_changes_nothing_and_an_apply_twice_is_one() {
    world(|w| async move {
        let at = w.at("v1", "ConfigMap", "cfg").await;
        let dry = w.cluster.apply(&at, &config_map("cfg", "1"), &Apply::dry_run()).await.unwrap();
        assert_eq!(dry["data"]["key"], "1");
        assert_eq!(w.cluster.get(&at).await.unwrap(), None);
        let first = w.applied(&config_map("cfg", "1")).await;
        let again = w.applied(&config_map("cfg", "1")).await;
        assert_eq!(first["metadata"]["resourceVersion"], again["metadata"]["resourceVersion"]);
        let listed = w.cluster.list(&at, &Query::default()).await.unwrap();
        assert!(listed.items.iter().any(|item| item["kind"] == "ConfigMap" && item["metadata"]["name"] == "cfg"));
        let stale = Delete { uid: Some("another".into()), ..Delete::default() };
        assert!(w.cluster.delete(&at, &stale).await.unwrap_err().is_conflict());
        assert!(w.cluster.delete(&at, &Delete::default()).await.unwrap());
        assert!(!w.cluster.delete(&at, &Delete::default()).await.unwrap());
    });
}

#[test]
fn passing_troubles_are_waited_out() {
    world(|w| async move {
        let at = w.at("v1", "ConfigMap", "cfg").await;
        w.faults(json!({"api": [{"on": {"verbs": ["patch"]}, "status": 503, "next": 3}]}));
        w.applied(&config_map("cfg", "1")).await;
        w.faults(json!({"api": [{"on": {"verbs": ["get"]}, "status": 429, "retryAfter": "7s", "next": 1}]}));
        let before = w.clock.now();
        assert!(w.cluster.get(&at).await.unwrap().is_some());
        assert!(w.clock.now().since(before) >= Millis::from_secs(7));
        w.faults(json!({"api": [{"on": {"verbs": ["get"]}, "status": 503}]}));
        let error = w.cluster.get(&at).await.unwrap_err();
        assert_eq!(error.failure_type(), FailureType::Connectivity);
        assert!(error.to_string().starts_with("account.sim: cannot read default/ConfigMap/cfg: "), "{error}");
    });
}

#[test]
fn refusals_tell_place_and_reason() {
    world(|w| async move {
        let limited = Cluster::over_service("limited", w.sim.router(), Some("limited"), w.clock);
        let at = w.at("v1", "Secret", "s").await;
        let error = limited.get(&at).await.unwrap_err();
        assert_eq!(error.failure_type(), FailureType::Authorization);
        let stranger = Cluster::over_service("stranger", w.sim.router(), Some("wrong"), w.clock);
        assert_eq!(stranger.get(&at).await.unwrap_err().failure_type(), FailureType::Authentication);
        let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "other"}},
                "spec": {"containers": [{"name": "a", "image": "a:1"}]}}}});
        let at = w.at("apps/v1", "Deployment", "web").await;
        let error = w.cluster.apply(&at, &deployment, &Apply::dry_run()).await.unwrap_err();
        assert_eq!(error.failure_type(), FailureType::ConfigurationFailure);
        assert!(!error.refusal().unwrap().causes.is_empty());
    });
}

#[test]
fn a_changed_selector_is_an_immutable_field() {
    world(|w| async move {
        let deployment = |app: &str| {
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"selector": {"matchLabels": {"app": app}}, "template": {"metadata": {"labels": {"app": app}},
                "spec": {"containers": [{"name": "a", "image": "a:1"}]}}}})
        };
        let at = w.at("apps/v1", "Deployment", "web").await;
        w.applied(&deployment("a")).await;
        let error = w.cluster.apply(&at, &deployment("b"), &Apply::dry_run()).await.unwrap_err();
        assert_eq!(error.immutable_fields(), Some(vec!["spec.selector".to_owned()]), "{error:?}");
    });
}

#[test]
fn changes_wake_and_survive_lost_connections() {
    world(|w| async move {
        let of = w.at("v1", "ConfigMap", "").await;
        let mut changes = w.cluster.changes([Watched { of, query: Query::default() }]);
        changes.next().await; // connected
        w.applied(&config_map("a", "1")).await;
        w.clock.timeout(Millis::from_secs(1), changes.next()).await.expect("an event");
        let quiet = w.clock.timeout(Millis::from_secs(100), changes.next()).await;
        assert!(quiet.is_err(), "nothing happened");
        w.sim.cluster().forget_history();
        w.faults(json!({"watches": [{"dropAfter": "0s", "expired": true, "next": 1}]}));
        // The server ends the watch some time; the next one expires at once and is begun again.
        w.clock.timeout(Millis::from_secs(400), changes.next()).await.expect("connected again");
        while w.clock.timeout(Millis::from_secs(2), changes.next()).await.is_ok() {}
        w.applied(&config_map("b", "1")).await;
        w.clock.timeout(Millis::from_secs(2), changes.next()).await.expect("an event");
    });
}

#[test]
fn fields_of_client_side_apply_are_taken_over() {
    world(|w| async move {
        let at = w.at("v1", "ConfigMap", "cfg").await;
        let mut by_kubectl = config_map("cfg", "1");
        by_kubectl["data"]["gone"] = "soon".into();
        let kind = w.sim.cluster().kind_of("v1", "ConfigMap").unwrap();
        w.sim.cluster().create(&kind, by_kubectl, "kubectl-client-side-apply").unwrap();
        w.applied(&config_map("cfg", "1")).await;
        let live = w.cluster.get(&at).await.unwrap().unwrap();
        assert_eq!(live["data"]["gone"], "soon", "apply alone leaves what others own");
        let patch = adopt::patch(&live).unwrap();
        w.cluster.patch(&at, windlass_cluster::PatchKind::Json, &patch).await.unwrap();
        let live = w.applied(&config_map("cfg", "1")).await;
        assert_eq!(live["data"], json!({"key": "1"}));
        assert_eq!(adopt::patch(&live), None);
    });
}

fn holder(run: &str, attempt: u32) -> Holder {
    Holder { run: run.into(), task: "task_1".into(), attempt }
}

fn lock() -> Lock {
    Lock { namespace: "default".into(), name: "windlass.lock.shop".into() }
}

#[test]
fn one_writer_at_a_time_and_the_dead_are_replaced() {
    world(|w| async move {
        let first = w.cluster.lock(&lock(), &holder("run_a", 1), |_| {}).await.unwrap();
        let waited = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&waited);
        // The holder is silent, as a dead one is.
        let before = w.clock.now();
        let second =
            w.cluster.lock(&lock(), &holder("run_b", 1), |by| told.lock().unwrap().push(by.to_owned())).await.unwrap();
        assert!(w.clock.now().since(before) >= Millis::from_secs(60));
        assert_eq!(*waited.lock().unwrap(), ["run_a/task_1/1"]);
        assert_eq!(second.taken_from.as_deref(), Some("run_a/task_1/1"));
        // The dead one wakes up: it may not write, and learns who has it.
        assert!(matches!(first.fence().check(), Err(FenceError::NotRenewed(_))));
        let at = w.at("v1", "ConfigMap", "cfg").await;
        let fenced = w.cluster.fenced(first.fence());
        let error = fenced.apply(&at, &config_map("cfg", "1"), &Apply::default()).await.unwrap_err();
        assert_eq!(error.failure_type(), FailureType::DelegateRestart);
        assert!(fenced.get(&at).await.unwrap().is_none(), "reading stays allowed");
        second.release().await;
        let third = w.clock.timeout(Millis::from_secs(1), w.cluster.lock(&lock(), &holder("run_c", 1), |_| {})).await;
        third.unwrap().unwrap().release().await;
    });
}

#[test]
fn a_renewed_lock_is_kept_and_a_later_attempt_takes_it() {
    world(|w| async move {
        let held = w.cluster.lock(&lock(), &holder("run_a", 1), |_| {}).await.unwrap();
        assert!(w.clock.timeout(Millis::from_secs(300), held.keep()).await.is_err(), "kept for five minutes");
        assert_eq!(held.fence().check(), Ok(()));
        let next = w.cluster.lock(&lock(), &holder("run_a", 2), |_| {}).await.unwrap();
        assert_eq!(next.taken_from, None);
        let lost = w.clock.timeout(Millis::from_secs(11), held.keep()).await.expect("noticed at the next renewal");
        assert_eq!(lost, FenceError::TakenOver("run_a/task_1/2".into()));
        let late = w.cluster.lock(&lock(), &holder("run_a", 1), |_| {}).await.unwrap_err();
        assert!(matches!(late, LeaseError::HandedOn { .. }), "{late}");
    });
}

#[test]
fn a_lock_that_is_gone_is_not_made_anew() {
    world(|w| async move {
        let held = w.cluster.lock(&lock(), &holder("run_a", 1), |_| {}).await.unwrap();
        let at = w.at("coordination.k8s.io/v1", "Lease", &lock().name).await;
        w.cluster.delete(&at, &Delete::default()).await.unwrap();
        let lost = w.clock.timeout(Millis::from_secs(11), held.keep()).await.expect("noticed at the next renewal");
        assert_eq!(lost, FenceError::TakenOver("nobody".into()));
        assert_eq!(w.cluster.get(&at).await.unwrap(), None);
    });
}

#[test]
fn a_lock_is_given_back_although_a_renewal_was_under_way() {
    world(|w| async move {
        let held = w.cluster.lock(&lock(), &holder("run_a", 1), |_| {}).await.unwrap();
        let at = w.at("coordination.k8s.io/v1", "Lease", &lock().name).await;
        // Renewed by a request whose answer nobody heard.
        let mut renewed = w.cluster.get(&at).await.unwrap().unwrap();
        renewed["spec"]["leaseTransitions"] = json!(7);
        w.cluster.replace(&at, &renewed).await.unwrap();
        held.release().await;
        assert_eq!(w.cluster.get(&at).await.unwrap(), None);
    });
}

#[test]
fn who_slept_too_long_does_not_renew_the_lock() {
    world(|w| async move {
        let held = w.cluster.lock(&lock(), &holder("run_a", 1), |_| {}).await.unwrap();
        w.clock.sleep(Millis::from_secs(45)).await;
        // Nobody has taken it yet; another attempt may at any moment.
        let lost = w.clock.timeout(Millis::from_secs(11), held.keep()).await.expect("noticed at the next renewal");
        assert!(matches!(lost, FenceError::NotRenewed(_)), "{lost}");
    });
}

#[test]
fn a_server_that_is_away_closes_the_fence() {
    world(|w| async move {
        let held = w.cluster.lock(&lock(), &holder("run_a", 1), |_| {}).await.unwrap();
        w.faults(json!({"api": [{"on": {"resources": ["leases"]}, "status": 503}]}));
        let lost = w.clock.timeout(Millis::from_secs(60), held.keep()).await.expect("patience ends");
        assert!(matches!(lost, FenceError::NotRenewed(_)), "{lost}");
    });
}

#[test]
fn scale_logs_events_and_rights() {
    world(|w| async move {
        w.applied(&json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {"labels": {"app": "a"}},
                "spec": {"containers": [{"name": "a", "image": "a:1"}]}}}})).await;
        let at = w.at("apps/v1", "Deployment", "web").await;
        w.clock.sleep(Millis::from_secs(10)).await;
        assert_eq!(w.cluster.scale(&at).await.unwrap(), Some(2));
        w.cluster.set_scale(&at, 3).await.unwrap();
        assert_eq!(w.cluster.scale(&at).await.unwrap(), Some(3));
        w.clock.sleep(Millis::from_secs(10)).await;
        let pods = w.cluster.list(&w.at("v1", "Pod", "").await, &Query::labels("app=a")).await.unwrap().items;
        assert_eq!(pods.len(), 3);
        let name = pods[0]["metadata"]["name"].as_str().unwrap();
        let options = LogOptions { container: "a".into(), tail: 50, ..LogOptions::default() };
        assert_eq!(w.cluster.logs("default", name, &options).await.unwrap(), Vec::<String>::new());
        let events = w.cluster.events("default", "involvedObject.name=web").await.unwrap();
        assert!(events.iter().any(|event| event["reason"] == "ScalingReplicaSet"), "{events:#?}");
        let report = w.cluster.check("default").await.unwrap();
        assert!(report.is_admin && report.missing.is_empty() && report.user == "admin", "{report:?}");
        let limited = Cluster::over_service("limited", w.sim.router(), Some("limited"), w.clock);
        let missing: Vec<String> =
            limited.check("default").await.unwrap().missing.iter().map(ToString::to_string).collect();
        assert!(missing.contains(&"patch deployments.apps".to_owned()), "{missing:?}");
    });
}
