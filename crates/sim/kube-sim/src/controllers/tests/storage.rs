use super::world::{event, template, world};
use crate::kind::{PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS};
use crate::object::Object;
use serde_json::{Value, json};

fn claim(class: Option<&str>, size: &str) -> Value {
    let mut claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}},
    });
    if let Some(class) = class {
        claim.set("/spec/storageClassName", class);
    }
    claim
}

fn user() -> Value {
    let mut pod = template("shop/web:1");
    for (pointer, value) in [("/apiVersion", "v1"), ("/kind", "Pod"), ("/metadata/name", "p")] {
        pod.set(pointer, value);
    }
    pod.set("/spec/volumes", json!([{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]));
    pod
}

#[test]
fn a_claim_waits_for_a_volume_that_fits_and_its_pod_for_the_claim() {
    world([], async |world| {
        world.create(claim(Some(""), "5Gi"));
        world.create(user());
        world.after(2).await;
        let phase = || world.get(&PERSISTENT_VOLUME_CLAIMS, "data").text("/status/phase").to_owned();
        assert_eq!((phase().as_str(), world.get(&PODS, "p").text("/spec/nodeName")), ("Pending", ""));
        let volume = |name: &str, size: &str| {
            world.sim.add(json!({
                "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
                "spec": {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}, "persistentVolumeReclaimPolicy": "Retain"},
            })).unwrap();
        };
        volume("small", "1Gi");
        world.after(2).await;
        assert_eq!(phase(), "Pending");
        volume("large", "10Gi");
        world.after(2).await;
        assert_eq!(
            (phase().as_str(), world.get(&PERSISTENT_VOLUME_CLAIMS, "data").text("/spec/volumeName")),
            ("Bound", "large")
        );
        assert_eq!(world.get(&PODS, "p").text("/status/phase"), "Running");
        // A claim in use stays until its pod has gone.
        world.delete(&PERSISTENT_VOLUME_CLAIMS, "data");
        world.after(2).await;
        assert!(world.get(&PERSISTENT_VOLUME_CLAIMS, "data").is_deleting());
        world.delete(&PODS, "p");
        world.after(2).await;
        assert!(world.get(&PERSISTENT_VOLUME_CLAIMS, "data").is_null());
        let volumes = world.cluster().list(&PERSISTENT_VOLUMES, None);
        let lines: Vec<String> = volumes.iter().map(|v| format!("{} {}", v.name(), v.text("/status/phase"))).collect();
        assert_eq!(lines, ["large Released", "small Available"]);
    });
}

#[test]
fn a_class_makes_volumes_and_takes_them_back() {
    world([], async |world| {
        world.sim.add(json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "kube-sim", "metadata": {"name": "fast"},
            "reclaimPolicy": "Delete", "volumeBindingMode": "WaitForFirstConsumer",
        })).unwrap();
        world.create(claim(Some("fast"), "5Gi"));
        world.after(2).await;
        assert_eq!(world.get(&PERSISTENT_VOLUME_CLAIMS, "data").text("/status/phase"), "Pending");
        world.create(user());
        world.after(2).await;
        assert_eq!(world.get(&PERSISTENT_VOLUME_CLAIMS, "data").text("/status/phase"), "Bound");
        assert_eq!(world.get(&PODS, "p").text("/status/phase"), "Running");
        let text = world.timeline(|change| event(change, "PersistentVolumeClaim"));
        assert!(text.contains("data Normal WaitForFirstConsumer: waiting for first consumer"), "{text}");
        world.delete(&PODS, "p");
        world.delete(&PERSISTENT_VOLUME_CLAIMS, "data");
        world.after(5).await;
        assert_eq!(world.cluster().list(&PERSISTENT_VOLUMES, None).len(), 0);
    });
}

#[test]
fn a_class_that_is_not_there_is_named() {
    world([], async |world| {
        world.create(claim(Some("nowhere"), "1Gi"));
        world.create(user());
        world.after(2).await;
        let text = world.timeline(|change| event(change, "PersistentVolumeClaim").or_else(|| event(change, "Pod")));
        insta::assert_snapshot!(text, @r#"
        00:00.0 data Warning ProvisioningFailed: storageclass.storage.k8s.io "nowhere" not found
        00:00.0 p Warning FailedScheduling: 0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.
        "#);
    });
}
