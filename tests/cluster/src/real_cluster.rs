use crate::binaries::Binaries;
use crate::client::Client;
use crate::credentials;
use crate::error::Error;
use crate::free_ports::free_ports;
use crate::nodes::nodes;
use crate::program::Program;
use crate::stages;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use windlass_workloads::Catalog;

/// What a cluster is to be.
#[derive(Clone, Debug)]
pub struct Options {
    /// The cluster's name in its kubeconfig.
    pub name: String,
    /// Without controllers, scheduler and kubelets the API server stands alone: nothing happens but what is asked for.
    pub controllers: bool,
    pub nodes: u32,
    /// What the images of pods do.
    pub images: Catalog,
    /// How many times faster they do it.
    pub faster: u64,
    /// What every container has said: kwok cannot tell one from the other.
    pub said: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: "real".to_owned(),
            controllers: true,
            nodes: 2,
            images: Catalog::default(),
            faster: 1,
            said: String::new(),
        }
    }
}

/// A running cluster. All of it ends, and its folder goes, when this is dropped.
#[derive(Debug)]
pub struct RealCluster {
    url: String,
    authority: Vec<u8>,
    kubeconfig: PathBuf,
    client: Client,
    /// How the API server is started, and where its store listens.
    api: (PathBuf, Vec<String>),
    store: String,
    // In the order in which they end.
    programs: Vec<Program>,
    folder: TempDir,
}

impl RealCluster {
    /// Starts a cluster and waits until it serves, and its nodes are ready.
    ///
    /// # Errors
    /// When a part does not start, ends, or is not ready in time.
    pub async fn start(binaries: &Binaries, options: &Options) -> Result<Self, Error> {
        // Between finding a port free and taking it another program may come first.
        let mut attempts = 3;
        loop {
            match Self::try_start(binaries, options).await {
                Err(Error::Ended { output, .. }) if output.contains("address already in use") && attempts > 1 => {
                    attempts -= 1;
                }
                other => return other,
            }
        }
    }

    async fn try_start(binaries: &Binaries, options: &Options) -> Result<Self, Error> {
        let folder = tempfile::Builder::new().prefix("windlass-cluster-").tempdir();
        let folder = folder.map_err(Error::file(std::env::temp_dir()))?;
        let path = folder.path();
        credentials::write(path)?;
        let ports = free_ports::<3>().map_err(Error::file("127.0.0.1"))?;
        let [clients, peers, secure] = ports.map(|port| format!("127.0.0.1:{port}"));

        let etcd = [
            "--data-dir=etcd".to_owned(),
            format!("--listen-client-urls=http://{clients}"),
            format!("--advertise-client-urls=http://{clients}"),
            format!("--listen-peer-urls=http://{peers}"),
            format!("--initial-advertise-peer-urls=http://{peers}"),
            format!("--initial-cluster=default=http://{peers}"),
            // The cluster ends with the test, so nothing has to survive a loss of power.
            "--unsafe-no-fsync".to_owned(),
            "--log-level=error".to_owned(),
        ];
        let etcd = Program::start(&binaries.path("etcd"), &etcd, path)?;

        let mut api = vec![
            format!("--etcd-servers=http://{clients}"),
            "--cert-dir=certificates".to_owned(),
            "--bind-address=127.0.0.1".to_owned(),
            format!("--secure-port={}", ports[2]),
            "--service-account-key-file=service-account.pub".to_owned(),
            "--service-account-signing-key-file=service-account.key".to_owned(),
            format!("--service-account-issuer=https://{secure}"),
            "--token-auth-file=tokens.csv".to_owned(),
            "--authorization-mode=RBAC".to_owned(),
            "--allow-privileged=true".to_owned(),
            "--service-cluster-ip-range=10.96.0.0/12".to_owned(),
            // The names of the nodes lead nowhere.
            "--kubelet-preferred-address-types=InternalIP".to_owned(),
            "--max-requests-inflight=2000".to_owned(),
            "--max-mutating-requests-inflight=1000".to_owned(),
        ];
        if !options.controllers {
            // Nobody makes the accounts that it asks for.
            api.push("--disable-admission-plugins=ServiceAccount".to_owned());
        }
        let how = (binaries.path("kube-apiserver"), api);
        let mut api = Program::start(&how.0, &how.1, path)?;

        let certificate = path.join("certificates/apiserver.crt");
        let limit = Duration::from_secs(120);
        api.until("the certificate of the API server", limit, async || certificate.is_file()).await?;
        let authority = std::fs::read(&certificate).map_err(Error::file(&certificate))?;
        let url = format!("https://{secure}");
        let client = Client::new(&url, &authority, "admin")?;
        api.until("the API server", limit, async || client.answers("/readyz").await).await?;
        let namespace = "/api/v1/namespaces/default";
        api.until("the default namespace", limit, async || client.answers(namespace).await).await?;

        let kubeconfig = path.join("kubeconfig");
        let text = credentials::kubeconfig(&options.name, &url, &authority);
        std::fs::write(&kubeconfig, text).map_err(Error::file(&kubeconfig))?;
        let (store, programs) = (format!("http://{clients}"), vec![api, etcd]);
        let mut cluster = Self { url, authority, kubeconfig, client, api: how, store, programs, folder };
        if options.controllers {
            cluster.start_controllers(binaries, options).await?;
        }
        Ok(cluster)
    }

    async fn start_controllers(&mut self, binaries: &Binaries, options: &Options) -> Result<(), Error> {
        let path = self.folder.path().to_owned();
        let kubeconfig = "--kubeconfig=kubeconfig";
        // Faster than the defaults, which are made for clusters with more to lose.
        let plain =
            [kubeconfig, "--leader-elect=false", "--secure-port=0", "--kube-api-qps=300", "--kube-api-burst=600"];
        let own = [
            "--service-account-private-key-file=service-account.key",
            "--root-ca-file=certificates/apiserver.crt",
            "--namespace-sync-period=1m",
        ];
        let manager = [&plain[..], &own[..]].concat();
        let (images, log) = (path.join("stages.yaml"), path.join("container.log"));
        let said = format!("2026-01-01T00:00:00.000000000Z stdout F {}\n", options.said);
        std::fs::write(&log, said).map_err(Error::file(&log))?;
        let document = stages::document(&options.images, options.faster) + &stages::logs(&log);
        std::fs::write(&images, document).map_err(Error::file(&images))?;
        // The API server asks the kubelets for logs, over TLS.
        let [port] = free_ports::<1>().map_err(Error::file("127.0.0.1"))?;
        let (port, server) = (format!("--node-port={port}"), format!("--server-address=127.0.0.1:{port}"));
        let kwok = [
            kubeconfig,
            "--manage-all-nodes",
            "--config=stages.yaml",
            "--node-lease-duration-seconds=40",
            "--node-ip=127.0.0.1",
            &port,
            &server,
            "--tls-cert-file=certificates/apiserver.crt",
            "--tls-private-key-file=certificates/apiserver.key",
        ];
        for node in nodes(options.nodes) {
            self.client.done("POST", "/api/v1/nodes", Some(&node)).await?;
        }
        let mut programs = vec![
            Program::start(&binaries.path("kube-controller-manager"), &manager, &path)?,
            Program::start(&binaries.path("kube-scheduler"), &plain, &path)?,
            Program::start(&binaries.path("kwok"), &kwok, &path)?,
        ];
        let limit = Duration::from_secs(120);
        let client = self.client.clone();
        let account = "/api/v1/namespaces/default/serviceaccounts/default";
        programs[0].until("the default service account", limit, async || client.answers(account).await).await?;
        let wanted = options.nodes as usize;
        let ready = async || client.done("GET", "/api/v1/nodes", None).await.is_ok_and(|n| ready_nodes(&n) == wanted);
        programs[2].until("ready nodes", limit, ready).await?;
        programs.append(&mut self.programs);
        self.programs = programs;
        Ok(())
    }

    /// Makes the cluster forget its past: the store is compacted, and the API server, which has a memory of its own, starts again.
    ///
    /// # Errors
    /// When the store refuses, or the API server does not come back.
    pub async fn forget_history(&mut self) -> Result<(), Error> {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "forgotten-"}});
        let made = self.client.done("POST", "/api/v1/namespaces/default/configmaps", Some(&map)).await?;
        let body = json!({"revision": made["metadata"]["resourceVersion"], "physical": true});
        Client::plain(&self.store)?.done("POST", "/v3/kv/compaction", Some(&body)).await?;
        let at = self.programs.iter().position(|program| program.is(&self.api.0)).unwrap_or_default();
        // The old one ends first: both want the same port.
        drop(self.programs.remove(at));
        let mut api = Program::start(&self.api.0, &self.api.1, self.folder.path())?;
        let client = self.client.clone();
        let ready = async || client.answers("/readyz").await;
        api.until("the API server", Duration::from_secs(120), ready).await?;
        self.programs.insert(at, api);
        Ok(())
    }

    /// The address of its API.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The certificates that its clients trust, as PEM.
    pub fn authority(&self) -> &[u8] {
        &self.authority
    }

    /// A kubeconfig with a context for each user: `admin@NAME`, `limited@NAME`, `delegate@NAME`. Tokens are named as their users.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Its API, as the administrator.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Whether all of its programs run.
    ///
    /// # Errors
    /// The first that does not, with the end of what it said.
    pub fn check(&mut self) -> Result<(), Error> {
        self.programs.iter_mut().try_for_each(Program::is_running)
    }
}

/// Nodes that are ready, and from which the controllers have taken the taint of new ones.
fn ready_nodes(list: &serde_json::Value) -> usize {
    let nodes = list["items"].as_array().into_iter().flatten();
    let is_ready = |node: &&serde_json::Value| {
        let mut conditions = node["status"]["conditions"].as_array().into_iter().flatten();
        conditions.any(|c| c["type"] == "Ready" && c["status"] == "True") && node["spec"]["taints"].is_null()
    };
    nodes.filter(is_ready).count()
}
