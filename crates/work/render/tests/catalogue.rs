//! Trees of kustomizations, rendered whole and again.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use windlass_kustomize::Options;
use windlass_render::catalogue::{Done, OUTPUT, render, targets};

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A base, a component and two overlays.
fn catalogue(root: &Path) {
    write(root, "base/kustomization.yaml", "resources: [map.yaml]\n");
    write(root, "base/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: '1'}\n");
    write(root, "labels/kustomization.yaml", "kind: Component\nlabels: [{pairs: {team: payments}}]\n");
    for environment in ["int", "prod"] {
        let text = format!("namePrefix: {environment}-\nresources: [../../base]\ncomponents: [../../labels]\n");
        write(root, &format!("shop/{environment}/kustomization.yml"), &text);
    }
}

fn done(root: &Path, out: &Path) -> BTreeMap<String, Done> {
    let told = Mutex::new(0);
    let found = targets(root).unwrap();
    let options = Options::default;
    let done = render(root, out, &found, &options, "", &|_, _| *told.lock().unwrap() += 1).unwrap();
    assert_eq!(*told.lock().unwrap(), found.len());
    done.into_iter().collect()
}

#[test]
fn what_nothing_else_uses_is_rendered_and_only_when_something_changed() {
    let folder = tempfile::tempdir().unwrap();
    let (root, out) = (folder.path().join("catalogue"), folder.path().join("out"));
    catalogue(&root);
    let all = |what: Done| BTreeMap::from([("shop/int".to_owned(), what.clone()), ("shop/prod".to_owned(), what)]);
    assert_eq!(done(&root, &out), all(Done::Rendered));
    let text = std::fs::read_to_string(out.join("shop/prod").join(OUTPUT)).unwrap();
    assert_eq!(
        text,
        "apiVersion: v1\ndata:\n  a: \"1\"\nkind: ConfigMap\nmetadata:\n  labels:\n    team: payments\n  name: prod-settings\n"
    );
    assert_eq!(done(&root, &out), all(Done::Unchanged));

    // One overlay, then what both use, then a file that is not there any more.
    write(&root, "shop/int/kustomization.yml", "resources: [../../base]\n");
    let changed = done(&root, &out);
    assert_eq!((&changed["shop/int"], &changed["shop/prod"]), (&Done::Rendered, &Done::Unchanged));
    write(&root, "base/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: '2'}\n");
    assert_eq!(done(&root, &out), all(Done::Rendered));
    std::fs::remove_file(out.join("shop/prod").join(OUTPUT)).unwrap();
    let changed = done(&root, &out);
    assert_eq!((&changed["shop/int"], &changed["shop/prod"]), (&Done::Unchanged, &Done::Rendered));
}

#[test]
fn one_that_is_broken_keeps_its_output_and_hinders_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let (root, out) = (folder.path().join("catalogue"), folder.path().join("out"));
    catalogue(&root);
    done(&root, &out);
    let before = std::fs::read_to_string(out.join("shop/int").join(OUTPUT)).unwrap();
    write(&root, "shop/int/kustomization.yml", "resources: [../../gone]\n");
    let broken = done(&root, &out);
    assert!(matches!(&broken["shop/int"], Done::Failed(why) if why.contains("gone")), "{broken:?}");
    assert_eq!(broken["shop/prod"], Done::Unchanged);
    assert_eq!(std::fs::read_to_string(out.join("shop/int").join(OUTPUT)).unwrap(), before);
    catalogue(&root);
    assert_eq!(done(&root, &out)["shop/int"], Done::Unchanged, "all is as it was when its output was written");
}
