use crate::house::{House, edit};
use std::path::Path;
use windlass_tests::{World, example};

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            std::fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

const GENERATED: &str = "generated/payment-service/int-stable/euw1/manifests.yaml";

#[test]
fn the_example_holds_what_its_catalogue_renders_to() {
    let world = World::bare();
    let repository = example("repositories/platform-catalog");
    let catalogue = repository.join("catalog").display().to_string();
    let told = world.run(&["render", "--all", &catalogue, "--out", "generated"]).ok();
    assert_eq!(told, "3 rendered, 0 unchanged, 0 failed in generated\n");
    for environment in ["int-stable", "pre-stable", "prod"] {
        let path = GENERATED.replace("int-stable", environment);
        let rendered = std::fs::read_to_string(world.folder().join(&path)).unwrap();
        assert_eq!(rendered, std::fs::read_to_string(repository.join(&path)).unwrap(), "{path}");
    }
}

#[test]
fn a_rendered_catalogue_is_committed_and_deployed_by_the_pipeline() {
    let world = World::new();
    copy(&example("repositories/platform-catalog"), &world.folder().join("config"));
    let house = House::around(world);
    house.world.run(&["setting", "set", "manifests.placeholderTag", "PLACEHOLDER_TAG"]).ok();
    let scope = "orgIdentifier: default, projectIdentifier: platform";
    house.world.apply(&format!(
        "service: {{identifier: payment_service, name: payment-service, {scope}, serviceDefinition: {{type: Kubernetes, spec: {{\
         variables: [{{name: imageTag, type: String, value: v2.3.0}}], \
         manifests: [{{manifest: {{identifier: catalog, type: K8sManifest, spec: {{store: {{type: Git, spec: {{connectorRef: git, gitFetchType: Branch, branch: main, paths: [{GENERATED}]}}}}}}}}}}]}}}}}}\n"
    ));
    let infrastructure = format!(
        "infrastructureDefinition: {{identifier: here, name: here, {scope}, environmentRef: test, deploymentType: Kubernetes, \
         type: KubernetesDirect, spec: {{connectorRef: cluster, namespace: shop, releaseName: payment-service}}}}\n"
    );
    house.world.apply(&infrastructure);
    house.deploy("payment_service");
    let image = "registry.example.com/acme/payment-service:v2.3.0".to_owned();
    assert_eq!(house.wants("payment-service"), (2, image.clone()));

    house.push(|clone| {
        edit(&clone.join("catalog/payment-service/int-stable/euw1/kustomization.yaml"), "count: 2", "count: 3");
        let run = |told: &str| {
            let all = ["render", "--all", "catalog", "--out", "generated"];
            let ran = house.world.run_with(&all, |command| {
                command.current_dir(clone);
            });
            assert_eq!(ran.ok(), told);
        };
        run("3 rendered, 0 unchanged, 0 failed in generated\n");
        run("0 rendered, 3 unchanged, 0 failed in generated\n");
    });
    house.deploy("payment_service");
    assert_eq!(house.wants("payment-service"), (3, image));
}
