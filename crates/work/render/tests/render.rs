//! Services rendered as steps render them: from a pretend forge over HTTP, from the service, from the file store.
#![allow(clippy::unwrap_used)]

#[path = "support/service.rs"]
mod service;

use service::target;
use std::collections::BTreeMap;
use std::sync::Arc;
use tempfile::TempDir;
use windlass_clock::Clock;
use windlass_git::{Options, Repositories};
use windlass_git_sim::{Changes, GitSim, NewCommit, Person, RepoName, Right, Token};
use windlass_manifest::schema::Catalog;
use windlass_manifest::{Object, parse, set};
use windlass_model::Timestamp;
use windlass_model::failure::FailureType;
use windlass_model::task::source::{
    GitAuth, GitReference, GitRepository, ImageInjection, ManifestKind, ManifestSource, ServiceSource, Store,
    StoredFile,
};
use windlass_render::{RenderError, Rendered, Renderer, Request};

const TOKEN: &str = "ghp_render_0123456789";
const NOW: Timestamp = Timestamp::from_secs(1_763_700_000);

fn entry(identifier: &str, kind: ManifestKind, store: Store) -> ManifestSource {
    ManifestSource { identifier: identifier.into(), kind, store, ..ManifestSource::default() }
}

fn inline(content: &str) -> Store {
    Store::Inline { content: content.into() }
}

fn main_inline(content: &str) -> ManifestSource {
    entry("main", ManifestKind::K8sManifest, inline(content))
}

fn values(identifier: &str, content: &str) -> ManifestSource {
    entry(identifier, ManifestKind::Values, inline(content))
}

fn files(all: &[(&str, &str)]) -> Store {
    let file = |(path, content): &(&str, &str)| StoredFile { path: (*path).into(), content: (*content).into() };
    Store::Files { files: all.iter().map(file).collect() }
}

fn service(manifests: Vec<ManifestSource>) -> ServiceSource {
    service::service(manifests, &[("replicas", "3"), ("version", "1.10")])
}

/// What a step may ask for besides the service itself.
#[derive(Default)]
struct Wish<'w> {
    pinned: BTreeMap<String, String>,
    only: Option<&'w [&'w str]>,
    overrides: Vec<ManifestSource>,
    skip_templates: bool,
}

struct Bench {
    sim: GitSim,
    folder: TempDir,
    renderer: Renderer,
    serving: Option<tokio::task::JoinHandle<std::io::Result<()>>>,
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.serving.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

impl Bench {
    /// Without a forge: it is never asked.
    fn alone() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::system();
        let sim = GitSim::open(folder.path().join("forge"), windlass_git_sim::Options::new(clock)).unwrap();
        let repositories = Repositories::open(Options::new(folder.path().join("work"), clock)).unwrap();
        Self { sim, folder, renderer: Renderer::new(Arc::new(repositories)), serving: None }
    }

    async fn with_forge() -> Self {
        let mut bench = Self::alone();
        bench.sim.create_repo(&name()).await.unwrap();
        bench.sim.add_token(Token::new("bot", TOKEN).on_org("acme", Right::Read));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let serving = bench.sim.clone();
        bench.serving = Some(tokio::spawn(async move { serving.serve(listener).await }));
        while bench.sim.public_url() != url {
            tokio::task::yield_now().await;
        }
        bench
    }

    async fn commit(&self, files: &[(&str, &str)]) -> String {
        let changes = files.iter().fold(Changes::default(), |changes, (path, text)| changes.write(*path, *text));
        let commit = NewCommit {
            branch: "main".into(),
            message: "change".into(),
            author: Person::new("A", "a@example"),
            when: Timestamp::from_secs(1_700_000_000),
            changes,
        };
        self.sim.repo(&name()).unwrap().commit(&commit).await.unwrap().to_string()
    }

    fn git(&self, paths: &[&str]) -> Store {
        Store::Git {
            repository: GitRepository {
                connector: "account.git".into(),
                url: format!("{}/acme/deploy.git", self.sim.public_url()),
                auth: GitAuth::Http { username: String::new(), password: TOKEN.into() },
            },
            reference: GitReference::Branch("main".into()),
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        }
    }

    async fn wish(&self, source: &ServiceSource, wish: Wish<'_>) -> Result<Rendered, RenderError> {
        let only: Option<Vec<String>> = wish.only.map(|only| only.iter().map(|path| (*path).to_owned()).collect());
        let request = Request {
            source,
            target: &target(),
            pinned: &wish.pinned,
            only: only.as_deref(),
            overrides: &wish.overrides,
            skip_templates: wish.skip_templates,
            now: NOW,
        };
        self.renderer.render(&request).await
    }

    async fn render(&self, source: &ServiceSource) -> Result<Rendered, RenderError> {
        self.wish(source, Wish::default()).await
    }
}

fn name() -> RepoName {
    RepoName::new("acme", "deploy").unwrap()
}

/// All files in one text.
fn texts(rendered: &Rendered) -> String {
    rendered.files.iter().map(|file| format!("# {}\n{}\n", file.path, file.text.trim_end())).collect()
}

fn objects(rendered: &Rendered) -> Result<Vec<Object>, String> {
    let rules = set::Rules { namespace: "payments".into(), ..set::Rules::default() };
    rendered.objects(&rules, &Catalog::new()).map(|(objects, _)| objects).map_err(|problems| problems.to_string())
}

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Values.name }}
  labels: {{- toYaml .Values.labels | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Values.name }}}}
  template:
    metadata: {labels: {app: {{ .Values.name }}}}
    spec:
      containers:
      - name: app
        image: {{ .Values.image }}
        env:
        {{- range $k, $v := .Values.env }}
        - {name: {{ $k }}, value: {{ $v | quote }}}
        {{- end }}
";

#[tokio::test]
async fn a_service_from_git_with_values_of_every_layer() {
    let bench = Bench::with_forge().await;
    let commit = bench
        .commit(&[
            ("k8s/templates/deployment.yaml", DEPLOYMENT),
            ("k8s/templates/_names.yaml", "{{- define \"x\" }}x{{ end }}"),
            ("k8s/templates/skipped.yaml", "# harness.io/skip-file-for-deploy\nkind: Skipped"),
            ("k8s/templates/notes.md", "not a manifest {{ unknown }}"),
            ("k8s/values.yaml", "name: default\nreplicas: 1\nlabels: {a: default, b: default}\nenv: {A: default}"),
            ("k8s/prod.yaml", "name: listed\nlabels: {b: listed}\nimage: <+artifact.image>"),
            (
                "more/team.yaml",
                "replicas: <+serviceVariables.replicas>\nenv: {A: null, VERSION: <+serviceVariables.version>}",
            ),
        ])
        .await;
    let mut main = entry("main", ManifestKind::K8sManifest, bench.git(&["k8s/templates"]));
    main.values_paths = vec!["k8s/prod.yaml".into()];
    let team = entry("team", ManifestKind::Values, bench.git(&["more/team.yaml"]));
    let mut infrastructure = values("over", "labels: {c: infrastructure}\nname: last");
    infrastructure.layer = 3;
    let mut environment = values("over", "name: environment\nlabels: {d: environment}");
    environment.layer = 1;
    let source = service(vec![main, team, infrastructure, environment]);
    let overrides = vec![values("step", "labels: {e: <+env.type>}")];
    let rendered = bench.wish(&source, Wish { overrides, ..Wish::default() }).await.unwrap();
    insta::assert_snapshot!(texts(&rendered), @r#"
    # k8s/templates/_names.yaml

    # k8s/templates/deployment.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: last
      labels:
        a: default
        b: listed
        c: infrastructure
        d: environment
        e: Production
    spec:
      replicas: 3
      selector: {matchLabels: {app: last}}
      template:
        metadata: {labels: {app: last}}
        spec:
          containers:
          - name: app
            image: registry.example/acme/shop:v2.3.0
            env:
            - {name: VERSION, value: "1.10"}
    "#);
    assert_eq!(rendered.commit.as_deref(), Some(commit.as_str()));
    assert_eq!(rendered.commits.get("main"), Some(&commit));
    assert_eq!(rendered.empty_files(), ["k8s/templates/_names.yaml"]);
    assert!(rendered.fetched.iter().all(|line| !line.contains(TOKEN)));
    let objects = objects(&rendered).unwrap();
    assert_eq!(objects.len(), 1);
    assert!(parse::to_text(&objects).contains("namespace: payments"));
}

#[tokio::test]
async fn a_stage_stays_at_its_commit() {
    let bench = Bench::with_forge().await;
    let first = bench.commit(&[("k8s/a.yaml", "a: {{ .Values.v }}"), ("values.yaml", "v: 1")]).await;
    let source = service(vec![
        entry("main", ManifestKind::K8sManifest, bench.git(&["k8s"])),
        entry("values", ManifestKind::Values, bench.git(&["values.yaml"])),
    ]);
    let before = bench.render(&source).await.unwrap();
    let second = bench.commit(&[("k8s/a.yaml", "a: new {{ .Values.v }}"), ("values.yaml", "v: 2")]).await;
    let again = bench.wish(&source, Wish { pinned: before.commits.clone(), ..Wish::default() }).await.unwrap();
    assert_eq!((texts(&again), again.commit), (texts(&before), Some(first.clone())));
    let fresh = bench.render(&source).await.unwrap();
    assert_eq!((texts(&fresh).as_str(), fresh.commit), ("# k8s/a.yaml\na: new 2\n", Some(second)));
    // A step's own manifest with the same identifier, elsewhere, is not bound by it.
    let elsewhere = entry(
        "main",
        ManifestKind::K8sManifest,
        match bench.git(&["k8s"]) {
            Store::Git { repository, paths, .. } => {
                bench.sim.repo(&name()).unwrap().create_tag("newest", "main").await.unwrap();
                Store::Git { repository, paths, reference: GitReference::Tag("newest".into()) }
            }
            other => other,
        },
    );
    let source = service(vec![elsewhere, values("v", "v: 3")]);
    let own = bench.wish(&source, Wish { pinned: before.commits, ..Wish::default() }).await.unwrap();
    assert_eq!(texts(&own), "# k8s/a.yaml\na: new 3\n");
    // A commit that somebody chose by the identifier.
    let source = service(vec![entry("main", ManifestKind::K8sManifest, bench.git(&["k8s"])), values("v", "v: 4")]);
    let pinned = BTreeMap::from([("main".to_owned(), first)]);
    let chosen = bench.wish(&source, Wish { pinned, ..Wish::default() }).await.unwrap();
    assert_eq!(texts(&chosen), "# k8s/a.yaml\na: 4\n");
}

#[tokio::test]
async fn steps_name_files_also_skipped_ones() {
    let bench = Bench::with_forge().await;
    bench
        .commit(&[
            ("k8s/job.yaml", "# harness.io/skip-file-for-deploy\nkind: {{ .Values.kind }}"),
            ("k8s/other.yaml", "kind: Other"),
            ("k8s/values.yaml", "kind: Job"),
        ])
        .await;
    let source = service(vec![entry("main", ManifestKind::K8sManifest, bench.git(&["k8s"]))]);
    let only = |paths: &'static [&'static str]| Wish { only: Some(paths), ..Wish::default() };
    let rendered = bench.wish(&source, only(&["job.yaml"])).await.unwrap();
    assert_eq!(texts(&rendered), "# k8s/job.yaml\n# harness.io/skip-file-for-deploy\nkind: Job\n");
    assert_eq!(texts(&bench.render(&source).await.unwrap()), "# k8s/other.yaml\nkind: Other\n");
    let untouched = Wish { only: Some(&["job.yaml"]), skip_templates: true, ..Wish::default() };
    assert!(texts(&bench.wish(&source, untouched).await.unwrap()).contains("{{ .Values.kind }}"));
    let missing = bench.wish(&source, only(&["jobs.yaml"])).await.unwrap_err().to_failure();
    assert!(missing.message.contains("has no k8s/jobs.yaml; there is k8s/job.yaml"), "{}", missing.message);
    for bad in [&["."][..], &["../values.yaml"], &["k8s"]] {
        let refused = bench.wish(&source, Wish { only: Some(bad), ..Wish::default() }).await.unwrap_err();
        assert_eq!(refused.to_failure().types, [FailureType::ConfigurationFailure].into());
    }
}

#[tokio::test]
async fn listed_values_must_be_there_unless_they_are_optional() {
    let bench = Bench::with_forge().await;
    bench.commit(&[("k8s/a.yaml", "a: {{ .Values.v }}"), ("v1.yaml", "v: 1")]).await;
    let mut main = entry("main", ManifestKind::K8sManifest, bench.git(&["k8s"]));
    main.values_paths = vec!["v1.yaml".into(), "v2.yaml".into()];
    let error = bench.render(&service(vec![main.clone()])).await.unwrap_err().to_failure();
    assert!(error.message.contains("has no v2.yaml; there is v1.yaml"), "{}", error.message);
    main.optional_values = true;
    assert_eq!(texts(&bench.render(&service(vec![main.clone()])).await.unwrap()), "# k8s/a.yaml\na: 1\n");
    let mut more = entry("more", ManifestKind::Values, bench.git(&["v3.yaml", "v1.yaml"]));
    more.optional_values = true;
    main.values_paths.clear();
    assert_eq!(texts(&bench.render(&service(vec![main, more])).await.unwrap()), "# k8s/a.yaml\na: 1\n");
}

#[tokio::test]
async fn the_file_store_and_the_service_itself() {
    let bench = Bench::alone();
    let stored = files(&[
        ("/k8s/a.yaml", "a: {{ .Values.v }}"),
        ("/k8s/values.yaml", "v: default"),
        ("/k8s/README.md", "{{ broken"),
        ("/k8s/jobs/b.yaml", "b: {{ .Values.v }}"),
    ]);
    let source = service(vec![entry("main", ManifestKind::K8sManifest, stored)]);
    let rendered = bench.render(&source).await.unwrap();
    assert_eq!(texts(&rendered), "# k8s/a.yaml\na: default\n# k8s/jobs/b.yaml\nb: default\n");
    assert!(rendered.commits.is_empty());
    let one = bench.wish(&source, Wish { only: Some(&["jobs/b.yaml"]), ..Wish::default() }).await.unwrap();
    assert_eq!(texts(&one), "# k8s/jobs/b.yaml\nb: default\n");
    let missing = bench.wish(&source, Wish { only: Some(&["c.yaml"]), ..Wish::default() }).await.unwrap_err();
    assert!(missing.to_string().starts_with("`main` has no file k8s/c.yaml"), "{missing}");
    let source = service(vec![main_inline("a: {{ .Values.v | default \"none\" }}")]);
    assert_eq!(texts(&bench.render(&source).await.unwrap()), "# main.yaml\na: none\n");
    let refused = bench.wish(&source, Wish { only: Some(&["a.yaml"]), ..Wish::default() }).await.unwrap_err();
    assert_eq!(refused.to_string(), "`main` is written in the service: it has no files to name");
}

/// kubernetes-deploy §1.5: three ways for an image.
#[tokio::test]
async fn images_of_the_release() {
    let bench = Bench::alone();
    let pod = |image: &str| {
        format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{containers: [{{name: a, image: {image}}}]}}")
    };
    let image = |rendered: &Rendered| {
        let objects = objects(rendered)?;
        Ok::<_, String>(objects[0].json().pointer("/spec/containers/0/image").unwrap().as_str().unwrap().to_owned())
    };
    let with = |content: String, images: ImageInjection| {
        let mut source = service(vec![main_inline(&content), values("v", "image: <+artifacts.primary.image>")]);
        source.images = images;
        source
    };
    let placeholder = |tag: Option<&str>| ImageInjection {
        placeholder: Some("PLACEHOLDER_TAG".into()),
        tag: tag.map(str::to_owned),
        replace: BTreeMap::new(),
    };
    for (content, images, wanted) in [
        (pod("'{{ .Values.image }}'"), ImageInjection::default(), "registry.example/acme/shop:v2.3.0"),
        (pod("acme/shop:PLACEHOLDER_TAG"), placeholder(Some("v9")), "acme/shop:v9"),
        (pod("acme/shop:v1"), placeholder(None), "acme/shop:v1"),
        (
            pod("acme/shop:v1"),
            ImageInjection {
                replace: [("acme/shop".to_owned(), "r/acme/shop:v7".to_owned())].into(),
                ..placeholder(None)
            },
            "r/acme/shop:v7",
        ),
    ] {
        let rendered = bench.render(&with(content, images)).await.unwrap();
        assert_eq!(image(&rendered).unwrap(), wanted);
    }
    for (content, images, wanted) in [
        (pod("acme/shop:PLACEHOLDER_TAG"), placeholder(None), "this deployment has no tag to put there"),
        (pod("PLACEHOLDER_TAG/shop:v1"), placeholder(Some("v9")), "outside the tag of an image"),
    ] {
        let rendered = bench.render(&with(content, images)).await.unwrap();
        let problem = image(&rendered).unwrap_err();
        assert!(problem.contains(wanted), "{problem}");
    }
}

#[tokio::test]
async fn every_problem_has_its_place() {
    let bench = Bench::alone();
    let stored = files(&[
        ("k8s/a.yaml", "a: {{ .Values.name | nindnt 2 }}"),
        ("k8s/b.yaml", "b:\n  {{ if }}"),
        ("k8s/c.yaml", "c: fine"),
    ]);
    let error = bench.render(&service(vec![entry("main", ManifestKind::K8sManifest, stored)])).await.unwrap_err();
    insta::assert_snapshot!(error, @r"
    k8s/a.yaml:1:22: error TPL0002: there is no function `nindnt` (did you mean `nindent`?)
    k8s/b.yaml:2:9: error TPL0001: `if` has no value
    ");
    assert_eq!(error.to_failure().types, [FailureType::ConfigurationFailure].into());
    let of_chart = bench.render(&service(vec![main_inline("a: {{ .Release.Name }}")])).await.unwrap_err();
    insta::assert_snapshot!(of_chart, @"main.yaml:1:7: error TPL0004: nil pointer evaluating interface {}.Name: `.Release.Name` asks for `Name` of a null (`.Release` belongs to Helm charts; manifests know `.Values` only)");
    let source = service(vec![main_inline("a: 1"), values("v", "a: <+artifact.imag>\nb: <+nothing.here>")]);
    let unresolved = bench.render(&source).await.unwrap_err().to_string();
    let lines: Vec<&str> = unresolved.lines().collect();
    assert!(lines[0].starts_with("v.yaml:1:4: error") && lines[0].contains("artifact.imag"), "{unresolved}");
    assert!(lines[1].starts_with("v.yaml:2:4: error") && lines[1].contains("nothing.here"), "{unresolved}");
    assert_eq!(lines.len(), 2, "all of them are listed");
    let list = service(vec![main_inline("a: 1"), values("v", "- 1")]);
    insta::assert_snapshot!(bench.render(&list).await.unwrap_err(), @"v.yaml:1:1: error REN0002: a values file holds a mapping");
}

#[tokio::test]
async fn values_cannot_change_what_is_around_them() {
    let bench = Bench::alone();
    let mut source = service(vec![
        main_inline("a: {{ .Values.a | quote }}\nb: {{ .Values.b }}\nc: {{ .Values.c | quote }}\nd: {{ .Values.d }}\n"),
        values(
            "v",
            "a: <+serviceVariables.evil>\nb: <+serviceVariables.flag>\nc: '<+serviceVariables.flag>'\nd: <+serviceVariables.date>",
        ),
    ]);
    source.variables = [
        ("evil".to_owned(), "x\nb: injected {{ .Values }} <+artifact.image>".to_owned()),
        ("flag".to_owned(), "false".to_owned()),
        ("date".to_owned(), "20240101".to_owned()),
    ]
    .into();
    let rendered = bench.render(&source).await.unwrap();
    insta::assert_snapshot!(texts(&rendered), @r#"
    # main.yaml
    a: "x\nb: injected {{ .Values }} <+artifact.image>"
    b: false
    c: "false"
    d: 20240101
    "#);
}

#[tokio::test]
async fn an_expression_in_a_manifest_is_left_and_told() {
    let bench = Bench::alone();
    let rendered = bench.render(&service(vec![main_inline("a: 1\nimage: <+artifact.image>")])).await.unwrap();
    assert!(texts(&rendered).contains("<+artifact.image>"));
    insta::assert_snapshot!(rendered.warnings, @"main.yaml:2:8: warning REN0001: an expression in a manifest is left as it is (put it into a values file and use {{ .Values.… }} here)");
}

#[tokio::test]
async fn what_is_too_large_is_refused() {
    let bench = Bench::alone();
    let error = bench.render(&service(vec![main_inline("a: {{ repeat 6000000 \"x\" }}")])).await.unwrap_err();
    assert!(error.to_string().contains("TPL0006"), "{error}");
    let mut source = service(vec![main_inline("a")]);
    source.manifests[0].store = inline(&"x".repeat(6 << 20));
    let wish = Wish { skip_templates: true, ..Wish::default() };
    assert!(bench.wish(&source, wish).await.unwrap_err().to_string().contains("are the most"));
}

#[tokio::test]
async fn a_forge_that_refuses_is_told_with_a_hint() {
    let bench = Bench::with_forge().await;
    bench.commit(&[("k8s/a.yaml", "a: 1")]).await;
    let mut main = entry("main", ManifestKind::K8sManifest, bench.git(&["k8s"]));
    if let Store::Git { repository, .. } = &mut main.store {
        repository.auth = GitAuth::Http { username: String::new(), password: "wrong_token_123".into() };
    }
    let failure = bench.render(&service(vec![main])).await.unwrap_err().to_failure();
    assert_eq!(failure.types, [FailureType::Authentication].into());
    assert!(
        failure.message.starts_with("cannot fetch `main`: http://") && !failure.message.contains("wrong_token_123")
    );
    assert!(!failure.hints.is_empty());
    assert!(bench.folder.path().join("work/git").is_dir());
}
