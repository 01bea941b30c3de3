//! Several servers on one PostgreSQL: whoever is asked answers, and one that dies, freezes or is replaced costs nothing but a moment
//! (architecture §5, "Many servers").
//!
//! The longer half runs with `HA=full` only (`make test-ha`).
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::disallowed_methods, reason = "a scenario")]

use serde_json::{Value, json};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use windlass_tests::{Postgres, Replicas, Site, World, node, send, until};

/// Delegates report twice a second.
const FAST: [&str; 2] = ["--heartbeat", "500ms"];

/// A delegate goes on for 80 seconds without a server: however slow the machine is on which the tests run.
const STEADY: [&str; 2] = ["--heartbeat", "20s"];

fn is_full() -> bool {
    std::env::var("HA").is_ok_and(|half| half == "full")
}

fn pipeline(identifier: &str, steps: &str) -> String {
    format!(
        "pipeline:\n  identifier: {identifier}\n  name: {identifier}\n  orgIdentifier: default\n  projectIdentifier: platform\n  stages:\n    \
         - stage: {{identifier: s, name: s, type: Custom, spec: {{execution: {{steps: [{steps}]}}}}}}\n"
    )
}

fn script(identifier: &str, text: &str) -> String {
    let spec = format!("{{shell: Bash, onDelegate: true, source: {{type: Inline, spec: {{script: '{text}'}}}}}}");
    format!("{{step: {{identifier: {identifier}, name: {identifier}, type: ShellScript, timeout: 5m, spec: {spec}}}}}")
}

/// A script that notes that it began, talks, and waits for the file `gate`.
fn gated(world: &World) -> String {
    let folder = world.folder().display();
    let text = format!(
        "echo begun >> {folder}/begun; echo says this; until [ -e {folder}/gate ]; do sleep 0.1; done; echo done >> {folder}/done; echo ends"
    );
    pipeline("gated", &script("talk", &text))
}

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).unwrap_or_default().lines().count()
}

fn starts(world: &World, replicas: &Replicas, number: usize, pipeline: &str) -> String {
    let started = replicas.ask(world, number, &["pipeline", "run", pipeline, "-o", "json"]).json();
    started["run"].as_str().unwrap().to_owned()
}

/// Waits for the end of a run, asking one server.
#[track_caller]
fn ended(world: &World, replicas: &Replicas, number: usize, run: &str) -> Value {
    until(&format!("{run} to end"), || {
        let shown = replicas.ask(world, number, &["run", "show", run, "-o", "json"]);
        // It may be the moment in which the database is away.
        let shown: Value = serde_json::from_str(&shown.out).ok()?;
        shown["run"]["endedAt"].is_number().then_some(shown)
    })
}

#[test]
fn whichever_is_asked_answers_for_all() {
    let Some((world, mut replicas)) = Replicas::new(3, &["--heartbeat", "1m"]) else { return };
    let token = world.run(&["delegate", "token", "create", "worker"]).ok();
    let mut delegate = world.join_delegate("worker", "worker", token.trim(), &[]);
    let holder = replicas.holder();
    let (near, far) = (holder, (holder + 1) % 3);
    let third = (holder + 2) % 3;

    // Started at one, done at another, followed live at the third.
    world.apply(&gated(&world));
    let run = starts(&world, &replicas, far, "gated");
    let url = replicas.url(third);
    let mut following = world.start_with("following", &["run", "logs", &run, "-f"], |command| {
        command.env("WINDLASS_SERVER", url);
    });
    following.says("says this");
    assert!(!following.output().contains("ends"), "it is told as it is said");
    world.file("gate", "");
    following.says("ends");
    let status = until("the end of the log", || following.ended());
    assert!(status.success(), "{}", following.output());
    for number in 0..replicas.count() {
        let shown = replicas.ask(&world, number, &["run", "show", &run, "-o", "json"]).json();
        assert_eq!(shown["run"]["status"], "Success", "{shown}");
        let log = replicas.ask(&world, number, &["run", "logs", &run]).ok();
        assert!(log.contains("says this") && log.contains("ends"), "{log}");
    }
    let told = world.run(&["run", "show", &run, "-o", "json"]).json().to_string();
    assert!(!told.contains("away or busy"), "nobody waits for a delegate that another server holds: {told}");

    // Stopped from a server that the delegate does not know, before its next report, a minute later.
    std::fs::remove_file(world.folder().join("gate")).unwrap();
    let run = starts(&world, &replicas, near, "gated");
    until("the script to begin", || (lines(&world.folder().join("begun")) == 2).then_some(()));
    let asked = Instant::now();
    replicas.ask(&world, far, &["run", "abort", &run]).ok();
    let shown = ended(&world, &replicas, third, &run);
    assert_eq!(shown["run"]["status"], "Aborted", "{shown}");
    until("the delegate to have nothing to do", || {
        let rows = replicas.ask(&world, near, &["delegate", "list", "-o", "json"]).json();
        (rows[0]["running"] == 0).then_some(())
    });
    assert!(asked.elapsed() < Duration::from_secs(55), "{:?}", asked.elapsed());
    assert_eq!(lines(&world.folder().join("done")), 1, "it was stopped");

    // Its token is revoked at another server: it has to go at once.
    replicas.ask(&world, far, &["delegate", "token", "revoke", "worker"]).ok();
    until("the delegate to be sent away", || {
        let said = replicas.server(near).output();
        said.contains("worker disconnected").then_some(())
    });
    let status = until("the delegate to end", || delegate.ended());
    assert!(!status.success(), "it was dismissed: {}", delegate.output());
    replicas.are_sound();
}

#[test]
fn triggers_timers_and_approvals_work_at_every_server() {
    let Some((world, replicas)) = Replicas::new(3, &[]) else { return };
    let wait = "{step: {identifier: pause, name: pause, type: Wait, timeout: 30m, spec: {duration: 1s}}}";
    let approval = "{step: {identifier: ask, name: ask, type: HarnessApproval, timeout: 1h, spec: {approvalMessage: go, includePipelineExecutionHistory: false, approvers: {userGroups: [team], minimumCount: 1, disallowPipelineExecutor: false}}}}";
    world.apply(&pipeline("pausing", wait));
    world.apply("userGroup: {identifier: team, name: team, orgIdentifier: default, projectIdentifier: platform, users: [admin]}\n");
    world.apply(&pipeline("asking", approval));
    world.apply(
        "trigger:\n  identifier: on_build\n  name: on build\n  orgIdentifier: default\n  projectIdentifier: platform\n  pipelineIdentifier: pausing\n  \
         source: {type: Webhook, spec: {type: Custom, spec: {payloadConditions: []}}}\n  inputYaml: 'pipeline: {identifier: pausing}'\n",
    );
    let key = world.run(&["api-key", "create", "build", "--user", "admin"]).ok().trim().to_owned();
    let urls: Vec<String> =
        (0..3).map(|number| replicas.ask(&world, number, &["trigger", "url", "on_build"]).ok()).collect();
    assert!(urls.iter().all(|url| *url == urls[0]), "one trigger, one address: {urls:?}");
    let path = urls[0].trim().strip_prefix(&world.url()).unwrap().to_owned();

    // Thirty at once, spread over all servers: each starts one run, with a number of its own.
    let post = |n: usize| {
        let headers = [("content-type", "application/json"), ("x-api-key", key.as_str())];
        send("POST", &format!("{}{path}", replicas.url(n % 3)), &headers, &json!({ "number": n }).to_string())
    };
    std::thread::scope(|scope| {
        let sent: Vec<_> = (0..30).map(|n| scope.spawn(move || post(n))).collect();
        for reply in sent {
            let reply = reply.join().unwrap();
            assert_eq!(reply.status, 200, "{}", reply.body);
        }
    });
    let runs = until("thirty runs to end", || {
        let runs = replicas.ask(&world, 1, &["run", "list", "-o", "json"]).json();
        let runs = runs.as_array().unwrap().clone();
        (runs.len() >= 30 && runs.iter().all(|run| run["endedAt"].is_number())).then_some(runs)
    });
    assert!(runs.iter().all(|run| run["status"] == "Success"), "{runs:?}");
    let mut numbers: Vec<u64> = runs.iter().map(|run| run["sequence"].as_u64().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=30).collect::<Vec<_>>());

    // Asked at one, answered at another, seen at the third.
    let run = starts(&world, &replicas, 0, "asking");
    until("the question", || {
        let shown = replicas.ask(&world, 1, &["run", "show", &run, "-o", "json"]).json();
        (shown["run"]["status"] == "ApprovalWaiting").then_some(())
    });
    replicas.ask(&world, 1, &["approve", &run]).ok();
    assert_eq!(ended(&world, &replicas, 2, &run)["run"]["status"], "Success");
    let audit = replicas.ask(&world, 2, &["audit", "verify"]);
    assert_eq!(audit.code, 0, "{audit:?}");
    replicas.are_sound();
}

/// The manifests of a service with three pods that take a while.
fn manifests(tag: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, labels: {{app: web}}}}\nspec:\n  replicas: 3\n  selector: {{matchLabels: {{app: web}}}}\n  \
         strategy: {{type: RollingUpdate, rollingUpdate: {{maxSurge: 1, maxUnavailable: 0}}}}\n  minReadySeconds: 60\n  template:\n    metadata: {{labels: {{app: web}}}}\n    \
         spec:\n      containers:\n        - {{name: app, image: 'registry.example/acme/web:{tag}'}}\n"
    )
}

const ROLLING: &str = "{step: {identifier: deploy, name: deploy, type: K8sRollingDeploy, timeout: 30m, spec: {}}}";

/// Three servers, and a site with one cluster and one delegate. Business time runs fifty times faster: so the pods of a deployment need
/// some seconds.
fn site(options: &[&str]) -> Option<(Site, Replicas)> {
    let clock = Site::clock();
    let clock: Vec<&str> = clock.iter().map(String::as_str).collect();
    let (world, replicas) = Replicas::new(3, &[&clock, options].concat())?;
    let site = Site::of(world, &clock);
    site.pipeline(&[ROLLING], &[]);
    site.service(&manifests("v1"));
    site.deploys();
    site.service(&manifests("v2"));
    Some((site, replicas))
}

/// Waits until pods of the new version are coming and the old ones are not gone.
fn half_way(site: &Site) {
    until("the deployment to be half done", || {
        let deployment = site.object("apis/apps/v1/namespaces/shop/deployments/web");
        let updated = deployment["status"]["updatedReplicas"].as_u64().unwrap_or_default();
        let all = deployment["status"]["replicas"].as_u64().unwrap_or_default();
        let is_new = deployment["spec"]["template"].to_string().contains("web:v2");
        (is_new && updated >= 1 && all > updated).then_some(())
    });
}

/// What a cluster tells about how often it was deployed to.
#[track_caller]
fn was_deployed_twice(site: &Site) {
    site.settles(&["v2", "v2", "v2"]);
    let deployment = site.object("apis/apps/v1/namespaces/shop/deployments/web");
    assert_eq!(deployment["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "2", "{deployment}");
    assert_eq!(deployment["metadata"]["generation"], 2, "nobody wrote the spec again: {deployment}");
    let secrets = site.objects("api/v1/namespaces/shop/secrets");
    let records: Vec<&Value> =
        secrets.iter().filter(|secret| secret["type"].as_str().is_some_and(|kind| kind.contains("release"))).collect();
    assert_eq!(records.len(), 2, "one record for each release: {records:?}");
}

#[test]
fn the_servers_of_a_deployment_are_killed_and_another_one_ends_it() {
    let Some((site, mut replicas)) = site(&FAST) else { return };
    let run = site.starts();
    half_way(&site);
    // First the one that the delegate speaks to, then the next one: of three, one is left.
    let first = replicas.holder();
    replicas.kill(first);
    let second = replicas.holder();
    assert_ne!(first, second);
    replicas.kill(second);
    let left = (0..3).find(|number| ![first, second].contains(number)).unwrap();
    let shown = ended(&site.world, &replicas, left, &run);
    assert_eq!(shown["run"]["status"], "Success", "{shown}");
    assert_eq!(node(&shown, "deploy")["attempt"], 1, "the delegate went on with what it did: {shown}");
    was_deployed_twice(&site);
    let log = site.world.run(&["run", "logs", &run]).ok();
    assert!(log.contains("deploy:"), "{log}");
    replicas.start_again(&site.world, first);
    replicas.are_sound();
}

/// A server that is frozen with work in its hands: others take it over, and what it still believes to hold when it wakes up counts for
/// nothing.
#[test]
fn a_server_that_wakes_up_with_old_leases_repeats_nothing() {
    let Some((world, mut replicas)) = Replicas::new(3, &[]) else { return };
    let done = world.folder().join("done");
    let note = |name: &str| script(name, &format!("echo {name} >> {}", done.display()));
    let wait = "{step: {identifier: pause, name: pause, type: Wait, timeout: 10m, spec: {duration: 3s}}}";
    let steps = [note("one"), wait.to_owned(), note("two"), wait.replace("pause", "again"), note("three")].join(", ");
    world.apply(&pipeline("chain", &steps));
    let token = world.run(&["delegate", "token", "create", "worker"]).ok();
    let _delegate = world.join_delegate("worker", "worker", token.trim(), &[]);
    let frozen = replicas.holder();
    let awake = (frozen + 1) % 3;

    // Every run is decided by the server that freezes: its timers, effects and tasks are in its hands.
    let runs: Vec<String> = (0..8).map(|_| starts(&world, &replicas, frozen, "chain")).collect();
    until("half of the first steps to be done", || (lines(&done) >= 4).then_some(()));
    let since = Instant::now();
    replicas.server(frozen).pause();
    // Nobody takes it out of the balancer: the delegate has to find one that answers by itself.
    for run in &runs {
        let shown = ended(&world, &replicas, awake, run);
        assert_eq!(shown["run"]["status"], "Success", "{shown}");
    }
    println!("taken over within {:?}", since.elapsed());
    assert_eq!(lines(&done), 24);

    let asleep = Duration::from_secs(if is_full() { 60 } else { 17 });
    std::thread::sleep(asleep.saturating_sub(since.elapsed()));
    replicas.server(frozen).resume();
    // It answers again, has read what it missed, and works with the others.
    until("the server to answer", || {
        (send("GET", &format!("{}/readyz", replicas.url(frozen)), &[], "").status == 200).then_some(())
    });
    let last = starts(&world, &replicas, frozen, "chain");
    let shown = ended(&world, &replicas, frozen, &last);
    assert_eq!(shown["run"]["status"], "Success", "{shown}");
    assert_eq!(lines(&done), 27, "{}", std::fs::read_to_string(&done).unwrap());
    for run in &runs {
        let here = replicas.ask(&world, frozen, &["run", "show", run, "-o", "json"]).json();
        let there = replicas.ask(&world, awake, &["run", "show", run, "-o", "json"]).json();
        assert_eq!(here["nodes"], there["nodes"]);
    }
    let audit = world.run(&["audit", "verify"]);
    assert_eq!(audit.code, 0, "{audit:?}");
    replicas.are_sound();
}

#[test]
fn the_database_goes_away_in_the_middle_and_comes_back() {
    let Some((world, mut replicas)) = Replicas::new(2, &STEADY) else { return };
    let wait = "{step: {identifier: pause, name: pause, type: Wait, timeout: 10m, spec: {duration: 2s}}}";
    world.apply(&gated(&world));
    world.apply(&pipeline("pausing", wait));
    let token = world.run(&["delegate", "token", "create", "worker"]).ok();
    let _delegate = world.join_delegate("worker", "worker", token.trim(), &[]);
    let run = starts(&world, &replicas, 0, "gated");
    let others: Vec<String> = (0..4).map(|n| starts(&world, &replicas, n % 2, "pausing")).collect();
    until("the script to begin", || (lines(&world.folder().join("begun")) == 1).then_some(()));

    replicas.postgres.crash();
    for number in 0..2 {
        let reply = send("GET", &format!("{}/readyz", replicas.url(number)), &[], "");
        assert_eq!(reply.status, 503, "{}", reply.body);
        let reply = send("GET", &format!("{}/healthz", replicas.url(number)), &[], "");
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
    // The script ends while nobody can store that it did.
    world.file("gate", "");
    until("the script to end", || (lines(&world.folder().join("done")) == 1).then_some(()));
    replicas.postgres.start_again();

    for run in others.iter().chain([&run]) {
        let shown = ended(&world, &replicas, 1, run);
        assert_eq!(shown["run"]["status"], "Success", "{shown}");
    }
    assert_eq!(lines(&world.folder().join("begun")), 1, "nothing was done twice");
    let log = world.run(&["run", "logs", &run]).ok();
    assert!(log.contains("says this") && log.contains("ends"), "{log}");
    // Both hear each other again.
    let last = starts(&world, &replicas, 0, "pausing");
    assert_eq!(ended(&world, &replicas, 1, &last)["run"]["status"], "Success");
}

/// The machine of the database is lost. Its synchronous standby has whatever was confirmed, and servers find it by themselves.
#[test]
fn a_promoted_standby_has_everything_that_was_acknowledged() {
    if !is_full() {
        println!("skipped: a standby takes over (make test-ha)");
        return;
    }
    let Some(postgres) = Postgres::start(100) else { return };
    let Some((world, mut replicas)) = Replicas::with(postgres.with_standby(100), 2, &STEADY, &[]) else { return };
    let wait = "{step: {identifier: pause, name: pause, type: Wait, timeout: 10m, spec: {duration: 1s}}}";
    world.apply(&gated(&world));
    world.apply(&pipeline("pausing", wait));
    let token = world.run(&["delegate", "token", "create", "worker"]).ok();
    let _delegate = world.join_delegate("worker", "worker", token.trim(), &[]);
    let gated = starts(&world, &replicas, 0, "gated");
    until("the script to begin", || (lines(&world.folder().join("begun")) == 1).then_some(()));

    // Somebody starts runs all the while, and keeps what is acknowledged.
    let urls = [replicas.url(0), replicas.url(1)];
    let acknowledged = Mutex::new(Vec::new());
    let count = || acknowledged.lock().unwrap().len();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for url in &urls {
            let (world, acknowledged, is_over) = (&world, &acknowledged, &is_over);
            scope.spawn(move || {
                while !is_over.load(Relaxed) {
                    let started = world.run_with(&["pipeline", "run", "pausing", "-o", "json"], |command| {
                        command.env("WINDLASS_SERVER", url);
                    });
                    if let Ok(started) = serde_json::from_str::<Value>(&started.out) {
                        acknowledged.lock().unwrap().push(started["run"].as_str().unwrap().to_owned());
                    }
                }
            });
        }
        until("runs to be acknowledged", || (count() >= 20).then_some(()));
        replicas.postgres.fail_over();
        let before = count();
        until("runs to be acknowledged again", || (count() >= before + 20).then_some(()));
        is_over.store(true, Relaxed);
    });
    world.file("gate", "");
    for run in acknowledged.lock().unwrap().iter().chain([&gated]) {
        let shown = ended(&world, &replicas, 1, run);
        assert_eq!(shown["run"]["status"], "Success", "{shown}");
    }
    assert_eq!((lines(&world.folder().join("begun")), lines(&world.folder().join("done"))), (1, 1));
    let audit = world.run(&["audit", "verify"]);
    assert_eq!(audit.code, 0, "{audit:?}");
    println!("{} runs were acknowledged around the failure, none is lost", count());
    replicas.are_sound();
}

/// Of the connections that three servers want, the database has a third.
#[test]
fn a_database_without_free_connections_is_waited_for() {
    // Three are for its administrator. Each server may hold nine: two leave some for the third to start with, and all three
    // together want more than there are.
    let Some(postgres) = Postgres::start(24) else { return };
    let Some((world, replicas)) = Replicas::with(postgres, 3, &FAST, &[]) else { return };
    let wait = "{step: {identifier: pause, name: pause, type: Wait, timeout: 10m, spec: {duration: 1s}}}";
    world.apply(&pipeline("pausing", wait));
    let key = world.run(&["api-key", "create", "build", "--user", "admin"]).ok().trim().to_owned();
    let ask = |n: usize| {
        let url = format!("{}/api/v1/runs?org=default&project=platform", replicas.url(n % 3));
        send("GET", &url, &[("x-api-key", &key)], "")
    };
    let runs: Vec<String> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..6)
            .map(|n| {
                scope.spawn({
                    let (world, replicas) = (&world, &replicas);
                    move || starts(world, replicas, n % 3, "pausing")
                })
            })
            .collect();
        let asked: Vec<_> = (0..60).map(|n| scope.spawn(move || ask(n))).collect();
        for reply in asked {
            let reply = reply.join().unwrap();
            assert!(reply.status == 200 || reply.status == 503, "{}: {}", reply.status, reply.body);
        }
        started.into_iter().map(|run| run.join().unwrap()).collect()
    });
    for run in &runs {
        assert_eq!(ended(&world, &replicas, 0, run)["run"]["status"], "Success");
    }
}

/// Servers are replaced one after the other while runs are on their way. `WINDLASS_OLD`: an earlier binary to start from.
#[test]
fn servers_are_replaced_one_by_one_with_runs_on_their_way() {
    if !is_full() {
        println!("skipped: servers are replaced one by one (make test-ha)");
        return;
    }
    let Some((world, mut replicas)) = Replicas::new(3, &FAST) else { return };
    let old = std::env::var_os("WINDLASS_OLD").map(std::path::PathBuf::from);
    match &old {
        None => println!("skipped: servers of an earlier version (WINDLASS_OLD names its binary)"),
        Some(old) => {
            for number in 0..3 {
                replicas.is_of(number, old.clone());
                replicas.server(number).stop();
                replicas.start_again(&world, number);
            }
        }
    }
    world.apply(&gated(&world));
    let wait = "{step: {identifier: pause, name: pause, type: Wait, timeout: 10m, spec: {duration: 20s}}}";
    world.apply(&pipeline("pausing", wait));
    let token = world.run(&["delegate", "token", "create", "worker"]).ok();
    let _delegate = world.join_delegate("worker", "worker", token.trim(), &[]);
    let gated = starts(&world, &replicas, 0, "gated");
    let mut runs: Vec<String> = Vec::new();
    for number in 0..3 {
        runs.push(starts(&world, &replicas, number, "pausing"));
        replicas.is_new(number);
        let status = replicas.server(number).stop();
        assert!(status.success(), "{status}");
        // Somebody asks while it is away.
        world.shown(&gated);
        replicas.start_again(&world, number);
        runs.push(starts(&world, &replicas, number, "pausing"));
    }
    world.file("gate", "");
    for run in runs.iter().chain([&gated]) {
        assert_eq!(ended(&world, &replicas, 0, run)["run"]["status"], "Success");
    }
    assert_eq!((lines(&world.folder().join("begun")), lines(&world.folder().join("done"))), (1, 1));
    replicas.are_sound();
}
