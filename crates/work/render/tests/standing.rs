//! Folders that stand for repositories, as in rehearsals: charts and kustomizations, with what they name elsewhere.
#![allow(clippy::unwrap_used)]

#[path = "support/service.rs"]
mod service;

use service::{service, target};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use tempfile::TempDir;
use tokio::runtime::Builder;
use windlass_clock::Clock;
use windlass_git::{Folders, Options, Repositories};
use windlass_model::Timestamp;
use windlass_model::task::source::{
    ChartRepository, ChartSource, GitAuth, GitReference, GitRepository, ManifestKind, ManifestSource, Overlay, Store,
};
use windlass_render::{Renderer, Request};

const FILES: [(&str, &str); 9] = [
    (
        "deploy/charts/shop/Chart.yaml",
        "apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies:\n\
         - {name: near, version: 0.1.0, repository: 'file://../near'}\n\
         - {name: common, version: 2.0.0, repository: 'oci://registry.example/charts'}\n",
    ),
    ("deploy/charts/shop/templates/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop}\n"),
    ("deploy/charts/near/Chart.yaml", "apiVersion: v2\nname: near\nversion: 0.1.0\n"),
    ("deploy/charts/near/templates/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: near}\n"),
    ("charts/common/Chart.yaml", "apiVersion: v2\nname: common\nversion: 2.0.0\n"),
    ("charts/common/templates/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: common}\n"),
    (
        "deploy/overlay/kustomization.yaml",
        "resources: ['https://git.example/acme/library//base?ref=v1']\nnamePrefix: prod-\n",
    ),
    ("library/base/kustomization.yaml", "resources: [map.yaml]\n"),
    ("library/base/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"),
];

fn renderer(folder: &TempDir) -> Renderer {
    let at = |name: &str| folder.path().join("of").join(name);
    for (path, text) in FILES {
        let path = at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let stands = |address: &str, name: &str| -> (String, PathBuf) { (address.to_owned(), at(name)) };
    let folders = Folders::new([
        stands("https://git.example/acme/deploy", "deploy"),
        stands("https://git.example/acme/library", "library"),
        stands("oci://registry.example/charts", "charts"),
    ]);
    let options = Options { folders: Some(folders), ..Options::new(folder.path().join("work"), Clock::system()) };
    Renderer::new(Arc::new(Repositories::open(options).unwrap()))
}

fn git(path: &str) -> Store {
    let url = "https://git.example/acme/deploy".to_owned();
    Store::Git {
        repository: GitRepository { connector: "account.git".into(), url, auth: GitAuth::Anonymous },
        reference: GitReference::Branch("main".into()),
        paths: vec![path.to_owned()],
    }
}

async fn rendered(renderer: &Renderer, main: ManifestSource) -> String {
    let source = service(vec![main], &[]);
    let request = Request {
        source: &source,
        target: &target(),
        pinned: &BTreeMap::new(),
        only: None,
        overrides: &[],
        skip_templates: false,
        now: Timestamp::from_secs(1_763_700_000),
    };
    let rendered = renderer.render(&request).await.unwrap();
    rendered.files.iter().map(|file| file.text.as_str()).collect()
}

/// The end of another thread's work is a matter of chance, and a rehearsal has the same report each time.
#[test]
fn what_a_rehearsal_renders_is_made_on_its_own_thread() {
    let threads = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&threads);
    let count = move || {
        counted.fetch_add(1, Relaxed);
    };
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).on_thread_start(count).build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let renderer = renderer(&folder);
    let main = |kind, store| ManifestSource { identifier: "main".into(), kind, store, ..ManifestSource::default() };
    runtime.block_on(async {
        let chart = Some(ChartSource::default());
        let of_git = rendered(&renderer, ManifestSource { chart, ..main(ManifestKind::HelmChart, git("charts/shop")) });
        let of_git = of_git.await;
        for name in ["shop", "near", "common"] {
            assert!(of_git.contains(&format!("{{name: {name}}}")), "{of_git}");
        }
        let url = "oci://registry.example/charts".to_owned();
        let repository = ChartRepository { connector: "account.charts".into(), url, ..ChartRepository::default() };
        let chart = Some(ChartSource { name: "common".into(), version: "2.0.0".into(), ..ChartSource::default() });
        let pulled = ManifestSource { chart, ..main(ManifestKind::HelmChart, Store::Charts { repository }) };
        assert!(rendered(&renderer, pulled).await.contains("{name: common}"));
        let overlay = Some(Overlay::default());
        let built = ManifestSource { overlay, ..main(ManifestKind::Kustomize, git("overlay")) };
        assert!(rendered(&renderer, built).await.contains("name: prod-settings"));
    });
    assert_eq!(threads.load(Relaxed), 0);
}
