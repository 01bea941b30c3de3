use super::world::{behaviour, deployment, rollout, secs, web, world};
use crate::kind::{DEPLOYMENTS, REPLICA_SETS};
use crate::object::Object;
use crate::workload::Behaviour;
use serde_json::{Value, json};

fn slow() -> Behaviour {
    behaviour(|b| {
        b.pull_takes = secs(1);
        b.ready_after = Some(secs(3));
        b.stop_takes = secs(2);
    })
}

trait SetImage {
    fn set_first(&mut self, image: &str);
}

impl SetImage for Value {
    fn set_first(&mut self, image: &str) {
        if let Some(container) = self.pointer_mut("/spec/template/spec/containers/0") {
            container.set("/image", image);
        }
    }
}

#[test]
fn a_rolling_update_second_by_second() {
    world([("shop/web:1", slow()), ("shop/web:2", slow())], async |world| {
        world.create(web(4, "shop/web:1"));
        world.after(30).await;
        insta::assert_snapshot!(world.timeline(rollout), @r"
        00:00.0 0 pods, 0 new, 0 ready, 0 available: -
        00:00.0 web Normal ScalingReplicaSet: Scaled up replica set web-1 from 0 to 4
        00:00.0 0 pods, 0 new, 0 ready, 0 available: NewReplicaSetCreated
        00:00.0 4 pods, 4 new, 0 ready, 0 available: ReplicaSetUpdated
        00:04.0 4 pods, 4 new, 4 ready, 4 available: NewReplicaSetAvailable
        ");
        world.change(&DEPLOYMENTS, "web", |web| web.set_first("shop/web:2"));
        world.after(60).await;
        insta::assert_snapshot!(world.timeline(rollout), @r"
        00:30.0 4 pods, 4 new, 4 ready, 4 available: NewReplicaSetAvailable
        00:30.0 web Normal ScalingReplicaSet: Scaled up replica set web-2 from 0 to 1
        00:30.0 4 pods, 4 new, 4 ready, 4 available: NewReplicaSetCreated
        00:30.0 web Normal ScalingReplicaSet: Scaled down replica set web-1 from 4 to 3
        00:30.0 4 pods, 0 new, 4 ready, 4 available: NewReplicaSetCreated
        00:30.0 web Normal ScalingReplicaSet: Scaled up replica set web-2 from 1 to 2
        00:30.0 5 pods, 2 new, 3 ready, 3 available: ReplicaSetUpdated
        00:34.0 web Normal ScalingReplicaSet: Scaled down replica set web-1 from 3 to 1
        00:34.0 5 pods, 2 new, 5 ready, 5 available: ReplicaSetUpdated
        00:34.0 web Normal ScalingReplicaSet: Scaled up replica set web-2 from 2 to 4
        00:34.0 3 pods, 2 new, 3 ready, 3 available: ReplicaSetUpdated
        00:34.0 5 pods, 4 new, 3 ready, 3 available: ReplicaSetUpdated
        00:37.0 web Normal ScalingReplicaSet: Scaled down replica set web-1 from 1 to 0
        00:37.0 5 pods, 4 new, 5 ready, 5 available: ReplicaSetUpdated
        00:37.0 4 pods, 4 new, 4 ready, 4 available: NewReplicaSetAvailable
        ");
    });
}

#[test]
fn recreate_takes_all_old_pods_away_first() {
    world([("shop/web:1", slow()), ("shop/web:2", slow())], async |world| {
        let mut web = web(2, "shop/web:1");
        web.set("/spec/strategy", json!({"type": "Recreate"}));
        world.create(web);
        world.after(30).await;
        world.timeline(rollout);
        world.change(&DEPLOYMENTS, "web", |web| web.set_first("shop/web:2"));
        world.after(60).await;
        insta::assert_snapshot!(world.timeline(rollout), @r"
        00:30.0 2 pods, 2 new, 2 ready, 2 available: NewReplicaSetAvailable
        00:30.0 web Normal ScalingReplicaSet: Scaled down replica set web-1 from 2 to 0
        00:30.0 2 pods, 0 new, 2 ready, 2 available: NewReplicaSetAvailable
        00:30.0 0 pods, 0 new, 0 ready, 0 available: NewReplicaSetAvailable
        00:32.0 web Normal ScalingReplicaSet: Scaled up replica set web-2 from 0 to 2
        00:32.0 0 pods, 0 new, 0 ready, 0 available: NewReplicaSetCreated
        00:32.0 2 pods, 2 new, 0 ready, 0 available: ReplicaSetUpdated
        00:36.0 2 pods, 2 new, 2 ready, 2 available: NewReplicaSetAvailable
        ");
    });
}

#[test]
fn a_bad_image_stops_the_rollout_at_its_deadline_and_undo_brings_the_old_set_back() {
    let broken = behaviour(|b| b.pull_fails = Some("manifest unknown".to_owned()));
    world([("shop/web:bad", broken)], async |world| {
        let mut object = web(3, "shop/web:1");
        object.set("/spec/progressDeadlineSeconds", 60);
        world.create(object);
        world.after(10).await;
        world.timeline(rollout);
        world.change(&DEPLOYMENTS, "web", |web| web.set_first("shop/web:bad"));
        world.after(90).await;
        insta::assert_snapshot!(world.timeline(rollout), @r"
        00:10.0 3 pods, 3 new, 3 ready, 3 available: NewReplicaSetAvailable
        00:10.0 web Normal ScalingReplicaSet: Scaled up replica set web-2 from 0 to 1
        00:10.0 3 pods, 3 new, 3 ready, 3 available: NewReplicaSetCreated
        00:10.0 3 pods, 0 new, 3 ready, 3 available: NewReplicaSetCreated
        00:10.0 4 pods, 1 new, 3 ready, 3 available: ReplicaSetUpdated
        01:11.0 4 pods, 1 new, 3 ready, 3 available: ProgressDeadlineExceeded
        ");
        let web = world.get(&DEPLOYMENTS, "web");
        insta::assert_snapshot!(world.show(web.at("/status/conditions")), @r#"
        [
          {
            "lastTransitionTime": "2026-03-02T10:00:01Z",
            "lastUpdateTime": "2026-03-02T10:00:01Z",
            "message": "Deployment has minimum availability.",
            "reason": "MinimumReplicasAvailable",
            "status": "True",
            "type": "Available"
          },
          {
            "lastTransitionTime": "2026-03-02T10:01:12Z",
            "lastUpdateTime": "2026-03-02T10:01:12Z",
            "message": "ReplicaSet \"web-2\" has timed out progressing.",
            "reason": "ProgressDeadlineExceeded",
            "status": "False",
            "type": "Progressing"
          }
        ]
        "#);
        // As `kubectl rollout undo`: the template of revision 1 again.
        world.change(&DEPLOYMENTS, "web", |web| web.set_first("shop/web:1"));
        world.after(10).await;
        insta::assert_snapshot!(world.timeline(rollout), @r"
        01:40.0 4 pods, 1 new, 3 ready, 3 available: ProgressDeadlineExceeded
        01:40.0 web Normal ScalingReplicaSet: Scaled down replica set web-2 from 1 to 0
        01:40.0 4 pods, 3 new, 3 ready, 3 available: ReplicaSetUpdated
        01:40.0 3 pods, 3 new, 3 ready, 3 available: NewReplicaSetAvailable
        ");
        let sets: Vec<String> = world
            .list(&REPLICA_SETS)
            .iter()
            .map(|set| {
                let note =
                    |key: &str| set.annotation(&format!("deployment.kubernetes.io/{key}")).unwrap_or("-").to_owned();
                let image = set.text("/spec/template/spec/containers/0/image");
                format!(
                    "{image}: {} replicas, revision {}, history {}",
                    set.int("/spec/replicas").unwrap(),
                    note("revision"),
                    note("revision-history")
                )
            })
            .collect();
        assert_eq!(
            sets,
            ["shop/web:bad: 0 replicas, revision 2, history -", "shop/web:1: 3 replicas, revision 3, history 1"]
        );
        assert_eq!(world.get(&DEPLOYMENTS, "web").annotation("deployment.kubernetes.io/revision"), Some("3"));
    });
}

#[test]
fn a_paused_deployment_scales_but_does_not_roll() {
    world([], async |world| {
        world.create(web(2, "shop/web:1"));
        world.after(5).await;
        world.change(&DEPLOYMENTS, "web", |web| web.set("/spec/paused", true));
        world.change(&DEPLOYMENTS, "web", |web| web.set_first("shop/web:2"));
        world.change(&DEPLOYMENTS, "web", |web| web.set("/spec/replicas", 3));
        world.timeline(rollout);
        world.after(30).await;
        assert_eq!(world.list(&REPLICA_SETS).len(), 1);
        insta::assert_snapshot!(world.timeline(rollout), @r"
        00:05.0 2 pods, 2 new, 2 ready, 2 available: NewReplicaSetAvailable
        00:05.0 2 pods, 2 new, 2 ready, 2 available: DeploymentPaused
        00:05.0 web Normal ScalingReplicaSet: Scaled up replica set web-1 from 2 to 3
        00:05.0 2 pods, 0 new, 2 ready, 2 available: DeploymentPaused
        00:05.0 3 pods, 0 new, 2 ready, 2 available: DeploymentPaused
        00:05.0 3 pods, 0 new, 3 ready, 3 available: DeploymentPaused
        ");
        world.change(&DEPLOYMENTS, "web", |web| web.set("/spec/paused", false));
        world.after(30).await;
        insta::assert_snapshot!(world.timeline(rollout), @r"
        00:35.0 3 pods, 0 new, 3 ready, 3 available: DeploymentPaused
        00:35.0 3 pods, 0 new, 3 ready, 3 available: DeploymentResumed
        00:35.0 web Normal ScalingReplicaSet: Scaled up replica set web-2 from 0 to 1
        00:35.0 3 pods, 0 new, 3 ready, 3 available: NewReplicaSetCreated
        00:35.0 4 pods, 1 new, 3 ready, 3 available: ReplicaSetUpdated
        00:35.0 web Normal ScalingReplicaSet: Scaled down replica set web-1 from 3 to 2
        00:35.0 4 pods, 1 new, 4 ready, 4 available: ReplicaSetUpdated
        00:35.0 web Normal ScalingReplicaSet: Scaled up replica set web-2 from 1 to 2
        00:35.0 3 pods, 1 new, 3 ready, 3 available: ReplicaSetUpdated
        00:35.0 4 pods, 2 new, 3 ready, 3 available: ReplicaSetUpdated
        00:35.0 web Normal ScalingReplicaSet: Scaled down replica set web-1 from 2 to 1
        00:35.0 4 pods, 2 new, 4 ready, 4 available: ReplicaSetUpdated
        00:35.0 web Normal ScalingReplicaSet: Scaled up replica set web-2 from 2 to 3
        00:35.0 3 pods, 2 new, 3 ready, 3 available: ReplicaSetUpdated
        00:35.0 4 pods, 3 new, 3 ready, 3 available: ReplicaSetUpdated
        00:35.0 web Normal ScalingReplicaSet: Scaled down replica set web-1 from 1 to 0
        00:35.0 4 pods, 3 new, 4 ready, 4 available: ReplicaSetUpdated
        00:35.0 3 pods, 3 new, 3 ready, 3 available: NewReplicaSetAvailable
        ");
    });
}

#[test]
fn min_ready_seconds_hold_the_next_step_back() {
    world([], async |world| {
        let mut object = web(2, "shop/web:1");
        object.set("/spec/minReadySeconds", 10);
        object.set(
            "/spec/strategy",
            json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}),
        );
        world.create(object);
        world.after(30).await;
        world.timeline(rollout);
        world.change(&DEPLOYMENTS, "web", |web| web.set_first("shop/web:2"));
        world.after(60).await;
        insta::assert_snapshot!(world.timeline(deployment), @r"
        00:30.0 2 pods, 2 new, 2 ready, 2 available: NewReplicaSetAvailable
        00:30.0 2 pods, 2 new, 2 ready, 2 available: NewReplicaSetCreated
        00:30.0 2 pods, 0 new, 2 ready, 2 available: NewReplicaSetCreated
        00:30.0 3 pods, 1 new, 2 ready, 2 available: ReplicaSetUpdated
        00:30.0 3 pods, 1 new, 3 ready, 2 available: ReplicaSetUpdated
        00:40.0 3 pods, 1 new, 3 ready, 3 available: ReplicaSetUpdated
        00:40.0 2 pods, 1 new, 2 ready, 2 available: ReplicaSetUpdated
        00:40.0 3 pods, 2 new, 2 ready, 2 available: ReplicaSetUpdated
        00:40.0 3 pods, 2 new, 3 ready, 2 available: ReplicaSetUpdated
        00:50.0 3 pods, 2 new, 3 ready, 3 available: ReplicaSetUpdated
        00:50.0 2 pods, 2 new, 2 ready, 2 available: NewReplicaSetAvailable
        ");
    });
}

#[test]
fn old_sets_are_kept_up_to_the_limit_of_the_history() {
    world([], async |world| {
        let mut object = web(1, "shop/web:1");
        object.set("/spec/revisionHistoryLimit", 2);
        world.create(object);
        for i in 2..7 {
            world.after(20).await;
            world.change(&DEPLOYMENTS, "web", |web| web.set_first(&format!("shop/web:{i}")));
        }
        world.after(20).await;
        let mut images: Vec<String> = world
            .list(&REPLICA_SETS)
            .iter()
            .map(|set| set.text("/spec/template/spec/containers/0/image").to_owned())
            .collect();
        images.sort();
        assert_eq!(images, ["shop/web:4", "shop/web:5", "shop/web:6"]);
    });
}

#[test]
fn two_runs_with_one_seed_are_the_same() {
    let run = || {
        let mut text = String::new();
        world([("shop/web:1", slow()), ("shop/web:2", slow())], async |world| {
            world.create(web(10, "shop/web:1"));
            world.after(30).await;
            world.change(&DEPLOYMENTS, "web", |web| web.set_first("shop/web:2"));
            world.after(60).await;
            text = world.timeline(|change| Some(format!("{} {:?} {}", change.key, change.action, change.object)));
        });
        text
    };
    assert!(run() == run(), "every write of both runs is the same");
}
