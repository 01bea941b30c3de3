use super::world::{behaviour, secs, web, world};
use crate::kind::{DEPLOYMENTS, ENDPOINT_SLICES, ENDPOINTS, PODS, SERVICES};
use crate::object::Object;
use crate::store::{Action, Change};
use serde_json::{Value, json};

fn service(port: Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "labels": {"team": "shop"}},
        "spec": {"selector": {"app": "web"}, "ports": [{"name": "http", "port": 80, "targetPort": port}]},
    })
}

#[test]
fn endpoints_follow_the_readiness_of_pods() {
    let slow = behaviour(|b| {
        b.ready_after = Some(secs(3));
        b.stop_takes = secs(2);
    });
    world([("shop/web:1", slow)], async |world| {
        world.create(service(json!("http")));
        world.create(web(2, "shop/web:1"));
        world.after(10).await;
        world.change(&DEPLOYMENTS, "web", |web| web.set("/spec/replicas", 1));
        world.after(10).await;
        let show = |change: &Change| {
            if change.key.kind != ENDPOINT_SLICES {
                return None;
            }
            let states = change.object.list("/endpoints").iter().map(|endpoint| {
                let is = |name: &str| endpoint.at(&format!("/conditions/{name}")) == Some(&Value::Bool(true));
                match (is("ready"), is("terminating")) {
                    (true, _) => "ready",
                    (false, true) => "leaving",
                    (false, false) => "waiting",
                }
            });
            Some(format!("[{}]", states.collect::<Vec<_>>().join(" ")))
        };
        insta::assert_snapshot!(world.timeline(show), @r"
        00:00.0 []
        00:00.0 [waiting]
        00:00.0 [waiting waiting]
        00:03.0 [ready ready]
        00:10.0 [leaving ready]
        00:12.0 [ready]
        ");
    });
}

#[test]
fn slices_and_endpoints_look_like_the_real_ones() {
    world([], async |world| {
        world.create(service(json!("http")));
        world.create(web(1, "shop/web:1"));
        world.after(5).await;
        let slice = world.list(&ENDPOINT_SLICES)[0].clone();
        insta::assert_snapshot!(
            world.show(Some(&json!({"labels": slice.at("/metadata/labels"), "endpoints": slice.get("endpoints"), "ports": slice.get("ports")}))), @r#"
        {
          "endpoints": [
            {
              "addresses": [
                "10.244.0.1"
              ],
              "conditions": {
                "ready": true,
                "serving": true,
                "terminating": false
              },
              "nodeName": "node-1",
              "targetRef": {
                "kind": "Pod",
                "name": "web-2-1",
                "namespace": "shop",
                "uid": "<uid>"
              }
            }
          ],
          "labels": {
            "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
            "kubernetes.io/service-name": "web",
            "team": "shop"
          },
          "ports": [
            {
              "name": "http",
              "port": 8080,
              "protocol": "TCP"
            }
          ]
        }
        "#);
        insta::assert_snapshot!(world.show(world.get(&ENDPOINTS, "web").get("subsets")), @r#"
        [
          {
            "addresses": [
              {
                "ip": "10.244.0.1",
                "nodeName": "node-1",
                "targetRef": {
                  "kind": "Pod",
                  "name": "web-2-1",
                  "namespace": "shop",
                  "uid": "<uid>"
                }
              }
            ],
            "ports": [
              {
                "name": "http",
                "port": 8080,
                "protocol": "TCP"
              }
            ]
          }
        ]
        "#);
        assert_eq!(slice.controller().map(|owner| owner.text("/kind")), Some("Service"));
        world.delete(&SERVICES, "web");
        world.after(1).await;
        assert_eq!((world.list(&ENDPOINT_SLICES).len(), world.list(&ENDPOINTS).len()), (0, 0));
    });
}

#[test]
fn changing_the_selector_moves_the_service_at_once() {
    world([], async |world| {
        world.create(service(json!(8080)));
        world.create(web(1, "shop/web:1"));
        let mut green = web(1, "shop/web:2");
        green.set("/metadata/name", "green");
        green.set("/spec/selector/matchLabels/app", "green");
        green.set("/spec/template/metadata/labels/app", "green");
        world.create(green);
        world.after(5).await;
        let target = || world.list(&ENDPOINT_SLICES)[0].text("/endpoints/0/targetRef/name").to_owned();
        assert!(target().starts_with("web-"));
        world.timeline(|_| None);
        world.change(&SERVICES, "web", |service| service.set("/spec/selector/app", "green"));
        world.after(1).await;
        assert!(target().starts_with("green-"));
        let writes = |change: &Change| {
            (change.key.kind == ENDPOINT_SLICES && change.action != Action::Modified).then(|| "new".to_owned())
        };
        assert_eq!(world.timeline(writes), "", "the slice is written over");
        assert_eq!(world.list(&PODS).len(), 2);
    });
}
