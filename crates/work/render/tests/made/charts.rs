use crate::bench::{Bench, inline, packed, text, wrong};
use std::collections::BTreeMap;
use windlass_model::task::source::{ChartRepository, ChartSource, ManifestKind, ManifestSource, Store};

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";
const TEMPLATE: &str = "\
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}
data:
  chart: {{ .Chart.Version | quote }}
  image: {{ .Values.image | quote }}
  size: {{ .Values.size | quote }}
  extra: {{ .Values.extra | quote }}
";
const VALUES: &str = "image: none\nsize: small\nextra: chart\n";

fn main(store: Store, chart: ChartSource) -> ManifestSource {
    let kind = ManifestKind::HelmChart;
    ManifestSource { identifier: "main".into(), kind, store, chart: Some(chart), ..ManifestSource::default() }
}

fn named(name: &str, version: &str) -> ChartSource {
    ChartSource { name: name.into(), version: version.into(), ..ChartSource::default() }
}

fn repository(url: &str) -> Store {
    let url = url.to_owned();
    Store::Charts { repository: ChartRepository { connector: "account.charts".into(), url, ..Default::default() } }
}

fn archive(version: &str) -> Vec<u8> {
    packed(&[
        ("Chart.yaml", &CHART.replace("1.0.0", version)),
        ("values.yaml", VALUES),
        ("values-prod.yaml", "size: large\n"),
        ("templates/map.yaml", TEMPLATE),
    ])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chart_from_git_takes_values_by_strength() {
    let bench = Bench::new().await;
    let files = [
        ("charts/shop/Chart.yaml", CHART),
        ("charts/shop/values.yaml", VALUES),
        ("charts/shop/templates/map.yaml", TEMPLATE),
        (
            "charts/shop/templates/job.yaml",
            "# harness.io/skip-file-for-deploy\napiVersion: batch/v1\nkind: Job\nmetadata: {name: once}\n",
        ),
        ("values/prod.yaml", "size: medium\nimage: <+artifact.image>\n"),
    ];
    let commit = bench.commit("deploy", &files).await;
    let mut main = main(bench.git("charts/shop"), ChartSource::default());
    main.values_paths = vec!["values/prod.yaml".into()];
    let own = inline("own", ManifestKind::Values, "size: large\nextra: null\n");
    let rendered = bench.render(&main, std::slice::from_ref(&own)).await.unwrap();
    assert_eq!(
        text(&rendered),
        "# shop/templates/map.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: release-1, namespace: payments}\ndata:\n  \
         chart: \"1.0.0\"\n  image: \"registry.example/acme/shop:v2.3.0\"\n  size: \"large\"\n  extra:\n"
    );
    assert_eq!(rendered.commit.as_ref(), Some(&commit));
    // Flags are stronger than files.
    main.chart = Some(ChartSource { flags: vec!["--set size=huge,extra=flag".into()], ..ChartSource::default() });
    let flagged = text(&bench.render(&main, std::slice::from_ref(&own)).await.unwrap());
    assert!(flagged.contains("size: \"huge\"") && flagged.contains("extra: \"flag\""), "{flagged}");
    // A step may name a template, also one that is skipped otherwise.
    let only = ["templates/job.yaml".to_owned()];
    let job = text(&bench.only(&main, &[], &BTreeMap::new(), Some(&only)).await.unwrap());
    assert!(job.contains("kind: Job") && !job.contains("ConfigMap"), "{job}");
}

#[tokio::test(flavor = "multi_thread")]
async fn charts_of_repositories_are_pulled_once_and_pinned() {
    let bench = Bench::new().await;
    let index = |versions: &[&str]| {
        let entry = |version: &&str| {
            let digest = windlass_registry::sha256(&archive(version));
            format!("  - {{version: {version}, urls: [shop-{version}.tgz], digest: {digest}}}\n")
        };
        format!("entries:\n  shop:\n{}", versions.iter().map(entry).collect::<String>())
    };
    bench.shelf.put("/stable/index.yaml", index(&["1.0.0"]));
    bench.shelf.put("/stable/shop-1.0.0.tgz", archive("1.0.0"));
    bench.shelf.put("/stable/shop-1.1.0.tgz", archive("1.1.0"));
    let mut main = main(repository(&format!("http://{}/stable", bench.shelf.url)), named("shop", "^1"));
    // Values files that the service lists lie in the chart.
    main.values_paths = vec!["values-prod.yaml".into()];
    let first = bench.render(&main, &[]).await.unwrap();
    assert!(text(&first).contains("size: \"large\""), "{}", text(&first));
    assert_eq!(bench.shelf.asked(), ["/stable/index.yaml", "/stable/shop-1.0.0.tgz"]);
    bench.shelf.put("/stable/index.yaml", index(&["1.1.0", "1.0.0"]));
    // The stage stays with its version, and asks nobody.
    let second = bench.again(&main, &[], &first.commits).await.unwrap();
    assert_eq!((text(&second), bench.shelf.asked()), (text(&first), Vec::<String>::new()));
    assert_eq!(bench.renderer.counts().renders, 1);
    // The next stage finds the new one.
    let third = text(&bench.render(&main, &[]).await.unwrap());
    assert!(third.contains("chart: \"1.1.0\""), "{third}");
    assert_eq!(bench.shelf.asked(), ["/stable/index.yaml", "/stable/shop-1.1.0.tgz"]);
    // The same version again: the index tells that the bytes are here.
    bench.render(&main, &[]).await.unwrap();
    assert_eq!(bench.shelf.asked(), ["/stable/index.yaml"]);
    assert_eq!(bench.renderer.counts().renders, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn charts_of_registries_and_what_they_need() {
    let bench = Bench::new().await;
    let host = &bench.shelf.url;
    let common = packed(&[
        ("Chart.yaml", "apiVersion: v2\nname: common\nversion: 2.0.0\n"),
        ("templates/x.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: common}\n"),
    ]);
    bench.shelf.publish("common", "2.0.0", &common);
    bench.shelf.publish("shop", "1.0.0", &archive("1.0.0"));
    let registry = repository(&format!("oci://{host}/charts"));
    let pulled = text(&bench.render(&main(registry, named("shop", "1.0.0")), &[]).await.unwrap());
    assert!(pulled.contains("name: release-1"), "{pulled}");

    let parent = format!(
        "{CHART}dependencies:\n- {{name: common, version: 2.0.0, repository: 'oci://{host}/charts'}}\n- {{name: near, version: 0.1.0, repository: 'file://../near'}}\n"
    );
    let files = [
        ("charts/shop/Chart.yaml", parent.as_str()),
        ("charts/near/Chart.yaml", "apiVersion: v2\nname: near\nversion: 0.1.0\n"),
        ("charts/near/templates/y.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: near}\n"),
    ];
    bench.commit("deploy", &files).await;
    let main = main(bench.git("charts/shop"), ChartSource::default());
    let first = bench.render(&main, &[]).await.unwrap();
    let both = text(&first);
    assert!(both.contains("name: common") && both.contains("name: near"), "{both}");
    bench.shelf.asked();
    bench.again(&main, &[], &first.commits).await.unwrap();
    assert_eq!(bench.shelf.asked(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_told_with_what_to_do() {
    let bench = Bench::new().await;
    bench
        .shelf
        .put("/stable/index.yaml", "entries: {shop: [{version: 1.0.0, urls: [shop-1.0.0.tgz], digest: '00'}]}\n");
    bench.shelf.put("/stable/shop-1.0.0.tgz", archive("1.0.0"));
    let stable = || repository(&format!("http://{}/stable", bench.shelf.url));
    let missing = repository(&format!("http://{}/nothing", bench.shelf.url));
    for (main, said) in [
        (main(stable(), named("shp", "")), "has no chart `shp`; there is shop"),
        (main(stable(), named("shop", "2.x")), "has no version `2.x` of `shop`; there is 1.0.0"),
        (main(stable(), named("shop", "")), "the bytes that came are"),
        (main(missing, named("shop", "")), "/nothing/index.yaml answered with status 404"),
        (main(repository("charts.example"), named("shop", "")), "is not the address of a repository"),
        (
            main(stable(), ChartSource { flags: vec!["-f x.yaml".into()], ..named("shop", "") }),
            "the Template flag `-f` is not offered: name the file in `valuesPaths`",
        ),
        (main(Store::default(), named("shop", "")), "a chart is a folder or an archive"),
    ] {
        let told = wrong(bench.render(&main, &[]).await);
        assert!(told.contains(said), "{said}: {told}");
    }
    bench.commit("deploy", &[("c/Chart.yaml", CHART), ("c/templates/a.yaml", "{{ fail \"no size\" }}")]).await;
    let told = wrong(bench.render(&main(bench.git("c"), ChartSource::default()), &[]).await);
    assert!(told.contains("cannot render the chart shop") && told.contains("no size"), "{told}");
}
