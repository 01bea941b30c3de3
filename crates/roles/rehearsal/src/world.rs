//! A whole installation on one clock: store, server, delegate, clusters.

use crate::clusters::SimulatedClusters;
use crate::documents::{Known, plain};
use crate::outside::{Metrics, Noted};
use crate::run::RehearseError;
use crate::state::text;
use crate::{Rehearsal, Text};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, RwLock};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use windlass_app::access::Caller;
use windlass_app::access::Permission::SettingEdit;
use windlass_app::delegates::EVERY_TAG;
use windlass_app::documents::ApplyRequest;
use windlass_app::{ADMIN, App, Failure, Parts, Principal};
use windlass_clock::Clock;
use windlass_cluster::{Clusters, Identity};
use windlass_delegate::{Config, serve_in_process};
use windlass_deploy::KubernetesHandler;
use windlass_diagnostic::Diagnostics;
use windlass_git::{Folders, Repositories};
use windlass_http::Client;
use windlass_link::client::Transport;
use windlass_link::{PROTOCOL, Pace, Registration, TaskSupport, channel_pair};
use windlass_model::id::DelegateId;
use windlass_model::task::Work;
use windlass_model::{Identifier, Millis, Scope};
use windlass_render::Renderer;
use windlass_secrets::{EnvironmentStore, FileStore, SecretStores, WorkerKey};
use windlass_steps::VerifyHandler;
use windlass_store::delegates::Delegate;
use windlass_store::{Store, Write};
use windlass_task::Handler;
use windlass_workloads::{Catalog, Fleet, MetricsServer};

/// Clusters come to rest and pods begin to serve before the run starts.
pub(crate) const SETTLE: Millis = Millis::from_mins(2);

const ACCOUNT: &str = "rehearsal";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a rehearsal happens in. Its tasks end with the runtime.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) app: App,
    pub(crate) clock: Clock,
    pub(crate) caller: Caller,
    pub(crate) clusters: SimulatedClusters,
    pub(crate) noted: Noted,
    /// What was tolerated in the documents.
    pub(crate) found: Diagnostics,
    _performers: JoinSet<()>,
}

impl World {
    /// Puts everything together. Must be called inside of `windlass_clock::virtual_runtime`.
    pub(crate) async fn open(
        rehearsal: &Rehearsal,
        known: &Known,
        images: Catalog,
        seeds: &BTreeMap<String, Vec<Json>>,
        clock: Clock,
        folder: &Path,
    ) -> Result<Self, RehearseError> {
        let fleet = Arc::new(RwLock::new(Fleet::new(Arc::new(images), rehearsal.seed)));
        let clusters = SimulatedClusters::new(clock, rehearsal.seed, fleet.clone(), known.clusters.clone());
        plant(&clusters, known, seeds)?;
        let app = server(clock)?;
        app.first_start().await.map_err(RehearseError::Server)?;
        let caller = app.caller(starter()).await.map_err(RehearseError::Server)?;
        let mut found = Diagnostics::new();
        for Text { file, text } in &rehearsal.documents {
            let request = ApplyRequest {
                file,
                text,
                scope: rehearsal.scope.clone(),
                kind: None,
                set: rehearsal.set.clone(),
                dry_run: false,
            };
            let applied = app.apply(&caller, request).await;
            let applied = applied.map_err(|failure| RehearseError::Document { file: file.clone(), failure })?;
            for diagnostic in applied.diagnostics {
                found.push(diagnostic);
            }
        }
        let place = caller.authorize_any(SettingEdit, &Scope::Account).await.map_err(RehearseError::Server)?;
        for (name, value) in &rehearsal.settings {
            let set = app.set_setting(&caller, &place, name, value, true).await;
            set.map_err(|failure| RehearseError::Setting { name: name.clone(), failure })?;
        }
        let noted = Noted::default();
        let performers = app.perform();
        let metrics = Metrics(MetricsServer::new(fleet, clock).router());
        let stand = clusters.clone();
        let reach = Clusters::new(Identity::default(), clock).answered_by(Arc::new(move |name| stand.connect(name)));
        let handlers = handlers(rehearsal, Arc::new(reach), metrics, noted.clone(), clock, folder)?;
        delegate(&app, known, handlers, clock, folder).await?;
        // Permissions are those of a moment: the documents may have granted some.
        let caller = app.caller(starter()).await.map_err(RehearseError::Server)?;
        Ok(Self { app, clock, caller, clusters, noted, found, _performers: performers })
    }
}

/// Whoever rehearses.
fn starter() -> Principal {
    Principal {
        id: format!("user:{ADMIN}"),
        name: "Rehearsal".to_owned(),
        email: Some("rehearsal@windlass.invalid".to_owned()),
        person: true,
    }
}

fn plant(
    clusters: &SimulatedClusters,
    known: &Known,
    seeds: &BTreeMap<String, Vec<Json>>,
) -> Result<(), RehearseError> {
    for (connector, objects) in seeds {
        let unknown = || RehearseError::Connector {
            connector: connector.clone(),
            near: windlass_diagnostic::nearest(&plain(connector), known.clusters.iter().map(String::as_str))
                .map(str::to_owned),
        };
        let sim = clusters.sim(connector).ok_or_else(unknown)?;
        for object in objects {
            sim.add(object.clone()).map_err(|error| RehearseError::Seed {
                connector: connector.clone(),
                object: format!("{}/{}", text(object, "/kind"), text(object, "/metadata/name")),
                reason: error.to_string(),
            })?;
        }
    }
    Ok(())
}

fn server(clock: Clock) -> Result<App, RehearseError> {
    let made = |error: &dyn std::error::Error| RehearseError::Server(Failure::internal(error.to_string()));
    let store = Store::in_memory(clock).map_err(|e| made(&e))?;
    let parts = Parts::unreachable(store, clock, "rehearsal").map_err(RehearseError::Server)?;
    let pace = Pace { heartbeat: Millis::from_secs(30) };
    Ok(App::new(Parts { pace, account: ACCOUNT.to_owned(), version: VERSION.to_owned(), ..parts }))
}

fn handlers(
    rehearsal: &Rehearsal,
    clusters: Arc<Clusters>,
    metrics: Metrics,
    noted: Noted,
    clock: Clock,
    folder: &Path,
) -> Result<Vec<Arc<dyn Handler>>, RehearseError> {
    let mut options = windlass_git::Options::new(folder, clock);
    options.folders = Some(Folders::new(rehearsal.repositories.iter().cloned()));
    let repositories = Arc::new(Repositories::open(options).map_err(|e| RehearseError::Folder(e.to_string()))?);
    let client = Client::new(windlass_http::Config::default(), clock, Arc::new(|| 0.5));
    let client = client.map_err(|e| RehearseError::Folder(e.to_string()))?.answered_by(Arc::new(metrics));
    Ok(vec![
        Arc::new(KubernetesHandler::new(clusters.clone(), Renderer::new(repositories))),
        Arc::new(VerifyHandler::new(clusters, client)),
        Arc::new(noted),
    ])
}

/// One delegate that carries every tag.
async fn delegate(
    app: &App,
    known: &Known,
    handlers: Vec<Arc<dyn Handler>>,
    clock: Clock,
    folder: &Path,
) -> Result<(), RehearseError> {
    let secrets = invented(known, folder)?;
    let config = Config {
        server: String::new(),
        account: ACCOUNT.to_owned(),
        token: String::new(),
        name: "rehearsal".to_owned(),
        tags: vec![EVERY_TAG.to_owned()],
        description: String::new(),
        capacity: 100,
        transport: Transport::Auto,
        work_folder: folder.join("work"),
        grace: Millis::from_secs(60),
        version: VERSION.to_owned(),
        hostname: String::new(),
    };
    let kinds = handlers.iter().flat_map(|handler| handler.types());
    let registration = Registration {
        account: config.account.clone(),
        name: config.name.clone(),
        tags: config.tags.clone(),
        description: String::new(),
        version: VERSION.to_owned(),
        protocol: PROTOCOL,
        tasks: kinds.map(|kind| TaskSupport { kind: (*kind).to_owned(), version: Work::VERSION }).collect(),
        capacity: config.capacity,
        instance: String::new(),
        hostname: String::new(),
        signing_key: String::new(),
        sealing_key: secrets.key().public().to_string(),
    };
    let internal = |error: &dyn std::error::Error| RehearseError::Server(Failure::internal(error.to_string()));
    let name = Identifier::parse("rehearsal").map_err(|e| internal(&e))?;
    let row = Delegate {
        id: DelegateId::from_ulid(ulid::Ulid::from_bytes([1; 16])),
        scope: Scope::Account,
        token: name.clone(),
        name,
        tags: config.tags.clone(),
        version: VERSION.to_owned(),
        state: "disconnected".to_owned(),
        server: app.parts().replica.clone(),
        capacity: config.capacity,
        public_key: registration.sealing_key.clone().into_bytes(),
        registered_at: clock.now(),
        seen_at: clock.now(),
        body: serde_json::to_string(&registration).map_err(|e| internal(&e))?,
        load: "{}".to_owned(),
    };
    let mut write = Write::new();
    write.register_delegate(&row);
    app.store().write(write).await.map_err(|e| RehearseError::Server(e.into()))?;
    let (server_end, worker_end) = channel_pair();
    let served = app.clone();
    tokio::spawn(async move { served.serve_delegate(row.id, server_end).await });
    let (connect, connections) = mpsc::channel(1);
    let _ = connect.try_send(worker_end); // There is room for one.
    tokio::spawn(serve_in_process(config, clock, handlers, secrets, CancellationToken::new(), connections));
    Ok(())
}

/// Stores in which every secret that the documents refer to has a value nobody knows.
fn invented(known: &Known, folder: &Path) -> Result<SecretStores, RehearseError> {
    let failed = |error: std::io::Error| RehearseError::Folder(error.to_string());
    let root = folder.join("secrets");
    std::fs::create_dir_all(&root).map_err(failed)?;
    for path in &known.secret_files {
        let inside = Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !inside {
            continue; // Refused by name when it is opened.
        }
        let file = root.join(path);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent).map_err(failed)?;
        }
        std::fs::write(file, format!("invented-for-{}", path.replace('/', "-"))).map_err(failed)?;
    }
    let names: Vec<&String> = known.secret_variables.iter().collect();
    let variables = names.iter().map(|name| ((*name).clone(), format!("invented-for-{name}")));
    let environment = EnvironmentStore::new(&common_prefix(&names), variables);
    let key = WorkerKey::generate().map_err(|e| RehearseError::Folder(e.to_string()))?;
    Ok(SecretStores::new(key, Some(FileStore::new(root)), environment))
}

/// Operators choose a prefix; all variables of an installation start with it.
fn common_prefix(names: &[&String]) -> String {
    let Some((first, rest)) = names.split_first() else { return String::new() };
    let same = |end: usize| rest.iter().all(|name| name.starts_with(&first[..end]));
    let ends = (0..=first.len()).rev().filter(|end| first.is_char_boundary(*end));
    ends.into_iter().find(|end| same(*end)).map_or_else(String::new, |end| first[..end].to_owned())
}
