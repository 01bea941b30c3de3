//! Kustomizations and charts on the command line: as the tools do it, without them (rendering §1, §3).

use windlass_tests::World;

fn catalogue(world: &World) {
    world.file("catalogue/base/kustomization.yaml", "resources: [map.yaml]\n");
    world.file(
        "catalogue/base/map.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: yes}\n",
    );
    world.file("catalogue/shop/prod/kustomization.yaml", "namePrefix: prod-\nresources: [../../base]\n");
}

const BUILT: &str = "apiVersion: v1\ndata:\n  a: \"yes\"\nkind: ConfigMap\nmetadata:\n  name: prod-settings\n";

#[test]
fn scripts_that_call_kustomize_go_on_as_before() {
    let world = World::bare();
    catalogue(&world);
    assert_eq!(world.run(&["kustomize", "build", "catalogue/shop/prod"]).ok(), BUILT);
    world.run(&["kustomize", "build", "-o", "built.yaml", "catalogue/shop/prod"]).ok();
    assert_eq!(std::fs::read_to_string(world.folder().join("built.yaml")).unwrap(), BUILT);
    let nowhere = world.run(&["kustomize", "build", "nowhere"]).fails(1);
    assert!(nowhere.starts_with("Error: must build at directory"), "{nowhere}");
    world.run(&["kustomize", "build", "--enable-helm", "--enable-exec=false", "catalogue/shop/prod"]).ok();
    let refused = world.run(&["kustomize", "build", "--enable-exec", "catalogue/shop/prod"]).fails(1);
    assert!(refused.contains("use the built-in transformers"), "{refused}");
}

#[test]
fn every_line_of_a_build_knows_where_it_comes_from() {
    let world = World::bare();
    catalogue(&world);
    let told = world.run(&["render", "catalogue/shop/prod", "--explain"]).ok();
    let lines: Vec<serde_json::Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4, "{told}");
    let name = lines.last().unwrap();
    assert_eq!(name["line"], 6);
    assert_eq!(name["sourceLine"], 3);
    assert!(name["file"].as_str().unwrap().ends_with("catalogue/base/map.yaml"), "{name}");
    assert_eq!(name["transformers"], serde_json::json!(["namePrefix"]));
}

#[test]
fn a_catalogue_is_rendered_whole_and_then_only_what_changed() {
    let world = World::bare();
    catalogue(&world);
    let all = ["render", "--all", "catalogue", "--out", "generated"];
    assert_eq!(world.run(&all).ok(), "1 rendered, 0 unchanged, 0 failed in generated\n");
    let file = world.folder().join("generated/shop/prod/manifests.yaml");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), BUILT);
    assert_eq!(world.run(&all).ok(), "0 rendered, 1 unchanged, 0 failed in generated\n");
    world.file("catalogue/shop/prod/kustomization.yaml", "resources: [../../gone]\n");
    let broken = world.run(&all).fails(1);
    assert!(broken.contains("shop/prod") && broken.contains("gone"), "{broken}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), BUILT);
}

#[test]
fn scripts_that_call_helm_template_go_on_as_before() {
    let world = World::bare();
    world.file("chart/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
    world.file("chart/values.yaml", "replicas: 1\n");
    world.file(
        "chart/templates/map.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-{{ .Chart.Name }}\ndata:\n  replicas: {{ .Values.replicas | quote }}\n",
    );
    let told = world.run(&["helm", "template", "live", "chart", "--set", "replicas=3"]).ok();
    let wanted = "---\n# Source: shop/templates/map.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: live-shop\ndata:\n  replicas: \"3\"\n";
    assert_eq!(told, wanted);
    assert_eq!(world.run(&["render", "chart", "--name", "live", "--set", "replicas=3"]).ok(), wanted);
    let pulled = world.run(&["helm", "template", "x", "--repo", "https://127.0.0.1:9"]).fails(1);
    assert!(
        pulled.contains("cannot fetch the chart of `x`: https://127.0.0.1:9/index.yaml: no connection"),
        "{pulled}"
    );
    let listed = world.run(&["helm", "template", "x", "stable/shop"]).fails(1);
    assert!(listed.contains("give the name with --repo URL"), "{listed}");
}
