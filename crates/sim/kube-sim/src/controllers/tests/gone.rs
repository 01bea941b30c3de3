use super::world::{behaviour, secs, web, world};
use crate::kind::{CONFIG_MAPS, DEPLOYMENTS, NAMESPACES, PODS, REPLICA_SETS, SERVICE_ACCOUNTS};
use crate::object::Object;
use crate::ops::delete::{DeleteOptions, Propagation};
use serde_json::{Value, json};

fn map(name: &str, owners: &[(&str, &Value, bool)]) -> Value {
    let owners: Vec<Value> = owners
        .iter()
        .map(|(name, owner, blocks)| json!({"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": owner.uid(), "blockOwnerDeletion": blocks}))
        .collect();
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "ownerReferences": owners}})
}

fn with(propagation: Propagation) -> DeleteOptions {
    DeleteOptions { propagation: Some(propagation), ..DeleteOptions::default() }
}

#[test]
fn dependents_go_with_a_deployment_in_the_background() {
    let slow = behaviour(|b| b.stop_takes = secs(2));
    world([("shop/web:1", slow)], async |world| {
        world.create(web(3, "shop/web:1"));
        world.after(5).await;
        world.delete(&DEPLOYMENTS, "web");
        world.after(1).await;
        assert_eq!((world.list(&REPLICA_SETS).len(), world.list(&PODS).len()), (0, 3));
        assert!(world.list(&PODS).iter().all(|pod| pod.is_deleting()));
        world.after(5).await;
        assert_eq!(world.list(&PODS).len(), 0);
    });
}

#[test]
fn in_the_foreground_the_owner_goes_last() {
    let slow = behaviour(|b| b.stop_takes = secs(2));
    world([("shop/web:1", slow)], async |world| {
        world.create(web(3, "shop/web:1"));
        world.after(5).await;
        world.cluster().delete(&DEPLOYMENTS, "shop", "web", &with(Propagation::Foreground)).unwrap();
        world.after(1).await;
        let left = || (world.list(&DEPLOYMENTS).len(), world.list(&REPLICA_SETS).len(), world.list(&PODS).len());
        assert_eq!(left(), (1, 1, 3), "all wait for the pods to end");
        world.after(5).await;
        assert_eq!(left(), (0, 0, 0));
    });
}

#[test]
fn orphans_stay_and_are_free() {
    world([], async |world| {
        world.create(web(2, "shop/web:1"));
        world.after(5).await;
        world.cluster().delete(&DEPLOYMENTS, "shop", "web", &with(Propagation::Orphan)).unwrap();
        world.after(5).await;
        assert_eq!((world.list(&DEPLOYMENTS).len(), world.list(&PODS).len()), (0, 2));
        assert!(world.list(&REPLICA_SETS)[0].owner_references().is_empty());
        // A Deployment with the same selector adopts them again.
        world.create(web(2, "shop/web:1"));
        world.after(5).await;
        assert_eq!(world.list(&REPLICA_SETS).len(), 1);
        assert_eq!(world.list(&REPLICA_SETS)[0].controller().map(|owner| owner.text("/name")), Some("web"));
    });
}

#[test]
fn an_object_lives_as_long_as_one_of_its_owners() {
    world([], async |world| {
        let (a, b) = (world.create(map("a", &[])), world.create(map("b", &[])));
        world.create(map("child", &[("a", &a, false), ("b", &b, false)]));
        let ghost = json!({"metadata": {"uid": "00000000-0000-4000-8000-000000000000"}});
        world.create(map("orphan", &[("ghost", &ghost, false)]));
        world.after(1).await;
        assert!(world.get(&CONFIG_MAPS, "orphan").is_null(), "its owner was never there");
        world.delete(&CONFIG_MAPS, "a");
        world.after(1).await;
        let child = world.get(&CONFIG_MAPS, "child");
        assert_eq!(child.owner_references().iter().map(|owner| owner.text("/name")).collect::<Vec<_>>(), ["b"]);
        world.delete(&CONFIG_MAPS, "b");
        world.after(1).await;
        assert!(world.get(&CONFIG_MAPS, "child").is_null());
    });
}

#[test]
fn a_namespace_goes_with_everything_in_it() {
    let slow = behaviour(|b| b.stop_takes = secs(20));
    world([("shop/web:1", slow)], async |world| {
        assert!(!world.get(&SERVICE_ACCOUNTS, "default").is_null());
        assert!(!world.get(&CONFIG_MAPS, "kube-root-ca.crt").is_null());
        world.create(web(2, "shop/web:1"));
        let mut held = map("held", &[]);
        held.set("/metadata/finalizers", json!(["example.org/keep"]));
        world.create(held);
        world.after(5).await;
        world.cluster().delete(&NAMESPACES, "", "shop", &Default::default()).unwrap();
        world.after(5).await;
        let namespace = world.cluster().get(&NAMESPACES, "", "shop").unwrap();
        let text = |kind: &str| {
            let status = namespace.get("status").unwrap();
            super::super::condition::find(status, kind).map(|c| c.text("/message").to_owned()).unwrap_or_default()
        };
        assert_eq!(
            text("NamespaceContentRemaining"),
            "Some resources are remaining: configmaps has 1 resource instances, pods has 2 resource instances"
        );
        assert_eq!(
            text("NamespaceFinalizersRemaining"),
            "Some content in the namespace has finalizers remaining: example.org/keep in 1 resource instances"
        );
        world.after(30).await;
        assert!(world.cluster().get(&NAMESPACES, "", "shop").is_some(), "something is held");
        world.change(&CONFIG_MAPS, "held", |map| map.set("/metadata/finalizers", json!([])));
        world.after(1).await;
        assert!(world.cluster().get(&NAMESPACES, "", "shop").is_none());
        assert!(world.list(&PODS).is_empty() && world.list(&DEPLOYMENTS).is_empty());
    });
}
