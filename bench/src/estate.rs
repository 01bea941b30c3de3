//! An installation with many services: the example's documents, repositories and cluster, once for each of them.

use std::path::{Path, PathBuf};
use windlass_clock::Clock;
use windlass_tests::{Process, Reply, World, send};

/// Business time begins on a Tuesday, five minutes after the change window of the example has opened.
const START: &str = "2026-03-03T10:05:00Z";

/// The tag of the production cluster's delegate, and its name.
pub(crate) const DELEGATE: &str = "delegate-prod-euw1";

pub(crate) struct Estate {
    pub(crate) world: World,
    pub(crate) cluster: Process,
    _forge: Process,
    /// The session of the administrator.
    session: String,
    /// How many times faster than the world business time runs.
    clock: Vec<String>,
}

impl Estate {
    /// `manifests` makes the objects of a service by its name.
    pub(crate) fn build(services: &[String], time_scale: u32, manifests: impl Fn(&str) -> String) -> Self {
        let anchor = Clock::system().now().to_string();
        let clock: Vec<String> =
            ["--clock-start", START, "--time-scale", &time_scale.to_string(), "--clock-anchor", &anchor]
                .map(str::to_owned)
                .into();
        let mut world = World::bare();
        let code = world.start_server_with(&clock.iter().map(String::as_str).collect::<Vec<_>>());
        world.run(&["login", &world.url(), "--code", &code.expect("the first start prints a code")]).ok();
        let all = |file: &str| {
            services.iter().map(|service| named(&example(file), service)).collect::<Vec<_>>().join("---\n")
        };
        for service in services {
            world.file(&format!("catalog/generated/{service}/prod/euw1/manifests.yaml"), &manifests(service));
        }
        world.file("seed.yaml", &all("clusters/prod.yaml"));
        world.file("workloads.yaml", &example("workloads.yaml"));
        world.file("secrets/platform-catalog-token", "catalogue");
        world.file("secrets/payments-token", "payments");
        let start = |name: &str, line: &str| {
            let arguments: Vec<&str> = line.split_whitespace().chain(clock.iter().map(String::as_str)).collect();
            world.start(name, &arguments)
        };
        let forge = "git-sim --listen 127.0.0.1:0 --repository acme/platform-catalog=catalog --token delivery-bot@acme:read=catalogue";
        let mut forge = start("forge", forge);
        let git = forge.says("git-sim serves ").split(',').next().unwrap().to_owned();
        // Room for the pods of all services, and as many again while they roll.
        let cluster = "kube-sim --listen 127.0.0.1:0 --metrics 127.0.0.1:0 --name prod --nodes 20 --admin-token admin --user-token \
                       delegate=delegate-1 --seed seed.yaml --workloads workloads.yaml --kubeconfig prod.kubeconfig";
        let mut cluster = start("cluster", cluster);
        let metrics = cluster.says("serves https://").split_once("metrics ").unwrap().1.to_owned();
        for file in ["people", "secrets", "connectors", "environments", "infrastructures", "policies"] {
            let text = example(&format!("setup/{file}.yaml")).replace("{{GIT_URL}}", &git);
            world.apply(&text.replace("{{PROMETHEUS_URL}}", &metrics));
        }
        world.apply(&all("setup/service.yaml"));
        world.apply(&all("setup/monitoring.yaml"));
        world.run(&["setting", "set", "compat.blueGreenAsHealthCheck", "true"]).ok();
        world.run(&["setting", "set", "manifests.placeholderTag", "PLACEHOLDER_TAG"]).ok();
        let profile = std::fs::read_to_string(world.folder().join("profile.json")).unwrap();
        let profile: serde_json::Value = serde_json::from_str(&profile).unwrap();
        let session = profile["token"].as_str().unwrap().to_owned();
        Self { world, cluster, _forge: forge, session, clock }
    }

    /// Starts the delegate in front of the cluster.
    pub(crate) fn start_delegate(&self, process: &str, token: &str, capacity: usize) -> Process {
        self.world.join_delegate(
            process,
            DELEGATE,
            token,
            &self.delegate_arguments(capacity).iter().map(String::as_str).collect::<Vec<_>>(),
        )
    }

    fn delegate_arguments(&self, capacity: usize) -> Vec<String> {
        let line = "--kubeconfig prod.kubeconfig --kube-context delegate@prod --secrets-folder secrets --capacity";
        let fixed = line.split_whitespace().map(str::to_owned).chain([capacity.to_string()]);
        fixed.chain(self.clock.iter().cloned()).collect()
    }

    pub(crate) fn delegate_token(&self) -> String {
        self.world.run(&["delegate", "token", "create", DELEGATE]).ok().trim().to_owned()
    }

    /// A call of the API as the administrator, or with another key.
    pub(crate) fn call(&self, method: &str, path: &str, key: Option<&str>, body: &str) -> Reply {
        let join = if path.contains('?') { '&' } else { '?' };
        let url = format!("{}/api/v1/{path}{join}org=default&project=platform", self.world.url());
        let bearer = format!("Bearer {}", key.unwrap_or(&self.session));
        let reply = send(method, &url, &[("authorization", &bearer), ("content-type", "application/json")], body);
        assert!((200..300).contains(&reply.status), "{method} {path}: {} {}", reply.status, reply.body);
        reply
    }

    /// Starts a pipeline with these inputs and answers with the run.
    pub(crate) fn start_run(&self, pipeline: &str, inputs: serde_json::Value) -> String {
        let body = serde_json::json!({ "inputs": inputs }).to_string();
        let started = self.call("POST", &format!("pipelines/{pipeline}/runs"), None, &body).json();
        started["run"].as_str().unwrap().to_owned()
    }

    pub(crate) fn run(&self, run: &str) -> serde_json::Value {
        self.call("GET", &format!("runs/{run}"), None, "").json()
    }
}

/// A file of the example.
pub(crate) fn example(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/payment-service").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The same text for another service. Its image stays: what it does in the cluster is known.
pub(crate) fn named(text: &str, service: &str) -> String {
    text.replace("acme/payment-service", "acme/payment\u{0}service")
        .replace("payment-service", service)
        .replace("payment_service", &service.replace('-', "_"))
        .replace("payment\u{0}service", "payment-service")
}
