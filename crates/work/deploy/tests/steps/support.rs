//! A simulated cluster, a handler in front of it, and words for short tests.

pub mod gate;
pub mod manifests;

use self::gate::Gate;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use windlass_clock::{Clock, virtual_runtime};
use windlass_cluster::{Clusters, Identity};
use windlass_deploy::KubernetesHandler;
use windlass_git::{Options, Repositories};
use windlass_kube_sim::faults::FaultPlan;
use windlass_kube_sim::{Config, KubeSim};
use windlass_model::task::cluster::{ClusterAccess, ClusterAuth, EnvironmentType};
use windlass_model::task::kubernetes::{DeploySettings, KubernetesStep, KubernetesWork};
use windlass_model::task::source::{ConfigVersioning, ManifestKind, ManifestSource, ServiceSource, Store, StoredFile};
use windlass_model::task::{ClusterTarget, Origin, Outcome, Secrets, Task, Work};
use windlass_model::{Millis, Timestamp};
use windlass_render::Renderer;
use windlass_task::{Handler, Recorder};

pub struct World {
    pub sim: KubeSim,
    pub clock: Clock,
    pub gate: Gate,
    pub recorder: Recorder,
    pub settings: DeploySettings,
    pub stage_execution: String,
    pub versioning: Option<ConfigVersioning>,
    pub namespace: String,
    folder: tempfile::TempDir,
    tasks: AtomicU32,
}

/// Runs a test in virtual time, in a cluster with the namespace `shop`.
pub fn world(test: impl AsyncFnOnce(World)) {
    virtual_runtime().unwrap().block_on(async {
        let clock = Clock::simulated(Timestamp::parse("2026-03-02T10:00:00Z").unwrap());
        let sim = KubeSim::new(Config::new(clock).admin_token("admin")).unwrap();
        sim.add(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})).unwrap();
        let controllers = sim.clone();
        let running = tokio::spawn(async move { controllers.run_controllers().await });
        clock.sleep(Millis::from_secs(1)).await;
        let gate = Gate::new(sim.router());
        test(World {
            sim,
            clock,
            gate,
            recorder: Recorder::new(),
            settings: DeploySettings::default(),
            stage_execution: "stage_1".into(),
            versioning: None,
            namespace: "shop".into(),
            folder: tempfile::tempdir().unwrap(),
            tasks: AtomicU32::new(1),
        })
        .await;
        running.abort();
    });
}

impl World {
    /// A delegate of its own: nothing but the cluster is shared with others.
    pub fn handler(&self) -> KubernetesHandler {
        let clusters = Clusters::new(Identity::default(), self.clock).mount("https://sim", self.gate.clone());
        let repositories = Repositories::open(Options::new(self.folder.path(), self.clock)).unwrap();
        KubernetesHandler::new(Arc::new(clusters), Renderer::new(Arc::new(repositories)))
    }

    /// The next stage execution: a new run.
    pub fn next_stage(&mut self) {
        let number: u32 = self.stage_execution.trim_start_matches("stage_").parse().unwrap();
        self.stage_execution = format!("stage_{}", number + 1);
    }

    pub fn source(&self, manifests: &str) -> ServiceSource {
        let manifest = ManifestSource {
            identifier: "main".into(),
            kind: ManifestKind::K8sManifest,
            store: Store::Files { files: vec![StoredFile { path: "main.yaml".into(), content: manifests.into() }] },
            config_versioning: self.versioning,
            ..ManifestSource::default()
        };
        ServiceSource { manifests: vec![manifest], ..ServiceSource::default() }
    }

    pub fn files(&self, files: &[(&str, &str)]) -> ServiceSource {
        let mut source = self.source("");
        let files = files.iter().map(|(path, content)| StoredFile { path: (*path).into(), content: (*content).into() });
        source.manifests[0].store = Store::Files { files: files.collect() };
        source
    }

    pub fn task(&self, kind: &str, spec: Json, source: ServiceSource) -> Task {
        let number = self.tasks.fetch_add(1, Ordering::Relaxed);
        let access = ClusterAccess::Manual {
            url: "https://sim".into(),
            ca: None,
            auth: ClusterAuth::Token { token: "admin".into() },
        };
        let step = if kind == "SteadyStateCheck" {
            KubernetesStep::SteadyStateCheck(Default::default())
        } else {
            KubernetesStep::read(kind, &spec).unwrap()
        };
        let work = KubernetesWork {
            step,
            target: ClusterTarget {
                connector: "account.sim".into(),
                access,
                namespace: self.namespace.clone(),
                release: "shop".into(),
                service: "web".into(),
                environment: "prod".into(),
                environment_type: EnvironmentType::Production,
                infrastructure: "k8s".into(),
            },
            source,
            pinned: BTreeMap::new(),
            settings: self.settings.clone(),
        };
        Task {
            id: format!("task_{number:026}").parse().unwrap(),
            attempt: 1,
            origin: Origin {
                account: "a".into(),
                org: "o".into(),
                project: "p".into(),
                pipeline: "x".into(),
                run: "run_01J9ZB2V1Q3W4E5R6T7Y8Z9A0B".parse().unwrap(),
                sequence: 1,
                stage: "deploy".into(),
                stage_execution: self.stage_execution.clone(),
                step: format!("execution.steps.{kind}"),
                step_attempt: 1,
                execution_url: String::new(),
            },
            log_key: "log".into(),
            deadline: Timestamp::from_micros(self.clock.now().micros() + 600_000_000),
            checkpoint: None,
            secrets: Secrets { nonce: String::new(), ..Secrets::default() },
            work: Work::Kubernetes(Box::new(work)),
        }
    }

    pub async fn run(&self, task: &Task) -> Outcome {
        let cx = self.recorder.context(self.clock, self.folder.path());
        self.handler().run(&cx, task).await
    }

    pub async fn step(&self, kind: &str, spec: Json, manifests: &str) -> Outcome {
        self.run(&self.task(kind, spec, self.source(manifests))).await
    }

    pub async fn rolling(&self, manifests: &str) -> Outcome {
        self.step("K8sRollingDeploy", json!({}), manifests).await
    }

    /// As [`World::step`], which must go well; gives the output.
    pub async fn good(&self, kind: &str, spec: Json, manifests: &str) -> Json {
        match self.step(kind, spec, manifests).await {
            Outcome::Succeeded { output } => output,
            other => panic!("{kind}: {other:#?}\n{}", self.recorder.text()),
        }
    }

    pub fn faults(&self, plan: Json) {
        self.sim.cluster().faults().replace(FaultPlan::from_json(&plan).unwrap(), self.clock.now());
    }

    pub fn get(&self, api_version: &str, kind: &str, name: &str) -> Option<Json> {
        let kind = self.sim.cluster().kind_of(api_version, kind).unwrap();
        self.sim.cluster().get(&kind, "shop", name).map(|object| (*object).clone())
    }

    pub fn deployment(&self, name: &str) -> Json {
        self.get("apps/v1", "Deployment", name)
            .unwrap_or_else(|| panic!("no Deployment/{name}\n{}", self.recorder.text()))
    }

    pub fn image(&self, name: &str) -> String {
        self.deployment(name).pointer("/spec/template/spec/containers/0/image").unwrap().as_str().unwrap().to_owned()
    }

    /// `Kind/name` of everything in the namespace that is not made by controllers, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .everything()
            .into_iter()
            .map(|object| format!("{}/{}", text(&object, "/kind"), text(&object, "/metadata/name")))
            .collect();
        names.sort();
        names
    }

    /// Objects of the namespace that a person or Windlass wrote.
    pub fn everything(&self) -> Vec<Json> {
        const MADE: [&str; 8] = [
            "Pod",
            "ReplicaSet",
            "Event",
            "EndpointSlice",
            "Endpoints",
            "ControllerRevision",
            "ServiceAccount",
            "Lease",
        ];
        let all = self.sim.cluster().everything();
        let of_people = all.into_iter().map(|(_, object)| (*object).clone()).filter(|object| {
            text(object, "/metadata/namespace") == "shop"
                && !MADE.contains(&text(object, "/kind"))
                && text(object, "/metadata/name") != "kube-root-ca.crt"
        });
        of_people.collect()
    }

    /// Status and strategy of the records: `1 rolling succeeded`.
    pub fn records(&self) -> Vec<String> {
        let mut found: Vec<(u64, String)> = self
            .metas()
            .into_iter()
            .map(|meta| {
                let number = meta["number"].as_u64().unwrap();
                (number, format!("{number} {} {}", text(&meta, "/strategy"), text(&meta, "/status")))
            })
            .collect();
        found.sort();
        found.into_iter().map(|(_, line)| line).collect()
    }

    pub fn metas(&self) -> Vec<Json> {
        use base64::Engine;
        let secrets = self.everything().into_iter().filter(|o| text(o, "/type") == "windlass.io/release.v1");
        let meta = |secret: Json| {
            let bytes = base64::prelude::BASE64_STANDARD.decode(secret.pointer("/data/meta")?.as_str()?).ok()?;
            let mut meta: Json = serde_json::from_slice(&bytes).ok()?;
            let packed = base64::prelude::BASE64_STANDARD.decode(secret.pointer("/data/resources")?.as_str()?).ok()?;
            meta["resources"] = serde_json::from_slice(&zstd::decode_all(&*packed).ok()?).ok()?;
            Some(meta)
        };
        secrets.filter_map(meta).collect()
    }

    /// Specs and data of everything, without what changes from run to run.
    pub fn state(&self) -> BTreeMap<String, Json> {
        let objects = self.everything().into_iter().filter(|o| text(o, "/type") != "windlass.io/release.v1");
        objects
            .map(|object| {
                let name = format!("{}/{}", text(&object, "/kind"), text(&object, "/metadata/name"));
                let mut kept = serde_json::Map::new();
                for part in ["spec", "data", "stringData"] {
                    if let Some(mut value) = object.get(part).cloned() {
                        // Whichever address was free.
                        if let Some(spec) = value.as_object_mut() {
                            spec.remove("clusterIP");
                            spec.remove("clusterIPs");
                        }
                        kept.insert(part.into(), value);
                    }
                }
                kept.insert("labels".into(), object.pointer("/metadata/labels").cloned().unwrap_or_default());
                (name, Json::Object(kept))
            })
            .collect()
    }

    /// The resourceVersion of everything, for proofs that nothing was written.
    pub fn versions(&self) -> BTreeMap<String, String> {
        let objects = self.everything().into_iter().filter(|o| text(o, "/type") != "windlass.io/release.v1");
        objects
            .map(|object| {
                let name = format!("{}/{}", text(&object, "/kind"), text(&object, "/metadata/name"));
                (name, text(&object, "/metadata/resourceVersion").to_owned())
            })
            .collect()
    }

    pub fn lease(&self) -> Option<Json> {
        self.get("coordination.k8s.io/v1", "Lease", "windlass.lock.shop")
    }
}

pub fn text<'j>(json: &'j Json, pointer: &str) -> &'j str {
    json.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}
