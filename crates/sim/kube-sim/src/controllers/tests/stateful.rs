use super::world::{behaviour, event, pod, secs, template, world};
use crate::kind::{CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS};
use crate::object::Object;
use crate::store::Change;
use crate::workload::Behaviour;
use serde_json::{Value, json};

fn slow() -> Behaviour {
    behaviour(|b| {
        b.ready_after = Some(secs(2));
        b.stop_takes = secs(1);
    })
}

fn db(replicas: i64) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"},
        "spec": {"replicas": replicas, "serviceName": "db", "selector": {"matchLabels": {"app": "web"}}, "template": template("shop/db:1")},
    })
}

fn set_image(object: &mut Value, image: &str) {
    if let Some(container) = object.pointer_mut("/spec/template/spec/containers/0") {
        container.set("/image", image);
    }
}

fn show(change: &Change) -> Option<String> {
    pod(change).or_else(|| event(change, "StatefulSet"))
}

#[test]
fn pods_come_change_and_go_in_order() {
    world([("shop/db:1", slow()), ("shop/db:2", slow())], async |world| {
        world.create(db(3));
        world.after(20).await;
        insta::assert_snapshot!(world.timeline(show), @r"
        00:00.0 db-0 0/1 Pending 0
        00:00.0 db Normal SuccessfulCreate: create Pod db-0 in StatefulSet db successful
        00:00.0 db-0 0/1 Running 0
        00:02.0 db-0 1/1 Running 0
        00:02.0 db-1 0/1 Pending 0
        00:02.0 db Normal SuccessfulCreate: create Pod db-1 in StatefulSet db successful
        00:02.0 db-1 0/1 Running 0
        00:04.0 db-1 1/1 Running 0
        00:04.0 db-2 0/1 Pending 0
        00:04.0 db Normal SuccessfulCreate: create Pod db-2 in StatefulSet db successful
        00:04.0 db-2 0/1 Running 0
        00:06.0 db-2 1/1 Running 0
        ");
        world.change(&STATEFUL_SETS, "db", |db| set_image(db, "shop/db:2"));
        world.after(30).await;
        insta::assert_snapshot!(world.timeline(pod), @r"
        00:20.0 db-2 1/1 Terminating 0
        00:21.0 db-2 gone
        00:21.0 db-2 0/1 Pending 0
        00:21.0 db-2 0/1 Running 0
        00:23.0 db-2 1/1 Running 0
        00:23.0 db-1 1/1 Terminating 0
        00:24.0 db-1 gone
        00:24.0 db-1 0/1 Pending 0
        00:24.0 db-1 0/1 Running 0
        00:26.0 db-1 1/1 Running 0
        00:26.0 db-0 1/1 Terminating 0
        00:27.0 db-0 gone
        00:27.0 db-0 0/1 Pending 0
        00:27.0 db-0 0/1 Running 0
        00:29.0 db-0 1/1 Running 0
        ");
        let status = world.get(&STATEFUL_SETS, "db").get("status").cloned().unwrap();
        assert_eq!(status.text("/currentRevision"), status.text("/updateRevision"));
        assert_eq!(
            (status.int("/readyReplicas"), status.int("/currentReplicas"), status.int("/updatedReplicas")),
            (Some(3), Some(3), Some(3))
        );
        assert_eq!(world.list(&CONTROLLER_REVISIONS).len(), 2);
        world.change(&STATEFUL_SETS, "db", |db| db.set("/spec/replicas", 1));
        world.after(10).await;
        insta::assert_snapshot!(world.timeline(pod), @r"
        00:50.0 db-2 1/1 Terminating 0
        00:51.0 db-2 gone
        00:51.0 db-1 1/1 Terminating 0
        00:52.0 db-1 gone
        ");
    });
}

#[test]
fn a_partition_keeps_the_first_pods_as_they_are() {
    world([], async |world| {
        let mut object = db(3);
        object.set("/spec/updateStrategy", json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}));
        world.create(object);
        world.after(5).await;
        world.change(&STATEFUL_SETS, "db", |db| set_image(db, "shop/db:2"));
        world.after(5).await;
        let images =
            || world.list(&PODS).iter().map(|pod| pod.text("/spec/containers/0/image").to_owned()).collect::<Vec<_>>();
        assert_eq!(images(), ["shop/db:1", "shop/db:1", "shop/db:2"]);
        // A pod below the partition that is lost comes back as it was.
        world.delete(&PODS, "db-0");
        world.after(5).await;
        assert_eq!(images(), ["shop/db:1", "shop/db:1", "shop/db:2"]);
        let status = world.get(&STATEFUL_SETS, "db").get("status").cloned().unwrap();
        assert_eq!((status.int("/currentReplicas"), status.int("/updatedReplicas")), (Some(2), Some(1)));
    });
}

#[test]
fn on_delete_waits_for_somebody_to_delete() {
    world([], async |world| {
        let mut object = db(2);
        object.set("/spec/updateStrategy", json!({"type": "OnDelete"}));
        world.create(object);
        world.after(5).await;
        world.change(&STATEFUL_SETS, "db", |db| set_image(db, "shop/db:2"));
        world.after(5).await;
        let images =
            || world.list(&PODS).iter().map(|pod| pod.text("/spec/containers/0/image").to_owned()).collect::<Vec<_>>();
        assert_eq!(images(), ["shop/db:1", "shop/db:1"]);
        world.delete(&PODS, "db-1");
        world.after(5).await;
        assert_eq!(images(), ["shop/db:1", "shop/db:2"]);
    });
}

#[test]
fn parallel_sets_do_not_wait_and_a_broken_first_pod_stops_an_ordered_one() {
    let never = behaviour(|b| b.ready_after = None);
    for (policy, want) in [("Parallel", 3), ("OrderedReady", 1)] {
        world([("shop/db:1", never.clone())], async |world| {
            let mut object = db(3);
            object.set("/spec/podManagementPolicy", policy);
            world.create(object);
            world.after(20).await;
            assert_eq!(world.list(&PODS).len(), want, "{policy}");
        });
    }
}

#[test]
fn every_pod_has_its_own_claim_which_stays() {
    world([], async |world| {
        world.sim.add(json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "kube-sim",
            "metadata": {"name": "standard", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
        })).unwrap();
        let mut object = db(2);
        object.set(
            "/spec/volumeClaimTemplates",
            json!([{
                "metadata": {"name": "data"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
            }]),
        );
        world.create(object);
        world.after(5).await;
        let claims = || {
            let line = |claim: &std::sync::Arc<Value>| format!("{} {}", claim.name(), claim.text("/status/phase"));
            world.list(&PERSISTENT_VOLUME_CLAIMS).iter().map(line).collect::<Vec<_>>()
        };
        assert_eq!(claims(), ["data-db-0 Bound", "data-db-1 Bound"]);
        let volumes = world.get(&PODS, "db-1").at("/spec/volumes").cloned().unwrap();
        assert_eq!(volumes, json!([{"name": "data", "persistentVolumeClaim": {"claimName": "data-db-1"}}]));
        world.delete(&STATEFUL_SETS, "db");
        world.after(60).await;
        assert_eq!((world.list(&PODS).len(), claims().len()), (0, 2));
    });
}

#[test]
fn a_daemon_set_has_one_pod_on_each_node_and_rolls_one_by_one() {
    world([("shop/db:1", slow()), ("shop/db:2", slow())], async |world| {
        let object = json!({
            "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template("shop/db:1")},
        });
        world.create(object);
        world.after(10).await;
        let nodes = || {
            let mut all: Vec<String> = world
                .list(&PODS)
                .iter()
                .map(|pod| format!("{} {}", pod.text("/spec/nodeName"), pod.text("/spec/containers/0/image")))
                .collect();
            all.sort();
            all
        };
        assert_eq!(nodes(), ["node-1 shop/db:1", "node-2 shop/db:1"]);
        world.timeline(pod);
        world.change(&DAEMON_SETS, "agent", |agent| set_image(agent, "shop/db:2"));
        world.after(30).await;
        let numbers = |change: &Change| {
            let status = |field: &str| change.object.int(&format!("/status/{field}")).unwrap_or(0);
            (change.key.kind == DAEMON_SETS).then(|| {
                format!(
                    "{} updated, {} available of {}",
                    status("updatedNumberScheduled"),
                    status("numberAvailable"),
                    status("desiredNumberScheduled")
                )
            })
        };
        insta::assert_snapshot!(world.timeline(numbers), @r"
        00:10.0 2 updated, 2 available of 2
        00:10.0 0 updated, 1 available of 2
        00:11.0 1 updated, 1 available of 2
        00:14.0 2 updated, 1 available of 2
        00:16.0 2 updated, 2 available of 2
        ");
        assert_eq!(nodes(), ["node-1 shop/db:2", "node-2 shop/db:2"]);
        world
            .cluster()
            .modify(&NODES, "", "node-2", "", "test", |node| {
                node.set("/spec/taints", json!([{"key": "dedicated", "effect": "NoExecute"}]));
            })
            .unwrap();
        world.after(10).await;
        assert_eq!(nodes(), ["node-1 shop/db:2"]);
    });
}
