//! What a wait asks the cluster, and for how long.

use crate::support::manifests::{deployment, shop};
use crate::support::{World, world};
use serde_json::{Value as Json, json};
use windlass_kube_sim::KubeSim;
use windlass_kube_sim::kind::PODS;
use windlass_model::Millis;

#[test]
fn events_are_read_only_where_they_count() {
    world(async |w: World| {
        w.faults(json!({"pods": [{"on": {"image": "acme/shop:*"}, "slowStart": "40s"}]}));
        w.good("K8sRollingDeploy", json!({}), &shop("1", 3, "a")).await;
        assert!(w.gate.reads("/pods") > 5, "it was looked at many times");
        assert_eq!(w.gate.reads("/events"), 0);
    });
}

#[test]
fn a_pod_without_a_node_is_waited_for_while_the_cluster_grows() {
    world(async |w: World| {
        let large = "image: acme/shop:1\n        resources: {requests: {cpu: '64'}}";
        let manifests = deployment("web", "1", 1).replace("image: acme/shop:1", large).replace("envFrom", "# envFrom");
        let (sim, clock) = (w.sim.clone(), w.clock);
        let growing = tokio::spawn(async move {
            clock.sleep(Millis::from_secs(10)).await;
            say(&sim, "TriggeredScaleUp");
            clock.sleep(Millis::from_secs(290)).await;
            sim.add(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-9"},
                "status": {"capacity": {"cpu": "128", "memory": "128Gi", "pods": "100"}}}))
                .unwrap();
        });
        let began = w.clock.now();
        w.good("K8sRollingDeploy", json!({}), &manifests).await;
        assert!(w.clock.now().since(began) >= Millis::from_secs(300));
        assert!(w.recorder.text().contains("the cluster is growing"), "{}", w.recorder.text());
        growing.await.unwrap();
    });
}

/// An event of the only pod, as an autoscaler of nodes writes it.
fn say(sim: &KubeSim, reason: &str) {
    let pods: Vec<_> = sim.cluster().list(&PODS, Some("shop"));
    let name: &Json = &pods[0]["metadata"]["name"];
    sim.add(json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "grows", "namespace": "shop"},
        "type": "Normal", "reason": reason, "message": "a node is on its way",
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": name}}))
        .unwrap();
}
