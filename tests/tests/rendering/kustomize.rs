use crate::house::{House, edit};

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example/acme/web:v1
          envFrom: [{configMapRef: {name: settings}}]
";

pub(crate) const FILES: &[(&str, &str)] = &[
    (
        "base/kustomization.yaml",
        "resources: [deployment.yaml]\nconfigMapGenerator: [{name: settings, literals: [level=info]}]\n",
    ),
    ("base/deployment.yaml", DEPLOYMENT),
    (
        "overlays/test/kustomization.yaml",
        "resources: [../../base]\nnamePrefix: test-\nreplicas: [{name: web, count: 2}]\n",
    ),
    (
        "overlays/test/level.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {level: <+serviceVariables.level>}\n",
    ),
];

pub(crate) const MANIFEST: &str = "\
- manifest:
    identifier: main
    type: Kustomize
    spec:
      store: {type: Git, spec: {connectorRef: git, gitFetchType: Branch, branch: main, folderPath: overlays/test}}
      patchesPaths: [overlays/test/level.yaml]
      skipResourceVersioning: true
- manifest:
    identifier: image
    type: KustomizePatches
    spec:
      store: {type: Inline, spec: {content: 'images: [{name: registry.example/acme/web, newTag: v2}]'}}
";

#[test]
fn a_kustomization_is_deployed_changed_and_taken_back() {
    let house = House::new(FILES);
    house.service("web", MANIFEST);
    let first = house.deploy("web");
    assert_eq!(house.wants("test-web"), (2, "registry.example/acme/web:v2".to_owned()));
    // The patch was resolved, and the name that its generator made is not versioned a second time.
    let deployment = house.object("deployments/test-web").unwrap();
    let name = deployment.pointer("/spec/template/spec/containers/0/envFrom/0/configMapRef/name").unwrap();
    let name = name.as_str().unwrap();
    assert!(name.starts_with("test-settings-") && name.len() == "test-settings-".len() + 10, "{name}");
    let map = house.object(&format!("configmaps/{name}")).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(map["data"]["level"], "debug", "{}", house.why(&first));

    house.push(|clone| edit(&clone.join("overlays/test/kustomization.yaml"), "count: 2", "count: 4"));
    let second = house.deploy("web");
    assert_eq!(house.wants("test-web").0, 4);
    assert_ne!(commits(&first, &house), commits(&second, &house));

    house.push(|clone| edit(&clone.join("overlays/test/kustomization.yaml"), "count: 4", "count: 1"));
    let failed = house.run("web", "1");
    assert_eq!(failed["run"]["status"], "Failed", "{failed}");
    assert_eq!(house.step(&failed, "rolling")["status"], "Success", "{}", house.why(&failed));
    assert_eq!(house.step(&failed, "back")["status"], "Success", "{}", house.why(&failed));
    assert_eq!(house.wants("test-web").0, 4, "the last good release is back");
}

fn commits(shown: &serde_json::Value, house: &House) -> serde_json::Value {
    house.step(shown, "rolling")["output"]["commits"].clone()
}

#[test]
fn what_a_kustomization_lacks_is_told_with_its_place() {
    let house = House::new(FILES);
    house.service("web", &MANIFEST.replace("overlays/test}", "overlays/tets}"));
    let shown = house.run("web", "0");
    assert_eq!(shown["run"]["status"], "Failed");
    let why = house.why(&shown);
    assert!(why.contains("has no folder overlays/tets; there is overlays/test"), "{why}");
    house.push(|clone| edit(&clone.join("base/kustomization.yaml"), "deployment.yaml", "deploymnt.yaml"));
    house.service("web", MANIFEST);
    let why = house.why(&house.run("web", "0"));
    assert!(why.contains("cannot build the kustomization of `main`") && why.contains("deploymnt.yaml"), "{why}");
}
