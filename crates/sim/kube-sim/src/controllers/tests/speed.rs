use super::world::{web, world};
use crate::kind::{DEPLOYMENTS, PODS};
use crate::object::Object;

#[test]
fn a_thousand_pods_roll_and_an_idle_cluster_does_nothing() {
    world([], async |world| {
        world.create(web(1_000, "shop/web:1"));
        world.after(60).await;
        let ready = || world.get(&DEPLOYMENTS, "web").int("/status/readyReplicas").unwrap_or(0);
        assert_eq!(ready(), 1_000);
        world.change(&DEPLOYMENTS, "web", |web| {
            if let Some(container) = web.pointer_mut("/spec/template/spec/containers/0") {
                container.set("/image", "shop/web:2");
            }
        });
        world.after(120).await;
        assert_eq!(ready(), 1_000);
        assert!(world.list(&PODS).iter().all(|pod| pod.text("/spec/containers/0/image") == "shop/web:2"));
        // Once the events are forgotten nobody writes any more, however long it takes.
        world.after(4_000).await;
        let revision = world.cluster().revision();
        world.after(1_000_000).await;
        assert_eq!(world.cluster().revision(), revision);
    });
}
