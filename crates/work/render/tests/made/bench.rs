//! A forge, repositories of charts, and a renderer that may reach them.

use crate::service::{service, target};
use axum::Router;
use axum::extract::{Request as Asked, State};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use windlass_clock::Clock;
use windlass_git::{Options, Repositories};
use windlass_git_sim::{Changes, GitSim, NewCommit, Person, RepoName, Right, Token};
use windlass_http::{AddressRules, Client, Config};
use windlass_model::Timestamp;
use windlass_model::task::source::{GitAuth, GitReference, GitRepository, ManifestKind, ManifestSource, Store};
use windlass_render::{Hosts, RenderError, Rendered, Renderer, Request};

const TOKEN: &str = "ghp_made_0123456789";

pub(crate) struct Bench {
    sim: GitSim,
    _folder: TempDir,
    pub renderer: Renderer,
    pub shelf: Shelf,
    serving: Vec<tokio::task::JoinHandle<()>>,
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.serving.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

/// Fixed answers by path, and the paths that were asked for.
#[derive(Clone, Default)]
pub(crate) struct Shelf {
    pub url: String,
    answers: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    elsewhere: Arc<Mutex<BTreeMap<String, String>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Shelf {
    pub(crate) fn put(&self, path: &str, content: impl Into<Vec<u8>>) {
        self.answers.lock().unwrap().insert(path.to_owned(), content.into());
    }

    pub(crate) fn redirect(&self, path: &str, to: &str) {
        self.elsewhere.lock().unwrap().insert(path.to_owned(), to.to_owned());
    }

    /// What was asked for since the last time.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    /// A chart as a registry has it; answers with its digest.
    pub(crate) fn publish(&self, name: &str, version: &str, packed: &[u8]) {
        let digest = windlass_registry::sha256(packed);
        self.put(&format!("/v2/charts/{name}/blobs/sha256:{digest}"), packed);
        let layer = format!(
            r#"{{"mediaType":"application/vnd.cncf.helm.chart.content.v1.tar+gzip","digest":"sha256:{digest}"}}"#
        );
        self.put(&format!("/v2/charts/{name}/manifests/{version}"), format!(r#"{{"layers":[{layer}]}}"#));
    }
}

async fn answer(State(shelf): State<Shelf>, asked: Asked) -> Response {
    let path = asked.uri().path().to_owned();
    shelf.asked.lock().unwrap().push(path.clone());
    if let Some(to) = shelf.elsewhere.lock().unwrap().get(&path) {
        return axum::response::Redirect::temporary(to).into_response();
    }
    let found = shelf.answers.lock().unwrap().get(&path).cloned();
    found.map_or_else(|| axum::http::StatusCode::NOT_FOUND.into_response(), IntoResponse::into_response)
}

/// A packed chart.
pub(crate) fn packed(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        builder.append_data(&mut header, format!("chart/{name}"), text.as_bytes()).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

impl Bench {
    pub(crate) async fn new() -> Self {
        Self::with(Hosts::Any).await
    }

    pub(crate) async fn with(hosts: Hosts) -> Self {
        Self::limited(hosts, 64 << 20).await
    }

    /// With so many bytes of a repository at most.
    pub(crate) async fn limited(hosts: Hosts, bytes: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::system();
        let sim = GitSim::open(folder.path().join("forge"), windlass_git_sim::Options::new(clock)).unwrap();
        let mut bench = Self {
            renderer: Renderer::new(Arc::new(
                Repositories::open(Options {
                    limits: windlass_git::Limits { bytes, ..windlass_git::Limits::default() },
                    ..Options::new(folder.path().join("work"), clock)
                })
                .unwrap(),
            )),
            sim,
            _folder: folder,
            shelf: Shelf::default(),
            serving: Vec::new(),
        };
        let config = Config { addresses: AddressRules::worker(), ..Config::default() };
        let client = Client::new(config, clock, Arc::new(|| 0.5)).unwrap();
        bench.renderer = bench.renderer.clone().reaching(client, hosts);
        for repo in ["deploy", "library"] {
            bench.sim.create_repo(&RepoName::new("acme", repo).unwrap()).await.unwrap();
        }
        bench.sim.add_token(Token::new("bot", TOKEN).on_org("acme", Right::Read));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let serving = bench.sim.clone();
        bench.serving.push(tokio::spawn(async move { drop(serving.serve(listener).await) }));
        while bench.sim.public_url() != url {
            tokio::task::yield_now().await;
        }
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        bench.shelf.url = listener.local_addr().unwrap().to_string();
        let router = Router::new().fallback(answer).with_state(bench.shelf.clone());
        bench.serving.push(tokio::spawn(async move { drop(axum::serve(listener, router).await) }));
        bench
    }

    /// Where the repositories are.
    pub(crate) fn forge(&self) -> String {
        self.sim.public_url()
    }

    pub(crate) async fn commit(&self, repo: &str, files: &[(&str, &str)]) -> String {
        let changes = files.iter().fold(Changes::default(), |changes, (path, text)| changes.write(*path, *text));
        let commit = NewCommit {
            branch: "main".into(),
            message: "change".into(),
            author: Person::new("A", "a@example"),
            when: Timestamp::from_secs(1_700_000_000),
            changes,
        };
        let name = RepoName::new("acme", repo).unwrap();
        self.sim.repo(&name).unwrap().commit(&commit).await.unwrap().to_string()
    }

    pub(crate) fn git(&self, path: &str) -> Store {
        Store::Git {
            repository: GitRepository {
                connector: "account.git".into(),
                url: format!("{}/acme/deploy.git", self.sim.public_url()),
                auth: GitAuth::Http { username: String::new(), password: TOKEN.into() },
            },
            reference: GitReference::Branch("main".into()),
            paths: vec![path.to_owned()],
        }
    }

    pub(crate) async fn render(&self, main: &ManifestSource, more: &[ManifestSource]) -> Result<Rendered, RenderError> {
        self.again(main, more, &BTreeMap::new()).await
    }

    /// As a later step of the stage does it, with what earlier ones have pinned.
    pub(crate) async fn again(
        &self,
        main: &ManifestSource,
        more: &[ManifestSource],
        pinned: &BTreeMap<String, String>,
    ) -> Result<Rendered, RenderError> {
        self.only(main, more, pinned, None).await
    }

    pub(crate) async fn only(
        &self,
        main: &ManifestSource,
        more: &[ManifestSource],
        pinned: &BTreeMap<String, String>,
        only: Option<&[String]>,
    ) -> Result<Rendered, RenderError> {
        let manifests = std::iter::once(main).chain(more).cloned().collect();
        let source = service(manifests, &[("replicas", "3")]);
        let target = target();
        let request = Request {
            source: &source,
            target: &target,
            pinned,
            only,
            overrides: &[],
            skip_templates: false,
            now: Timestamp::from_secs(1_763_700_000),
        };
        self.renderer.render(&request).await
    }
}

pub(crate) fn inline(identifier: &str, kind: ManifestKind, content: &str) -> ManifestSource {
    let store = Store::Inline { content: content.into() };
    ManifestSource { identifier: identifier.into(), kind, store, ..ManifestSource::default() }
}

/// All texts in one.
pub(crate) fn text(rendered: &Rendered) -> String {
    rendered.files.iter().map(|file| format!("# {}\n{}\n", file.path, file.text.trim_end())).collect()
}

/// What is wrong, as the step tells it.
pub(crate) fn wrong(result: Result<Rendered, RenderError>) -> String {
    result.unwrap_err().to_failure().message
}
