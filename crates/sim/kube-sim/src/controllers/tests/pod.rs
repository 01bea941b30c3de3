use super::world::{behaviour, event, pod, pod_line, secs, template, web, world};
use crate::faults::FlapFault;
use crate::kind::{PODS, REPLICA_SETS};
use crate::object::Object;
use crate::store::Change;
use serde_json::{Value, json};
use windlass_model::Millis;

fn alone(image: &str) -> Value {
    let mut pod = template(image);
    pod.set("/apiVersion", "v1");
    pod.set("/kind", "Pod");
    pod.set("/metadata/name", "p");
    pod
}

fn with_events(change: &Change) -> Option<String> {
    pod(change).or_else(|| event(change, "Pod"))
}

#[test]
fn the_life_of_a_pod_with_its_events() {
    let slow = behaviour(|b| {
        b.pull_takes = Millis(800);
        b.start_after = secs(1);
        b.ready_after = Some(secs(2));
        b.stop_takes = secs(3);
    });
    world([("shop/web:1", slow)], async |world| {
        world.create(alone("shop/web:1"));
        world.after(10).await;
        world.delete(&PODS, "p");
        world.after(10).await;
        insta::assert_snapshot!(world.timeline(with_events), @r#"
        00:00.0 p 0/1 Pending 0
        00:00.0 p Normal Scheduled: Successfully assigned shop/p to node-1
        00:00.0 p 0/1 ContainerCreating 0
        00:00.0 p Normal Pulling: Pulling image "shop/web:1"
        00:00.8 p Normal Pulled: Successfully pulled image "shop/web:1" in 800ms (800ms including waiting)
        00:01.8 p 0/1 Running 0
        00:01.8 p Normal Created: Created container: c
        00:01.8 p Normal Started: Started container c
        00:01.8 p Warning Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503
        00:03.8 p 1/1 Running 0
        00:10.0 p 1/1 Terminating 0
        00:10.0 p Normal Killing: Stopping container c
        00:13.0 p gone
        "#);
    });
}

#[test]
fn the_status_of_a_running_pod() {
    world([], async |world| {
        world.create(alone("reg.example/shop/web:1"));
        world.after(5).await;
        insta::assert_snapshot!(world.show(world.get(&PODS, "p").get("status")), @r#"
        {
          "conditions": [
            {
              "lastProbeTime": null,
              "lastTransitionTime": "2026-03-02T10:00:01Z",
              "observedGeneration": 1,
              "status": "True",
              "type": "PodReadyToStartContainers"
            },
            {
              "lastProbeTime": null,
              "lastTransitionTime": "2026-03-02T10:00:01Z",
              "observedGeneration": 1,
              "status": "True",
              "type": "Initialized"
            },
            {
              "lastProbeTime": null,
              "lastTransitionTime": "2026-03-02T10:00:01Z",
              "observedGeneration": 1,
              "status": "True",
              "type": "Ready"
            },
            {
              "lastProbeTime": null,
              "lastTransitionTime": "2026-03-02T10:00:01Z",
              "observedGeneration": 1,
              "status": "True",
              "type": "ContainersReady"
            },
            {
              "lastProbeTime": null,
              "lastTransitionTime": "2026-03-02T10:00:01Z",
              "observedGeneration": 1,
              "status": "True",
              "type": "PodScheduled"
            }
          ],
          "containerStatuses": [
            {
              "containerID": "containerd://<sha256>",
              "image": "reg.example/shop/web:1",
              "imageID": "reg.example/shop/web@sha256:<sha256>",
              "lastState": {},
              "name": "c",
              "ready": true,
              "restartCount": 0,
              "started": true,
              "state": {
                "running": {
                  "startedAt": "2026-03-02T10:00:01Z"
                }
              }
            }
          ],
          "hostIP": "172.18.0.2",
          "hostIPs": [
            {
              "ip": "172.18.0.2"
            }
          ],
          "observedGeneration": 1,
          "phase": "Running",
          "podIP": "10.244.0.1",
          "podIPs": [
            {
              "ip": "10.244.0.1"
            }
          ],
          "qosClass": "BestEffort",
          "startTime": "2026-03-02T10:00:01Z"
        }
        "#);
    });
}

#[test]
fn an_image_that_cannot_be_pulled_is_tried_again_ever_more_slowly() {
    let broken = behaviour(|b| {
        b.pull_takes = secs(1);
        b.pull_fails = Some("reg.example/web:bad: not found".to_owned());
    });
    world([("shop/web:bad", broken)], async |world| {
        world.create(alone("shop/web:bad"));
        world.after(90).await;
        insta::assert_snapshot!(world.timeline(with_events), @r#"
        00:00.0 p 0/1 Pending 0
        00:00.0 p Normal Scheduled: Successfully assigned shop/p to node-1
        00:00.0 p 0/1 ContainerCreating 0
        00:00.0 p Normal Pulling: Pulling image "shop/web:bad"
        00:01.0 p 0/1 ErrImagePull 0
        00:01.0 p Warning Failed: Failed to pull image "shop/web:bad": reg.example/web:bad: not found
        00:01.0 p Warning Failed: Error: ErrImagePull
        00:02.0 p 0/1 ImagePullBackOff 0
        00:02.0 p Normal BackOff: Back-off pulling image "shop/web:bad"
        00:02.0 p Warning Failed: Error: ImagePullBackOff
        00:11.0 p 0/1 ContainerCreating 0
        00:12.0 p 0/1 ErrImagePull 0
        00:13.0 p 0/1 ImagePullBackOff 0
        00:32.0 p 0/1 ContainerCreating 0
        00:33.0 p 0/1 ErrImagePull 0
        00:34.0 p 0/1 ImagePullBackOff 0
        01:13.0 p 0/1 ContainerCreating 0
        01:14.0 p 0/1 ErrImagePull 0
        01:15.0 p 0/1 ImagePullBackOff 0
        "#);
        let state = world.get(&PODS, "p").at("/status/containerStatuses/0/state").cloned().unwrap();
        assert_eq!(
            state,
            json!({"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image \"shop/web:bad\": ErrImagePull: reg.example/web:bad: not found"}})
        );
    });
}

#[test]
fn a_process_that_crashes_backs_off_and_its_reasons_are_told() {
    let crashes = behaviour(|b| b.exits = Some((secs(2), 3)));
    world([("shop/web:1", crashes)], async |world| {
        world.create(alone("shop/web:1"));
        world.after(60).await;
        insta::assert_snapshot!(world.timeline(with_events), @r#"
        00:00.0 p 0/1 Pending 0
        00:00.0 p Normal Scheduled: Successfully assigned shop/p to node-1
        00:00.0 p 1/1 Running 0
        00:00.0 p Normal Pulling: Pulling image "shop/web:1"
        00:00.0 p Normal Pulled: Successfully pulled image "shop/web:1" in 0s (0s including waiting)
        00:00.0 p Normal Created: Created container: c
        00:00.0 p Normal Started: Started container c
        00:02.0 p 1/1 Running 1
        00:02.0 p Normal Pulled: Container image "shop/web:1" already present on machine
        00:04.0 p 0/1 CrashLoopBackOff 1
        00:04.0 p Warning BackOff: Back-off restarting failed container c in pod p_shop(<uid>)
        00:14.0 p 1/1 Running 2
        00:16.0 p 0/1 CrashLoopBackOff 2
        00:36.0 p 1/1 Running 3
        00:38.0 p 0/1 CrashLoopBackOff 3
        "#);
        let pod = world.get(&PODS, "p");
        insta::assert_snapshot!(world.show(pod.at("/status/containerStatuses/0")), @r#"
        {
          "containerID": "containerd://<sha256>",
          "image": "shop/web:1",
          "imageID": "shop/web@sha256:<sha256>",
          "lastState": {
            "terminated": {
              "containerID": "containerd://<sha256>",
              "exitCode": 3,
              "finishedAt": "2026-03-02T10:00:39Z",
              "reason": "Error",
              "startedAt": "2026-03-02T10:00:37Z"
            }
          },
          "name": "c",
          "ready": false,
          "restartCount": 3,
          "started": false,
          "state": {
            "waiting": {
              "message": "back-off 40s restarting failed container=c pod=p_shop(<uid>)",
              "reason": "CrashLoopBackOff"
            }
          }
        }
        "#);
    });
}

#[test]
fn readiness_comes_and_goes_with_the_probe_s_thresholds() {
    let flaps = behaviour(|b| b.flaps = Some(FlapFault { ready: secs(10), unready: secs(5) }));
    world([("shop/web:1", flaps)], async |world| {
        world.create(alone("shop/web:1"));
        world.after(32).await;
        insta::assert_snapshot!(world.timeline(with_events), @r#"
        00:00.0 p 0/1 Pending 0
        00:00.0 p Normal Scheduled: Successfully assigned shop/p to node-1
        00:00.0 p 1/1 Running 0
        00:00.0 p Normal Pulling: Pulling image "shop/web:1"
        00:00.0 p Normal Pulled: Successfully pulled image "shop/web:1" in 0s (0s including waiting)
        00:00.0 p Normal Created: Created container: c
        00:00.0 p Normal Started: Started container c
        00:10.0 p Warning Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503
        00:12.0 p 0/1 Running 0
        00:15.0 p 1/1 Running 0
        00:27.0 p 0/1 Running 0
        00:30.0 p 1/1 Running 0
        "#);
    });
}

#[test]
fn init_containers_run_one_after_the_other() {
    let takes = |seconds| behaviour(|b| b.exits = Some((secs(seconds), 0)));
    world([("shop/init:1", takes(2)), ("shop/init:2", takes(3))], async |world| {
        let mut pod = alone("shop/web:1");
        let init = |name: &str, image: &str| json!({"name": name, "image": image});
        pod.set("/spec/initContainers", json!([init("one", "shop/init:1"), init("two", "shop/init:2")]));
        world.create(pod);
        world.after(10).await;
        let show = |change: &Change| {
            if change.key.kind != PODS {
                return None;
            }
            let init = change.object.list("/status/initContainerStatuses").iter().map(|status| {
                let state =
                    status.get("state").and_then(Value::as_object).and_then(|state| state.keys().next().cloned());
                state.unwrap_or_default()
            });
            Some(format!(
                "{} [{}] {}",
                pod_line(&change.object),
                init.collect::<Vec<_>>().join(" "),
                change.object.text("/status/phase")
            ))
        };
        insta::assert_snapshot!(world.timeline(show), @r"
        00:00.0 0/1 Pending 0 [] Pending
        00:00.0 0/1 PodInitializing 0 [running waiting] Pending
        00:02.0 0/1 PodInitializing 0 [terminated running] Pending
        00:05.0 1/1 Running 0 [terminated terminated] Running
        ");
    });
}

#[test]
fn faults_strike_running_pods_and_pass() {
    world([], async |world| {
        world.create(web(2, "shop/web:1"));
        world.after(10).await;
        world.timeline(pod);
        world.faults(json!({"pods": [
            {"on": {"labels": {"app": "web"}}, "neverReady": true, "after": "5s", "until": "20s"},
        ]}));
        world.after(40).await;
        let show = |change: &Change| {
            (change.key.kind == REPLICA_SETS)
                .then(|| format!("{} ready", change.object.int("/status/readyReplicas").unwrap_or(0)))
        };
        insta::assert_snapshot!(world.timeline(show), @r"
        00:15.0 0 ready
        00:30.0 2 ready
        ");
    });
}

#[test]
fn a_pod_that_fits_nowhere_says_why_and_gets_its_place_when_there_is_room() {
    world([], async |world| {
        let big = |name: &str, cpu: &str| {
            let mut pod = alone("shop/web:1");
            pod.set("/metadata/name", name);
            if let Some(container) = pod.pointer_mut("/spec/containers/0") {
                container.set("/resources", json!({"requests": {"cpu": cpu}}));
            }
            pod
        };
        world.create(big("a", "20"));
        world.create(big("b", "20"));
        world.create(big("c", "20"));
        world.after(5).await;
        world.delete(&PODS, "a");
        world.after(5).await;
        insta::assert_snapshot!(world.timeline(with_events), @r#"
        00:00.0 a 0/1 Pending 0
        00:00.0 b 0/1 Pending 0
        00:00.0 c 0/1 Pending 0
        00:00.0 a Normal Scheduled: Successfully assigned shop/a to node-1
        00:00.0 b Normal Scheduled: Successfully assigned shop/b to node-2
        00:00.0 c Warning FailedScheduling: 0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.
        00:00.0 a 1/1 Running 0
        00:00.0 a Normal Pulling: Pulling image "shop/web:1"
        00:00.0 a Normal Pulled: Successfully pulled image "shop/web:1" in 0s (0s including waiting)
        00:00.0 a Normal Created: Created container: c
        00:00.0 a Normal Started: Started container c
        00:00.0 b 1/1 Running 0
        00:00.0 b Normal Pulling: Pulling image "shop/web:1"
        00:00.0 b Normal Pulled: Successfully pulled image "shop/web:1" in 0s (0s including waiting)
        00:00.0 b Normal Created: Created container: c
        00:00.0 b Normal Started: Started container c
        00:05.0 a 1/1 Terminating 0
        00:05.0 a Normal Killing: Stopping container c
        00:05.0 a gone
        00:05.0 c Normal Scheduled: Successfully assigned shop/c to node-1
        00:05.0 c 1/1 Running 0
        00:05.0 c Normal Pulled: Container image "shop/web:1" already present on machine
        00:05.0 c Normal Created: Created container: c
        00:05.0 c Normal Started: Started container c
        "#);
        let selector = json!({"zone": "moon"});
        let mut lost = alone("shop/web:1");
        lost.set("/metadata/name", "lost");
        lost.set("/spec/nodeSelector", selector);
        world.create(lost);
        world.after(1).await;
        insta::assert_snapshot!(world.show(world.get(&PODS, "lost").at("/status/conditions")), @r#"
        [
          {
            "lastProbeTime": null,
            "lastTransitionTime": "2026-03-02T10:00:11Z",
            "message": "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
            "reason": "Unschedulable",
            "status": "False",
            "type": "PodScheduled"
          }
        ]
        "#);
    });
}

#[test]
fn scaling_down_takes_the_least_useful_pods() {
    let never = behaviour(|b| b.ready_after = None);
    world([("shop/web:1", never)], async |world| {
        let set = |replicas: i64| {
            json!({
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
                "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template("shop/web:0")},
            })
        };
        world.create(set(3));
        world.after(5).await;
        let mut unready = alone("shop/web:1");
        unready.set("/metadata/name", "unready");
        world.create(unready);
        world.after(2).await;
        let names = || world.list(&PODS).iter().map(|pod| pod.name().to_owned()).collect::<Vec<_>>();
        assert_eq!(names().len(), 3, "the orphan was adopted, and as the least useful it went");
        assert!(!names().contains(&"unready".to_owned()));
        let oldest = names();
        world.change(&PODS, &oldest[1], |pod| {
            pod.set("/metadata/annotations/controller.kubernetes.io~1pod-deletion-cost", "-1");
        });
        world.change(&REPLICA_SETS, "web", |set| set.set("/spec/replicas", 2));
        world.after(2).await;
        assert_eq!(names(), [oldest[0].clone(), oldest[2].clone()]);
    });
}
