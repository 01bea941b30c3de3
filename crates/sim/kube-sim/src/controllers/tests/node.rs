use super::world::{pod, template, web, world};
use crate::kind::{NODES, PODS};
use crate::object::Object;
use crate::store::Change;
use serde_json::json;

#[test]
fn a_lost_node_loses_its_pods_in_time_and_gets_them_back() {
    world([], async |world| {
        world.create(web(2, "shop/web:1"));
        world.after(5).await;
        world.timeline(pod);
        world.faults(json!({"nodes": [{"node": "node-1", "after": "10s", "until": "6m"}]}));
        world.after(420).await;
        let show = |change: &Change| match () {
            () if change.key.kind == PODS => {
                let line = pod(change)?;
                Some(format!("{line} on {}", change.object.text("/spec/nodeName")))
            }
            () if change.key.kind == NODES => {
                let ready = super::super::condition::find(change.object.get("status")?, "Ready")?;
                let taints = change.object.list("/spec/taints").iter().map(|taint| taint.text("/effect"));
                Some(format!(
                    "{} ready {} [{}]",
                    change.key.name,
                    ready.text("/status"),
                    taints.collect::<Vec<_>>().join(" ")
                ))
            }
            () => None,
        };
        insta::assert_snapshot!(world.timeline(show), @r"
        00:55.0 node-1 ready Unknown []
        00:55.0 node-1 ready Unknown [NoSchedule NoExecute]
        00:55.0 web-1-1 1/1 Running 0 on node-1
        05:55.0 web-1-1 1/1 Terminating 0 on node-1
        05:55.0 web-1-3 0/1 Pending 0 on 
        05:55.0 web-1-3 0/1 Pending 0 on node-2
        05:55.0 web-1-3 1/1 Running 0 on node-2
        06:05.0 node-1 ready True [NoSchedule NoExecute]
        06:05.0 node-1 ready True []
        06:05.0 web-1-1 gone on node-1
        ");
        let nodes: Vec<String> = world.list(&PODS).iter().map(|pod| pod.text("/spec/nodeName").to_owned()).collect();
        assert_eq!(nodes, ["node-2", "node-2"]);
    });
}

#[test]
fn pods_avoid_nodes_that_are_cordoned() {
    world([], async |world| {
        world.cluster().modify(&NODES, "", "node-1", "", "test", |node| node.set("/spec/unschedulable", true)).unwrap();
        world.create(web(3, "shop/web:1"));
        world.after(5).await;
        assert!(world.list(&PODS).iter().all(|pod| pod.text("/spec/nodeName") == "node-2"));
        let node = world.cluster().get(&NODES, "", "node-2").unwrap();
        assert_eq!(node.text("/status/allocatable/cpu"), "32");
        assert_eq!(node.text("/status/addresses/0/type"), "InternalIP");
    });
}

#[test]
fn a_pod_of_a_node_that_is_not_there_is_taken_away() {
    world([], async |world| {
        let mut pod = template("shop/web:1");
        for (pointer, value) in
            [("/apiVersion", "v1"), ("/kind", "Pod"), ("/metadata/name", "p"), ("/spec/nodeName", "none-such")]
        {
            pod.set(pointer, value);
        }
        world.create(pod);
        world.after(39).await;
        assert_eq!(world.get(&PODS, "p").text("/status/phase"), "Pending", "nobody runs it");
        world.after(2).await;
        assert!(world.get(&PODS, "p").is_null());
    });
}
