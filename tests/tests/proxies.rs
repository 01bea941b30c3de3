//! A delegate behind a forward proxy (kubernetes-deploy §4.5): the server, the cluster and what steps call are reached through it,
//! and what `NO_PROXY` names is not.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a scenario")]

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use windlass_tests::{ForwardProxy, Process, World, node};

/// A call of an Http step, a script that shows its proxy, and a deployment.
const DOCUMENTS: &str = "\
connector:
  identifier: cluster
  name: cluster
  orgIdentifier: default
  projectIdentifier: platform
  type: K8sCluster
  spec: {credential: {type: InheritFromDelegate}, delegateSelectors: [worker]}
---
environment: {identifier: dev, name: dev, orgIdentifier: default, projectIdentifier: platform, type: PreProduction}
---
infrastructureDefinition:
  identifier: dev_k8s
  name: dev-k8s
  orgIdentifier: default
  projectIdentifier: platform
  environmentRef: dev
  deploymentType: Kubernetes
  type: KubernetesDirect
  spec: {connectorRef: cluster, namespace: shop, releaseName: shop}
---
service:
  identifier: shop
  name: shop
  orgIdentifier: default
  projectIdentifier: platform
  serviceDefinition:
    type: Kubernetes
    spec:
      manifests:
        - manifest:
            identifier: main
            type: K8sManifest
            spec:
              store:
                type: Inline
                spec:
                  content: |
                    apiVersion: v1
                    kind: ConfigMap
                    metadata: {name: settings}
                    data: {color: blue}
---
pipeline:
  identifier: out
  name: out
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: ship
        name: ship
        type: Deployment
        spec:
          deploymentType: Kubernetes
          service: {serviceRef: shop}
          environment: {environmentRef: dev, infrastructureDefinitions: [{identifier: dev_k8s}]}
          execution:
            steps:
              - step:
                  identifier: call
                  name: call
                  type: Http
                  timeout: 30m
                  spec: {method: GET, url: 'http://HOOK/hello'}
              - step:
                  identifier: show
                  name: show
                  type: ShellScript
                  timeout: 30m
                  spec:
                    shell: Bash
                    onDelegate: true
                    source: {type: Inline, spec: {script: 'seen=$HTTPS_PROXY'}}
                    outputVariables: [{name: seen, type: String, value: seen}]
              - step: {identifier: deploy, name: deploy, type: K8sRollingDeploy, timeout: 5m, spec: {}}
            rollbackSteps: []
        failureStrategies: [{onFailure: {errors: [AllErrors], action: {type: StageRollback}}}]
";

struct Network {
    world: World,
    hook: String,
    cluster: String,
    _kube: Process,
}

impl Network {
    fn new() -> Self {
        let world = World::new();
        let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n";
        world.file("seed.yaml", namespace);
        let cluster = ["kube-sim", "--listen", "127.0.0.1:0", "--admin-token", "admin", "--seed", "seed.yaml"];
        let mut kube = world.start("cluster", &[&cluster[..], &["--kubeconfig", "kubeconfig"]].concat());
        let said = kube.says("serves https://");
        let cluster = said.split(',').next().unwrap().to_owned();
        let hook = hook();
        world.apply(&DOCUMENTS.replace("HOOK", &hook));
        Self { world, hook, cluster, _kube: kube }
    }

    /// Runs the pipeline on a delegate with these variables; answers with the proxy that scripts see.
    fn runs_with(&self, variables: &[(&str, &str)]) -> String {
        let token = self.world.run(&["delegate", "token", "create", "worker"]).ok();
        let arguments = ["--server", &self.world.url(), "delegate", "--name", "worker", "--work-folder", "work"];
        let mut delegate =
            self.world.start_with("delegate", &[&arguments[..], &["--kubeconfig", "kubeconfig"]].concat(), |command| {
                command.env("DELEGATE_TOKEN", token.trim()).envs(variables.iter().copied());
            });
        delegate.says("connected");
        let run = self.world.start_run("out", &[]);
        let shown = self.world.ended(&run);
        assert_eq!(shown["run"]["status"], "Success", "{shown}\n{}", delegate.output());
        node(&shown, "show")["output"]["outputVariables"]["seen"].as_str().unwrap().to_owned()
    }

    fn server(&self) -> String {
        self.world.url()
    }
}

/// Something that steps may call.
fn hook() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut seen = [0; 4096];
            let _ = stream.read(&mut seen);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nhi");
        }
    });
    address
}

#[test]
fn everything_goes_through_the_proxy() {
    let network = Network::new();
    let proxy = ForwardProxy::start(Some("d2luZGxhc3M6c2VjcmV0"));
    let url = format!("http://windlass:secret@{}", proxy.address());
    let seen = network.runs_with(&[("HTTP_PROXY", &url), ("https_proxy", &url)]);
    assert!(seen.ends_with(proxy.address()), "scripts know the proxy: {seen}");
    let asked = proxy.asked();
    let is_asked = |what: &str| asked.iter().any(|line| line == what);
    assert!(is_asked(&format!("POST {}/delegate-service/register", network.server())), "{asked:#?}");
    assert!(is_asked(&format!("GET {}/delegate-service/connect", network.server())), "{asked:#?}");
    assert!(is_asked(&format!("GET http://{}/hello", network.hook)), "{asked:#?}");
    assert!(is_asked(&format!("CONNECT {}", network.cluster)), "{asked:#?}");
}

#[test]
fn what_no_proxy_names_is_reached_directly() {
    let network = Network::new();
    let proxy = ForwardProxy::start(None);
    let url = format!("http://{}", proxy.address());
    network.runs_with(&[("HTTP_PROXY", &url), ("HTTPS_PROXY", &url), ("NO_PROXY", "localhost,127.0.0.0/8")]);
    assert_eq!(proxy.asked(), [""; 0]);
}

#[test]
fn the_vendor_s_variables_spare_the_server_unless_they_name_it() {
    let network = Network::new();
    let proxy = ForwardProxy::start(Some("d2luZGxhc3M6c2VjcmV0"));
    let (host, port) = proxy.address().split_once(':').unwrap();
    let vendor = [("PROXY_HOST", host), ("PROXY_PORT", port), ("PROXY_USER", "windlass"), ("PROXY_PASSWORD", "secret")];
    network.runs_with(&vendor);
    let asked = proxy.asked();
    assert!(asked.contains(&format!("CONNECT {}", network.cluster)), "{asked:#?}");
    assert!(!asked.iter().any(|line| line.contains("/delegate-service/")), "{asked:#?}");
    let network = Network::new();
    network.runs_with(&[&vendor[..], &[("PROXY_MANAGER", "true")]].concat());
    let asked = proxy.asked();
    assert!(asked.contains(&format!("GET {}/delegate-service/connect", network.server())), "{asked:#?}");
}
