use crate::ground::{Ground, scale};
use crate::{Process, World, example, until};
use serde_json::Value;
use std::process::Command;

/// Business time, as for [`crate::Landscape`].
const START: &str = "2026-03-03T10:05:00Z";

/// One cluster with the namespace `shop`, a delegate in front of it, and a service `web` that a pipeline deploys.
#[derive(Debug)]
pub struct Site {
    pub world: World,
    ground: Ground,
    delegates: Vec<Process>,
    token: String,
    clock: Vec<String>,
    /// Flags of the server, where this site starts it.
    server: Vec<String>,
}

const DOCUMENTS: &str = "\
connector: {identifier: cluster, name: cluster, SCOPE, type: K8sCluster, spec: {credential: {type: InheritFromDelegate}, delegateSelectors: [edge]}}
---
environment: {identifier: test, name: test, SCOPE, type: PreProduction}
---
infrastructureDefinition: {identifier: here, name: here, SCOPE, environmentRef: test, deploymentType: Kubernetes, type: KubernetesDirect, spec: {connectorRef: cluster, namespace: shop, releaseName: web}}
";

const SEED: &str = "\
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: delegate, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: delegate}]
";

/// The tag of a pod's image.
pub fn tag(pod: &Value) -> String {
    let image = pod["spec"]["containers"][0]["image"].as_str().unwrap_or_default();
    image.rsplit(':').next().unwrap_or_default().to_owned()
}

impl Site {
    pub fn new() -> Self {
        let anchor = jiff::Timestamp::now().to_string();
        // A real cluster has its own idea of the time, with which the delegate's is compared.
        let start = if crate::real_clusters().is_some() { anchor.as_str() } else { START };
        let clock = ["--clock-start", start, "--time-scale", scale(), "--clock-anchor", anchor.as_str()];
        let mut world = World::bare();
        // A delegate that is silent is given up after six of these, in real time: soon enough for the timeouts of faster steps.
        let options: Vec<&str> = clock.into_iter().chain(["--heartbeat", "500ms"]).collect();
        let code = world.start_server_with(&options).expect("the first start prints a code");
        world.run(&["login", &world.url(), "--code", &code]).ok();
        let server = options.iter().map(|flag| (*flag).to_owned()).collect();
        Self { server, ..Self::of(world, &clock) }
    }

    /// The flags of business time for a site whose servers somebody else starts.
    pub fn clock() -> Vec<String> {
        let anchor = jiff::Timestamp::now().to_string();
        ["--clock-start", START, "--time-scale", scale(), "--clock-anchor", &anchor].map(str::to_owned).to_vec()
    }

    /// In a world whose servers run with this clock, signed in.
    pub fn of(world: World, clock: &[&str]) -> Self {
        let seed = world.file("seed.yaml", SEED);
        let ground = Ground::new(&world, "edge", &seed, &example("../../tests/cluster/images.yaml"), clock);
        world.apply(&DOCUMENTS.replace("SCOPE", "orgIdentifier: default, projectIdentifier: platform"));
        let token = world.run(&["delegate", "token", "create", "edge"]).ok().trim().to_owned();
        let clock = clock.iter().map(|flag| (*flag).to_owned()).collect();
        let mut site = Self { world, ground, delegates: Vec::new(), token, clock, server: Vec::new() };
        let first = site.delegate("edge-1");
        site.delegates.push(first);
        site
    }

    fn delegate(&self, process: &str) -> Process {
        let kubeconfig = self.ground.kubeconfig.to_str().unwrap();
        let identity = ["--kubeconfig", kubeconfig, "--kube-context", &self.ground.context];
        let clock = self.clock.iter().map(String::as_str);
        let arguments: Vec<&str> = identity.into_iter().chain(clock).collect();
        self.world.join_delegate(process, "edge", &self.token, &arguments)
    }

    /// One more instance of the delegate.
    pub fn second_delegate(&self) -> Process {
        self.delegate("edge-2")
    }

    /// SIGKILL for the server, which is started again on what it has stored.
    pub fn restart_server(&mut self) {
        self.world.server().kill();
        let flags: Vec<&str> = self.server.iter().map(String::as_str).collect();
        self.world.start_server_with(&flags);
    }

    /// SIGKILL for the first instance of the delegate; another one comes.
    pub fn replace_delegate(&mut self) {
        self.kill_delegate();
        let name = format!("edge-{}", std::fs::read_dir(self.world.folder()).unwrap().count());
        self.delegates[0] = self.delegate(&name);
    }

    /// SIGKILL for the first instance.
    pub fn kill_delegate(&mut self) {
        self.delegates[0].kill();
    }

    /// A pipeline with these steps, and these to go back.
    pub fn pipeline(&self, steps: &[&str], back: &[&str]) {
        let list = |steps: &[&str]| steps.iter().map(|step| format!("              - {step}\n")).collect::<String>();
        let back = if back.is_empty() { String::new() } else { format!("            rollbackSteps:\n{}", list(back)) };
        self.world.apply(&format!(
            "pipeline:\n  identifier: deploy\n  name: deploy\n  orgIdentifier: default\n  projectIdentifier: platform\n  stages:\n    - stage:\n        \
             identifier: roll\n        name: roll\n        type: Deployment\n        spec:\n          deploymentType: Kubernetes\n          \
             service: {{serviceRef: web}}\n          environment: {{environmentRef: test, infrastructureDefinitions: [{{identifier: here}}]}}\n          \
             execution:\n            steps:\n{}{back}        \
             failureStrategies: [{{onFailure: {{errors: [AllErrors], action: {{type: StageRollback}}}}}}]\n",
            list(steps)
        ));
    }

    /// The service with these manifests.
    pub fn service(&self, manifests: &str) {
        let content: String = manifests.lines().map(|line| format!("                    {line}\n")).collect();
        self.world.apply(&format!(
            "service:\n  identifier: web\n  name: web\n  orgIdentifier: default\n  projectIdentifier: platform\n  serviceDefinition:\n    \
             type: Kubernetes\n    spec:\n      manifests:\n        - manifest:\n            identifier: main\n            type: K8sManifest\n            \
             spec:\n              store:\n                type: Inline\n                spec:\n                  content: |\n{content}              \
             skipResourceVersioning: true\n"
        ));
    }

    /// Starts the pipeline.
    #[track_caller]
    pub fn starts(&self) -> String {
        self.world.start_run("deploy", &[])
    }

    /// Waits for the end of a run. On a real cluster nothing but the clocks of server and delegate runs faster.
    #[track_caller]
    pub fn ends(&self, run: &str) -> Value {
        until(&format!("{run} to end"), || {
            let shown = self.world.shown(run);
            shown["run"]["endedAt"].is_number().then_some(shown)
        })
    }

    /// Deploys.
    #[track_caller]
    pub fn runs(&self) -> Value {
        let run = self.starts();
        self.ends(&run)
    }

    /// Deploys, and it goes well.
    #[track_caller]
    pub fn deploys(&self) {
        let run = self.starts();
        let shown = self.ends(&run);
        let logs = || self.world.run(&["run", "logs", &run]).out;
        assert_eq!(shown["run"]["status"], "Success", "{}\n{shown}", logs());
    }

    #[track_caller]
    fn get(&self, path: &str) -> Value {
        let url = format!("{}/{path}", self.ground.api);
        let reply = crate::send("GET", &url, &[("authorization", "Bearer admin")], "");
        assert_eq!(reply.status, 200, "{url}: {}", reply.body);
        reply.json()
    }

    /// An object, read from the cluster itself.
    #[track_caller]
    pub fn object(&self, path: &str) -> Value {
        self.get(path)
    }

    /// Objects of a collection.
    #[track_caller]
    pub fn objects(&self, path: &str) -> Vec<Value> {
        self.get(path)["items"].as_array().unwrap().clone()
    }

    /// The tags of the pods that are ready, sorted.
    #[track_caller]
    pub fn serves(&self) -> Vec<String> {
        let is_ready = |pod: &&Value| {
            let mut conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
            pod["metadata"]["deletionTimestamp"].is_null()
                && conditions.any(|one| one["type"] == "Ready" && one["status"] == "True")
        };
        let mut tags: Vec<String> =
            self.objects("api/v1/namespaces/shop/pods").iter().filter(is_ready).map(tag).collect();
        tags.sort();
        tags
    }

    /// Waits until exactly these tags are served.
    #[track_caller]
    pub fn settles(&self, wanted: &[&str]) {
        until(&format!("{wanted:?} to be served"), || (self.serves() == wanted).then_some(()));
    }

    /// Applies manifests as people do by hand. Whether there is a `kubectl`.
    #[track_caller]
    pub fn kubectl_applies(&self, manifests: &str) -> bool {
        let file = self.world.file("by-hand.yaml", manifests);
        let program = std::env::var_os("KUBECTL").unwrap_or_else(|| "kubectl".into());
        let mut command = Command::new(program);
        command.env("KUBECONFIG", &self.ground.kubeconfig).env("HOME", self.world.folder());
        command.args(["-n", "shop", "apply", "-f"]).arg(file);
        match command.output() {
            Err(_) => {
                println!("skipped: kubectl is not installed");
                false
            }
            Ok(output) => {
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                true
            }
        }
    }
}

impl Default for Site {
    fn default() -> Self {
        Self::new()
    }
}
