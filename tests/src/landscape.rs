use crate::ground::{Ground, scale};
use crate::{Process, World, until};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Business time begins on a Tuesday morning, within the change window of the example.
const START: &str = "2026-03-03T10:05:00Z";

/// The installation of examples/payment-service: a server, the forge with the catalogue, clusters, and a delegate in front of
/// each that alone can reach it. Everything in it is a process that a user would start.
#[derive(Debug)]
pub struct Landscape {
    pub world: World,
    _forge: Process,
    clusters: BTreeMap<String, Cluster>,
}

#[derive(Debug)]
struct Cluster {
    ground: Ground,
    _delegate: Process,
}

/// A file of the example.
pub fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/payment-service").join(name)
}

/// The pipeline of the example with the service's names in it, as its orchestrator writes it.
pub fn template() -> String {
    let text = std::fs::read_to_string(example("pipeline.yaml")).unwrap();
    let names = [("SERVICE_NAME", "payment-service"), ("ARCHETYPE", "api"), ("TEAM", "payments_team")];
    names.iter().fold(text, |text, (name, value)| text.replace(&format!("{{{{{name}}}}}"), value))
}

impl Landscape {
    /// With these environments, and the pipeline as the teams wrote it.
    pub fn new(environments: &[&str]) -> Self {
        let anchor = jiff::Timestamp::now().to_string();
        let clock = ["--clock-start", START, "--time-scale", scale(), "--clock-anchor", anchor.as_str()];
        let mut world = World::bare();
        let code = world.start_server_with(&clock).expect("the first start prints a code");
        world.run(&["login", &world.url(), "--code", &code]).ok();

        let repository = format!("acme/platform-catalog={}", example("repositories/platform-catalog").display());
        let forge = ["git-sim", "--listen", "127.0.0.1:0", "--repository", &repository];
        let forge = [&forge[..], &["--token", "delivery-bot@acme:read=catalogue"]].concat();
        let mut forge = world.start("forge", &[&forge, &clock[..]].concat());
        let said = forge.says("git-sim serves ");
        let git = format!("GIT_URL={}", said.split(',').next().unwrap());
        world.file("secrets/platform-catalog-token", "catalogue");

        let mut metrics = "http://127.0.0.1:9".to_owned();
        let mut clusters = BTreeMap::new();
        for environment in environments {
            let (cluster, of_cluster) = Self::cluster(&world, environment, &clock);
            clusters.insert((*environment).to_owned(), cluster);
            metrics = of_cluster;
        }
        let prometheus = format!("PROMETHEUS_URL={metrics}");
        for name in
            ["people", "secrets", "connectors", "environments", "infrastructures", "service", "monitoring", "policies"]
        {
            let file = example(&format!("setup/{name}.yaml"));
            world.run(&["apply", "-f", file.to_str().unwrap(), "--set", &git, "--set", &prometheus]).ok();
        }
        world.run(&["setting", "set", "compat.blueGreenAsHealthCheck", "true"]).ok();
        world.run(&["setting", "set", "manifests.placeholderTag", "PLACEHOLDER_TAG"]).ok();
        world.apply(&template());
        Self { world, _forge: forge, clusters }
    }

    fn cluster(world: &World, environment: &str, clock: &[&str]) -> (Cluster, String) {
        let (seed, workloads) = (example(&format!("clusters/{environment}.yaml")), example("workloads.yaml"));
        let ground = Ground::new(world, environment, &seed, &workloads, clock);
        let delegate = format!("delegate-{environment}-euw1");
        let kubeconfig = ground.kubeconfig.to_str().unwrap();
        let identity = ["--kubeconfig", kubeconfig, "--kube-context", &ground.context, "--secrets-folder", "secrets"];
        let delegate = world.start_delegate(&delegate, &[&identity[..], clock].concat());
        let metrics = ground.metrics.clone();
        (Cluster { ground, _delegate: delegate }, metrics)
    }

    /// Somebody with an account, by their API key.
    pub fn person(&self, id: &str) -> String {
        self.world.run(&["user", "create", id, "--email", &format!("{id}@example.com")]).ok();
        self.world.run(&["api-key", "create", "test", "--user", id]).ok().trim().to_owned()
    }

    /// Starts the pipeline; `more`: options.
    #[track_caller]
    pub fn release(&self, tag: &str, environment: &str) -> String {
        let (tag, target) = (format!("imageTag={tag}"), format!("targetEnvironment={environment}"));
        self.world.start_run("payment_service_cd", &["-i", &tag, "-i", &target, "-i", "targetRegion=euw1"])
    }

    /// Waits until a run has this status.
    #[track_caller]
    pub fn reaches(&self, run: &str, status: &str) {
        until(&format!("{run} to be {status}"), || {
            let shown = self.world.shown(run);
            assert!(shown["run"]["endedAt"].is_null() || shown["run"]["status"] == status, "ended too early: {shown}");
            (shown["run"]["status"] == status).then_some(())
        });
    }

    /// Objects of a kind in the namespace of the service, read from the cluster itself.
    #[track_caller]
    pub fn objects(&self, environment: &str, path: &str) -> Vec<serde_json::Value> {
        let api = &self.clusters[environment].ground.api;
        let url = format!("{api}/{}", path.replace("NAMESPACE", &format!("{environment}-payment-service-euw1")));
        let reply = crate::send("GET", &url, &[("authorization", "Bearer admin")], "");
        assert_eq!(reply.status, 200, "{url}: {}", reply.body);
        reply.json()["items"].as_array().unwrap().clone()
    }

    /// The tags of the pods that are ready, each with how many there are.
    #[track_caller]
    pub fn serves(&self, environment: &str) -> BTreeMap<String, usize> {
        let mut tags = BTreeMap::new();
        for pod in self.objects(environment, "api/v1/namespaces/NAMESPACE/pods") {
            let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
            let is_ready = conditions.into_iter().any(|one| one["type"] == "Ready" && one["status"] == "True");
            if is_ready && pod["metadata"]["deletionTimestamp"].is_null() {
                let image = pod["spec"]["containers"][0]["image"].as_str().unwrap();
                *tags.entry(image.rsplit(':').next().unwrap().to_owned()).or_insert(0) += 1;
            }
        }
        tags
    }

    /// Waits until exactly these tags are served: the last old pods may still be on their way out.
    #[track_caller]
    pub fn settles(&self, environment: &str, wanted: &[(&str, usize)]) {
        let wanted: BTreeMap<String, usize> = wanted.iter().map(|(tag, count)| ((*tag).to_owned(), *count)).collect();
        until(&format!("{environment} to serve {wanted:?}"), || (self.serves(environment) == wanted).then_some(()));
    }
}

/// The newest attempt of a node in what `run show` tells.
#[track_caller]
pub fn node<'a>(shown: &'a serde_json::Value, identifier: &str) -> &'a serde_json::Value {
    let nodes = shown["nodes"].as_array().unwrap();
    let found = nodes.iter().rev().find(|node| node["identifier"] == identifier);
    found.unwrap_or_else(|| panic!("no node {identifier}: {shown}"))
}
