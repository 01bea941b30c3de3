//! A rehearsal renders what a run renders, with folders in the place of everything outside.

use crate::house::{documents, service};
use crate::kustomize;
use windlass_tests::{Ran, World};

const CHART: &str = "\
- manifest:
    identifier: main
    type: HelmChart
    spec:
      store: {type: OciHelmChart, spec: {basePath: charts, config: {type: Generic, spec: {connectorRef: registry}}}}
      chartName: cache
      chartVersion: 1.0.0
- manifest:
    identifier: own
    type: Values
    spec: {store: {type: Inline, spec: {content: 'replicas: 3'}}}
";

const REGISTRY: &str = "connector: {identifier: registry, name: registry, orgIdentifier: default, projectIdentifier: platform, type: OciHelmRepo, spec: {helmRepoUrl: 'oci://registry.example', auth: {type: Anonymous}}}\n";

fn rehearse(world: &World, service: &str) -> Ran {
    let input = format!("service={service}");
    let line = "rehearse -f documents.yaml --pipeline deploy --cluster cluster=seed.yaml --repository https://git.example/acme/config=config --repository oci://registry.example/charts=shelf -i code=0 -i";
    let mut arguments: Vec<&str> = line.split_whitespace().collect();
    arguments.push(&input);
    world.run(&arguments)
}

#[test]
fn kustomizations_and_charts_are_rehearsed() {
    let world = World::bare();
    for (path, text) in kustomize::FILES {
        world.file(&format!("config/{path}"), text);
    }
    world.file("shelf/cache/Chart.yaml", "apiVersion: v2\nname: cache\nversion: 1.0.0\n");
    world.file("shelf/cache/values.yaml", "replicas: 1\n");
    world.file(
        "shelf/cache/templates/deployment.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: {{ .Release.Name }}-cache}\nspec:\n  replicas: {{ .Values.replicas }}\n  \
         selector: {matchLabels: {app: cache}}\n  template:\n    metadata: {labels: {app: cache}}\n    spec: {containers: [{name: cache, image: 'cache:1'}]}\n",
    );
    world.file("seed.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n");
    let all = [
        documents("https://git.example"),
        REGISTRY.to_owned(),
        service("web", kustomize::MANIFEST),
        service("cache", CHART),
        service("lost", &CHART.replace("chartName: cache", "chartName: cash")),
    ];
    world.file("documents.yaml", &all.join("---\n"));
    let web = rehearse(&world, "web").ok();
    assert!(web.contains("Deployment/test-web") && web.contains("2 of 2 ready"), "{web}");
    let cache = rehearse(&world, "cache").ok();
    assert!(cache.contains("Deployment/cache-cache") && cache.contains("3 of 3 ready"), "{cache}");
    let lost = rehearse(&world, "lost");
    assert_eq!(lost.code, 1);
    assert!(lost.out.contains("cash"), "{}{}", lost.out, lost.err);
}
