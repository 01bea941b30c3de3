use crate::bench::{Bench, inline, packed, text, wrong};
use std::collections::BTreeMap;
use windlass_model::task::source::{ManifestKind, ManifestSource, Overlay, Store, StoredFile};
use windlass_render::Hosts;

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  replicas: 1
  template:
    spec:
      containers:
        - {name: app, image: app}
";

fn main(store: Store, overlay: Overlay) -> ManifestSource {
    let kind = ManifestKind::Kustomize;
    ManifestSource { identifier: "main".into(), kind, store, overlay: Some(overlay), ..ManifestSource::default() }
}

fn patches(content: &str) -> ManifestSource {
    inline("tuning", ManifestKind::KustomizePatches, content)
}

async fn catalogue(bench: &Bench) -> String {
    let files = [
        ("base/kustomization.yaml", "resources: [deployment.yaml]\n"),
        ("base/deployment.yaml", DEPLOYMENT),
        ("overlays/prod/kustomization.yaml", "resources: [../../base]\nnamePrefix: prod-\n"),
        (
            "overlays/prod/tuning.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\nspec: {replicas: <+serviceVariables.replicas>}\n",
        ),
    ];
    bench.commit("deploy", &files).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overlay_is_built_with_the_patches_of_the_service() {
    let bench = Bench::new().await;
    let commit = catalogue(&bench).await;
    let overlay = Overlay { patches: vec!["overlays/prod/tuning.yaml".into()], ..Overlay::default() };
    let images = patches("images:\n- {name: app, newName: registry.example/acme/shop, newTag: <+artifact.tag>}\n");
    let rendered = bench.render(&main(bench.git("overlays/prod"), overlay), &[images]).await.unwrap();
    assert_eq!(
        text(&rendered),
        "# kustomize build /overlays/prod\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: prod-shop\nspec:\n  \
         replicas: 3\n  template:\n    spec:\n      containers:\n      - image: registry.example/acme/shop:v2.3.0\n        \
         name: app\n"
    );
    assert_eq!(rendered.commit.as_ref(), Some(&commit));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_is_fetched_and_built_once() {
    let bench = Bench::new().await;
    catalogue(&bench).await;
    let main = main(bench.git("overlays/prod"), Overlay::default());
    let first = bench.render(&main, &[]).await.unwrap();
    let after_first = bench.renderer.counts();
    assert_eq!((after_first.renders, after_first.hits), (1, 0));
    // A later step of the stage: nobody is asked, nothing is built.
    let second = bench.again(&main, &[], &first.commits).await.unwrap();
    let after_second = bench.renderer.counts();
    assert_eq!(text(&first), text(&second));
    assert_eq!(after_second.renders, 1, "{after_second:?}");
    assert_eq!(after_second.fetches, after_first.fetches, "{after_second:?}");
    // Another stage asks what the branch is now, and no more than that.
    bench.render(&main, &[]).await.unwrap();
    let after_third = bench.renderer.counts();
    assert_eq!((after_third.renders, after_third.fetches), (1, after_second.fetches + 1), "{after_third:?}");
    // Another patch is another result, and so is another commit.
    bench
        .again(
            &main,
            &[patches("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\nspec: {replicas: 9}\n")],
            &first.commits,
        )
        .await
        .unwrap();
    assert_eq!(bench.renderer.counts().renders, 2);
    bench
        .commit("deploy", &[("overlays/prod/kustomization.yaml", "resources: [../../base]\nnamePrefix: new-\n")])
        .await;
    assert!(text(&bench.render(&main, &[]).await.unwrap()).contains("new-shop"));
    assert!(text(&bench.again(&main, &[], &first.commits).await.unwrap()).contains("prod-shop"), "pinned");
}

#[tokio::test(flavor = "multi_thread")]
async fn bases_of_other_repositories_are_fetched_and_pinned() {
    let bench = Bench::new().await;
    let base = [("app/kustomization.yaml", "resources: [deployment.yaml]\n"), ("app/deployment.yaml", DEPLOYMENT)];
    bench.commit("library", &base).await;
    let remote = format!("resources: ['{}/acme/library.git//app?ref=main']\nnamePrefix: far-\n", bench.forge());
    bench.commit("deploy", &[("k8s/kustomization.yaml", &remote)]).await;
    let main = main(bench.git("k8s"), Overlay::default());
    // The forge wants a token: that of the connector, since the host is the same.
    let first = bench.render(&main, &[]).await.unwrap();
    assert!(text(&first).contains("name: far-shop"), "{}", text(&first));
    let place = format!("{}/acme/library.git ref main", bench.forge());
    assert!(first.commits.contains_key(&place), "{:?}", first.commits);
    bench.commit("library", &[("app/deployment.yaml", &DEPLOYMENT.replace("shop", "changed"))]).await;
    let same = bench.again(&main, &[], &first.commits).await.unwrap();
    assert_eq!(text(&same), text(&first), "a stage sees one commit of everything");
    assert_eq!(bench.renderer.counts().renders, 1);
    assert!(text(&bench.render(&main, &[]).await.unwrap()).contains("far-changed"), "another stage sees the new one");

    let strict = Bench::with(Hosts::parse("none")).await;
    let remote = remote.replace(&bench.forge(), &strict.forge());
    strict.commit("deploy", &[("k8s/kustomization.yaml", &remote)]).await;
    let main = ManifestSource { store: strict.git("k8s"), ..main };
    let refused = wrong(strict.render(&main, &[]).await);
    assert!(refused.contains("is no host that this delegate fetches from"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_by_address_and_charts_of_repositories() {
    let bench = Bench::new().await;
    let host = &bench.shelf.url;
    bench.shelf.put("/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: by-address}\n");
    let chart = packed(&[
        ("Chart.yaml", "apiVersion: v2\nname: cache\nversion: 1.2.0\n"),
        ("templates/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}-cache}\n"),
    ]);
    bench.shelf.publish("cache", "1.2.0", &chart);
    let kustomization = format!(
        "resources: ['http://{host}/map.yaml']\nhelmCharts:\n- {{name: cache, version: 1.2.0, repo: 'oci://{host}/charts', releaseName: live}}\n"
    );
    let files = vec![StoredFile { path: "app/kustomization.yaml".into(), content: kustomization }];
    let main = main(Store::Files { files }, Overlay::default());
    let rendered = bench.render(&main, &[]).await.unwrap();
    let built = text(&rendered);
    assert!(built.contains("name: by-address") && built.contains("name: live-cache"), "{built}");
    bench.shelf.asked();
    // What an address gives may change: it is asked each time. The chart is not.
    bench.again(&main, &[], &rendered.commits).await.unwrap();
    assert_eq!(bench.shelf.asked(), ["/map.yaml"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_lead_to_hosts_that_are_allowed() {
    let bench = Bench::with(Hosts::parse("127.0.0.1")).await;
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: far}\n";
    bench.shelf.put("/map.yaml", map);
    let of = |path: &str| {
        let kustomization = format!("resources: ['http://{}{path}']\n", bench.shelf.url);
        let files = vec![StoredFile { path: "app/kustomization.yaml".into(), content: kustomization }];
        main(Store::Files { files }, Overlay::default())
    };
    // The same server under another name.
    let (_, port) = bench.shelf.url.rsplit_once(':').unwrap();
    bench.shelf.redirect("/near", &format!("http://127.0.0.1:{port}/map.yaml"));
    bench.shelf.redirect("/far", &format!("http://localhost:{port}/map.yaml"));
    assert!(text(&bench.render(&of("/near"), &[]).await.unwrap()).contains("name: far"));
    let refused = wrong(bench.render(&of("/far"), &[]).await);
    assert!(refused.contains("redirected: localhost") && refused.contains("is no host that"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_is_named_is_read() {
    let bench = Bench::limited(Hosts::Any, 64 << 10).await;
    catalogue(&bench).await;
    bench.commit("deploy", &[("videos/large", &"x".repeat(200 << 10))]).await;
    let built = bench.render(&main(bench.git("overlays/prod"), Overlay::default()), &[]).await.unwrap();
    assert!(text(&built).contains("name: prod-shop"), "{}", text(&built));
    // What is not there is told as ever, although not everything can be looked through.
    bench.commit("deploy", &[("overlays/odd/kustomization.yaml", "resources: [../../nowhere]\n")]).await;
    let refused = wrong(bench.render(&main(bench.git("overlays/odd"), Overlay::default()), &[]).await);
    assert!(refused.contains("'/nowhere' doesn't exist"), "{refused}");
    // What is named and too large is told as such.
    bench.commit("deploy", &[("overlays/huge/kustomization.yaml", "resources: [../../videos]\n")]).await;
    let refused = wrong(bench.render(&main(bench.git("overlays/huge"), Overlay::default()), &[]).await);
    assert!(refused.contains("65536"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_told_with_its_place() {
    let bench = Bench::new().await;
    catalogue(&bench).await;
    let of = |path: &str, overlay: Overlay| main(bench.git(path), overlay);
    for (main, more, said) in [
        (of("overlays/prd", Overlay::default()), vec![], "has no folder overlays/prd; there is overlays/prod"),
        (
            of("overlays/prod", Overlay { flags: vec!["--enable-exec".into()], ..Overlay::default() }),
            vec![],
            "the Build flag `--enable-exec` is not offered: no program runs",
        ),
        (
            of("overlays/prod", Overlay::default()),
            vec![patches("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shp}\n")],
            "no resource matches strategic merge patch",
        ),
        // Only the folder itself is there: what it names outside is not.
        (of("overlays", Overlay { folder: Some("prod".into()), ..Overlay::default() }), vec![], "base"),
        (main(Store::default(), Overlay::default()), vec![], "a kustomization is a folder"),
        (
            of("overlays/prod", Overlay { folder: Some("../../..".into()), ..Overlay::default() }),
            vec![],
            "leads out of the repository",
        ),
    ] {
        let told = wrong(bench.render(&main, &more).await);
        assert!(told.contains(said), "{said}: {told}");
    }
    let steps = ["../../base".to_owned()];
    let built =
        bench.only(&of("overlays/prod", Overlay::default()), &[], &BTreeMap::new(), Some(&steps)).await.unwrap();
    assert!(text(&built).contains("kustomize build /base"), "{}", text(&built));
}
