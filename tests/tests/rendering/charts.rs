use crate::house::{House, edit};
use windlass_tests::{Shelf, packed};

const CHART: &str = "apiVersion: v2\nname: web\nversion: 1.0.0\n";
const VALUES: &str = "replicas: 1\nimage: none\n";
const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}-web}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata:
      labels: {app: {{ .Release.Name }}}
      annotations: {chart: {{ .Chart.Version | quote }}}
    spec:
      containers: [{name: web, image: {{ .Values.image }}}]
";

fn files(version: &str) -> Vec<(&'static str, String)> {
    vec![
        ("Chart.yaml", CHART.replace("1.0.0", version)),
        ("values.yaml", VALUES.to_owned()),
        ("values-test.yaml", "replicas: 2\n".to_owned()),
        ("templates/deployment.yaml", DEPLOYMENT.to_owned()),
    ]
}

const OWN_VALUES: &str = "\
- manifest:
    identifier: own
    type: Values
    spec: {store: {type: Inline, spec: {content: 'image: registry.example/acme/web:v3'}}}
";

fn chart_version(house: &House, deployment: &str) -> String {
    let found = house.object(&format!("deployments/{deployment}")).unwrap();
    found.pointer("/spec/template/metadata/annotations/chart").unwrap().as_str().unwrap().to_owned()
}

#[test]
fn a_chart_from_git_is_deployed_changed_and_taken_back() {
    let at = |name: &str| format!("charts/web/{name}");
    let chart: Vec<(String, String)> = files("1.0.0").into_iter().map(|(name, text)| (at(name), text)).collect();
    let house = House::new(&chart.iter().map(|(name, text)| (&**name, &**text)).collect::<Vec<_>>());
    let manifest = "\
- manifest:
    identifier: main
    type: HelmChart
    spec:
      store: {type: Git, spec: {connectorRef: git, gitFetchType: Branch, branch: main, folderPath: charts/web}}
      valuesPaths: [charts/web/values-test.yaml]
      helmVersion: V3
";
    house.service("web", &format!("{manifest}{OWN_VALUES}"));
    house.deploy("web");
    assert_eq!(house.wants("web-web"), (2, "registry.example/acme/web:v3".to_owned()));
    house.push(|clone| edit(&clone.join("charts/web/values-test.yaml"), "replicas: 2", "replicas: 3"));
    house.deploy("web");
    assert_eq!(house.wants("web-web").0, 3);
    house.push(|clone| edit(&clone.join("charts/web/values-test.yaml"), "replicas: 3", "replicas: 5"));
    let failed = house.run("web", "1");
    assert_eq!(house.step(&failed, "back")["status"], "Success", "{}", house.why(&failed));
    assert_eq!(house.wants("web-web").0, 3);
}

#[test]
fn charts_of_repositories_and_registries_are_deployed_with_their_connectors() {
    let house = House::new(&[("README.md", "nothing")]);
    let shelf = Shelf::new("bot", "hunter2-of-the-charts");
    let publish = |versions: &[&str]| {
        let mut index = "apiVersion: v1\nentries:\n  web:\n".to_owned();
        for version in versions {
            let packed = packed("web", &files(version));
            index.push_str(&format!(
                "  - {{version: {version}, urls: [web-{version}.tgz], digest: {}}}\n",
                shelf.digest(&packed)
            ));
            shelf.put(&format!("/stable/web-{version}.tgz"), packed.clone());
            shelf.chart("charts/web", version, packed);
        }
        shelf.put("/stable/index.yaml", index);
    };
    publish(&["1.0.0"]);
    let (address, scope) = (shelf.address(), "orgIdentifier: default, projectIdentifier: platform");
    let auth = "auth: {type: UsernamePassword, spec: {username: bot, passwordRef: charts_password}}";
    house.world.apply(&format!(
        "secret: {{identifier: charts_password, name: charts_password, {scope}, type: SecretText, spec: {{secretManagerIdentifier: harnessSecretManager, valueType: Inline, value: hunter2-of-the-charts}}}}\n---\n\
         connector: {{identifier: stable, name: stable, {scope}, type: HttpHelmRepo, spec: {{helmRepoUrl: 'http://{address}/stable', {auth}}}}}\n---\n\
         connector: {{identifier: registry, name: registry, {scope}, type: OciHelmRepo, spec: {{helmRepoUrl: 'oci://{address}', {auth}}}}}\n---\n\
         connector: {{identifier: anonymous, name: anonymous, {scope}, type: HttpHelmRepo, spec: {{helmRepoUrl: 'http://{address}/stable', auth: {{type: Anonymous}}}}}}\n"
    ));
    for connector in ["stable", "registry"] {
        let told = house.world.run(&["connector", "test", connector]).ok();
        assert!(told.contains("SUCCESS"), "{told}");
    }
    let refused = house.world.run(&["connector", "test", "anonymous"]);
    assert_eq!(refused.code, 1);
    assert!(refused.out.contains("FAILURE") && refused.out.contains("auth"), "{}", refused.out);

    let manifest = |store: &str| {
        format!(
            "- manifest:\n    identifier: main\n    type: HelmChart\n    spec:\n      store: {store}\n      chartName: web\n      \
             chartVersion: ^1\n      valuesPaths: [values-test.yaml]\n      commandFlags: [{{commandType: Template, flag: --set replicas=4}}]\n{OWN_VALUES}"
        )
    };
    let http = "{type: Http, spec: {connectorRef: stable}}";
    let oci = "{type: OciHelmChart, spec: {basePath: charts, config: {type: Generic, spec: {connectorRef: registry}}}}";
    for (service, store) in [("byhttp", http), ("byoci", oci)] {
        house.service(service, &manifest(store));
        let shown = house.deploy(service);
        let deployment = format!("{service}-web");
        assert_eq!(house.wants(&deployment), (4, "registry.example/acme/web:v3".to_owned()), "{}", house.why(&shown));
        assert_eq!(chart_version(&house, &deployment), "1.0.0");
    }
    // A new version is found by the next run, and taken back with everything else.
    shelf.tags("charts/web", &["1.0.0", "1.1.0"]);
    publish(&["1.1.0", "1.0.0"]);
    for service in ["byhttp", "byoci"] {
        let failed = house.run(service, "1");
        assert_eq!(house.step(&failed, "rolling")["status"], "Success", "{}", house.why(&failed));
        let pinned = house.step(&failed, "rolling")["output"]["commits"].to_string();
        assert!(pinned.contains("1.1.0 sha256:"), "{pinned}");
        assert_eq!(house.step(&failed, "back")["status"], "Success", "{}", house.why(&failed));
        assert_eq!(chart_version(&house, &format!("{service}-web")), "1.0.0");
        assert!(!house.why(&failed).contains("hunter2"), "the password is told");
    }

    let chart = house
        .world
        .run(&[
            "helm",
            "template",
            "live",
            &format!("oci://{address}/charts/web"),
            "--username",
            "bot",
            "--password",
            "hunter2-of-the-charts",
            "--set",
            "image=x",
        ])
        .ok();
    assert!(chart.contains("name: live-web") && chart.contains("chart: \"1.1.0\""), "{chart}");
    let repo = format!("http://{address}/stable");
    let older = house
        .world
        .run(&[
            "helm",
            "template",
            "web",
            "--repo",
            &repo,
            "--version",
            "1.0.x",
            "--username",
            "bot",
            "--password",
            "hunter2-of-the-charts",
        ])
        .ok();
    assert!(older.contains("chart: \"1.0.0\""), "{older}");
    let refused = house.world.run(&["helm", "template", "web", "--repo", &repo]).fails(1);
    assert!(refused.contains("wants user and password"), "{refused}");
}
