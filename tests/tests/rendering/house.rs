//! An installation with one cluster, one forge, and a pipeline that deploys any service of the project.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use windlass_tests::{Process, World, node, send};

pub(crate) struct House {
    pub world: World,
    forge: String,
    api: String,
    _processes: Vec<Process>,
}

const TOKEN: &str = "forge-of-the-test";

const DOCUMENTS: &str = "\
secret: {identifier: git_token, name: git_token, SCOPE, type: SecretText, spec: {secretManagerIdentifier: harnessSecretManager, valueType: Inline, value: TOKEN}}
---
connector: {identifier: git, name: git, SCOPE, type: Git, spec: {url: 'FORGE/acme/config', connectionType: Repo, type: Http, spec: {username: bot, passwordRef: git_token}}}
---
connector: {identifier: cluster, name: cluster, SCOPE, type: K8sCluster, spec: {credential: {type: InheritFromDelegate}, delegateSelectors: [edge]}}
---
environment: {identifier: test, name: test, SCOPE, type: PreProduction}
---
infrastructureDefinition: {identifier: here, name: here, SCOPE, environmentRef: test, deploymentType: Kubernetes, type: KubernetesDirect, spec: {connectorRef: cluster, namespace: shop, releaseName: <+service.identifier>}}
---
pipeline:
  identifier: deploy
  name: deploy
  ORG: default
  PROJECT: platform
  variables:
    - {name: service, type: String, value: <+input>}
    - {name: code, type: String, value: '<+input>.default(0)'}
  stages:
    - stage:
        identifier: roll
        name: roll
        type: Deployment
        spec:
          deploymentType: Kubernetes
          service: {serviceRef: <+pipeline.variables.service>}
          environment: {environmentRef: test, infrastructureDefinitions: [{identifier: here}]}
          execution:
            steps:
              - step: {identifier: diff, name: diff, type: K8sDiff, timeout: 30m, spec: {}}
              - step: {identifier: rolling, name: rolling, type: K8sRollingDeploy, timeout: 30m, spec: {pruningEnabled: true}}
              - step:
                  identifier: check
                  name: check
                  type: ShellScript
                  timeout: 30m
                  spec:
                    shell: Bash
                    onDelegate: true
                    source: {type: Inline, spec: {script: exit $CODE}}
                    environmentVariables: [{name: CODE, type: String, value: <+pipeline.variables.code>}]
            rollbackSteps:
              - step: {identifier: back, name: back, type: K8sRollingRollback, timeout: 30m, spec: {pruningEnabled: true}}
        failureStrategies: [{onFailure: {errors: [AllErrors], action: {type: StageRollback}}}]
";

/// Connectors, environment and pipeline, with the forge at this address.
pub(crate) fn documents(forge: &str) -> String {
    DOCUMENTS
        .replace("SCOPE", "orgIdentifier: default, projectIdentifier: platform")
        .replace("ORG:", "orgIdentifier:")
        .replace("PROJECT:", "projectIdentifier:")
        .replace("FORGE", forge)
        .replace("TOKEN", TOKEN)
}

/// A service with these manifests.
pub(crate) fn service(identifier: &str, manifests: &str) -> String {
    let indented: String = manifests.lines().map(|line| format!("        {line}\n")).collect();
    format!(
        "service:\n  identifier: {identifier}\n  name: {identifier}\n  orgIdentifier: default\n  projectIdentifier: platform\n  \
         serviceDefinition:\n    type: Kubernetes\n    spec:\n      variables: [{{name: level, type: String, value: debug}}]\n      \
         manifests:\n{indented}"
    )
}

impl House {
    /// With these files as the first commit of the configuration repository.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let world = World::new();
        for (path, text) in files {
            world.file(&format!("config/{path}"), text);
        }
        Self::around(world)
    }

    /// With the folder `config` of the world as the configuration repository.
    pub(crate) fn around(world: World) -> Self {
        let token = format!("bot:write={TOKEN}");
        let arguments = ["git-sim", "--listen", "127.0.0.1:0", "--repository", "acme/config=config", "--token", &token];
        let mut forge_process = world.start("git-sim", &arguments);
        let forge = forge_process.says("git-sim serves ").split(',').next().unwrap().to_owned();
        world.file("seed.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n");
        let line =
            "kube-sim --listen 127.0.0.1:0 --admin-token admin --name edge --seed seed.yaml --kubeconfig kubeconfig";
        let mut cluster = world.start("kube-sim", &line.split_whitespace().collect::<Vec<_>>());
        let said = cluster.says("serves https://");
        let api = format!("http://{}", said.split([',', ' ']).next().unwrap());
        world.apply(&documents(&forge));
        let delegate = world.start_delegate("edge", &["--kubeconfig", "kubeconfig"]);
        Self { world, forge, api, _processes: vec![forge_process, cluster, delegate] }
    }

    /// Saves a service whose main manifest this is; `more` are further manifests.
    pub(crate) fn service(&self, identifier: &str, manifests: &str) {
        self.world.apply(&service(identifier, manifests));
    }

    /// Deploys, and answers with what `run show` tells at the end.
    #[track_caller]
    pub(crate) fn deploy(&self, service: &str) -> Value {
        let shown = self.run(service, "0");
        assert_eq!(shown["run"]["status"], "Success", "{}", self.why(&shown));
        shown
    }

    /// Deploys; a code that is not 0 fails the step behind the deployment, which takes it back.
    #[track_caller]
    pub(crate) fn run(&self, service: &str, code: &str) -> Value {
        let (service, code) = (format!("service={service}"), format!("code={code}"));
        let run = self.world.start_run("deploy", &["-i", &service, "-i", &code]);
        self.world.ended(&run)
    }

    /// The log of a run, for messages of tests and for what steps say.
    pub(crate) fn why(&self, shown: &Value) -> String {
        let run = shown["run"]["run"].as_str().or_else(|| shown["run"]["id"].as_str()).unwrap_or_default();
        let logs = self.world.run(&["run", "logs", run]);
        format!("{}{}\n{}", logs.out, logs.err, serde_json::to_string_pretty(shown).unwrap())
    }

    #[track_caller]
    pub(crate) fn step<'s>(&self, shown: &'s Value, identifier: &str) -> &'s Value {
        node(shown, identifier)
    }

    /// An object in the namespace, read from the cluster itself; nothing when it is not there.
    #[track_caller]
    pub(crate) fn object(&self, path: &str) -> Option<Value> {
        let (group, name) = path.split_once('/').unwrap();
        let base = if group == "deployments" { "apis/apps/v1" } else { "api/v1" };
        let url = format!("{}/{base}/namespaces/shop/{group}/{name}", self.api);
        let reply = send("GET", &url, &[("authorization", "Bearer admin")], "");
        assert!([200, 404].contains(&reply.status), "{url}: {}", reply.body);
        (reply.status == 200).then(|| reply.json())
    }

    /// The number of pods that a Deployment wants, and its image.
    #[track_caller]
    pub(crate) fn wants(&self, deployment: &str) -> (u64, String) {
        let found = self.object(&format!("deployments/{deployment}")).unwrap_or_else(|| panic!("no {deployment}"));
        let image = found.pointer("/spec/template/spec/containers/0/image").unwrap().as_str().unwrap().to_owned();
        (found["spec"]["replicas"].as_u64().unwrap(), image)
    }

    /// Changes the configuration repository as its owners do: clone, change, commit, push.
    #[track_caller]
    pub(crate) fn push(&self, change: impl FnOnce(&PathBuf)) {
        let clone = self.world.folder().join("clone");
        if !clone.exists() {
            let url = format!("{}/acme/config.git", self.forge).replacen("://", &format!("://bot:{TOKEN}@"), 1);
            git(self.world.folder(), &["clone", "--quiet", &url, "clone"]);
        }
        change(&clone);
        git(&clone, &["add", "--all"]);
        git(&clone, &["commit", "--quiet", "--message", "change"]);
        git(&clone, &["push", "--quiet"]);
    }
}

#[track_caller]
fn git(folder: &std::path::Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=Editor", "-c", "user.email=editor@example.com"]).args(arguments);
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_TERMINAL_PROMPT", "0");
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Replaces a text in a file.
#[track_caller]
pub(crate) fn edit(file: &std::path::Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{from} is not in {}:\n{text}", file.display());
    std::fs::write(file, text.replace(from, to)).unwrap();
}
