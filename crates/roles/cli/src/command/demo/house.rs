//! The installation of the demo: every process, and how to talk to it.

use super::files;
use super::process::{self, Process};
use super::tell;
use crate::failure::CliFailure;
use crate::output;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use windlass_clock::Clock;

/// Business time begins here: a Tuesday morning, five minutes after the change window has opened.
pub(super) const START: &str = "2026-03-03T10:05:00Z";

/// The Saturday after: nobody changes production then.
pub(super) const WEEKEND: &str = "2026-03-07T03:00:00Z";

/// Where something runs: the cluster, and the delegate that alone has its credentials.
#[derive(Debug)]
pub(super) struct Site {
    /// `prod`, as in the paths and names of the example.
    pub(super) environment: &'static str,
    _cluster: Process,
    pub(super) api: String,
    pub(super) admin_token: String,
    kubeconfig: PathBuf,
    delegate_token: String,
    pub(super) delegates: Vec<Process>,
}

#[derive(Debug)]
pub(super) struct House {
    program: PathBuf,
    folder: PathBuf,
    time_scale: u32,
    /// The real moment at which business time was [`START`].
    anchor: String,
    server: Option<Process>,
    address: String,
    forge: Option<Process>,
    pub(super) forge_url: String,
    pub(super) sites: Vec<Site>,
}

/// The tokens of the pretend outside: they open nothing but this demo.
const CATALOGUE_TOKEN: &str = "catalogue-of-the-demo";
const APPLICATION_TOKEN: &str = "application-of-the-demo";
/// Whoever edits the catalogue.
pub(super) const EDITOR_TOKEN: &str = "editor-of-the-demo";

impl House {
    pub(super) fn build(folder: PathBuf, time_scale: u32) -> Result<Self, CliFailure> {
        files::unpack(&folder)?;
        let program = std::env::current_exe()
            .map_err(|error| CliFailure::failed(format!("cannot find this program again: {error}")))?;
        let folder = folder
            .canonicalize()
            .map_err(|error| CliFailure::failed(format!("cannot use {}: {error}", folder.display())))?;
        Ok(Self {
            program,
            folder,
            time_scale,
            anchor: Clock::system().now().to_string(),
            server: None,
            address: "127.0.0.1:0".to_owned(),
            forge: None,
            forge_url: String::new(),
            sites: Vec::new(),
        })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The flags of business time. Everything but the server lives on the same Tuesday throughout.
    fn clock(&self, start: &str) -> Vec<String> {
        let scale = self.time_scale.to_string();
        let pairs = [("--clock-start", start), ("--time-scale", &scale), ("--clock-anchor", &self.anchor)];
        pairs.into_iter().flat_map(|(flag, value)| [flag.to_owned(), value.to_owned()]).collect()
    }

    /// This program, with the demo's own configuration and nothing of the surroundings.
    pub(super) fn command(&self) -> Command {
        let mut command = process::command(&self.program);
        for name in ["WINDLASS_SERVER", "WINDLASS_TOKEN", "DELEGATE_TOKEN", "DELEGATE_NAME", "WINDLASS_DATABASE"] {
            command.env_remove(name);
        }
        command.current_dir(&self.folder).env("WINDLASS_CONFIG", self.folder.join("profile.json"));
        command.env("WINDLASS_ORG", "default").env("WINDLASS_PROJECT", "platform");
        command
    }

    /// Starts the server where it was before, or for the first time; then the answer is the one-time code.
    pub(super) async fn start_server(&mut self, start: &str) -> Result<Option<String>, CliFailure> {
        let mut command = self.command();
        command
            .args(["server", "--listen", &self.address, "--heartbeat", "300ms", "--data"])
            .arg(self.folder.join("data"));
        command.args(self.clock(start));
        let mut server = Process::start("server", command, &self.folder)?;
        self.address = server.says("serves http://").await?;
        let code = server.said("--code ");
        self.server = Some(server);
        Ok(code)
    }

    pub(super) fn kill_server(&mut self) {
        if let Some(server) = &mut self.server {
            server.kill();
        }
    }

    pub(super) async fn start_forge(&mut self) -> Result<(), CliFailure> {
        let mut command = self.command();
        command.args(["git-sim", "--listen", "127.0.0.1:0"]);
        command.args(["--repository", "acme/platform-catalog=repositories/platform-catalog"]);
        command.args(["--repository", "acme-payments/payment-service=repositories/payment-service"]);
        for token in [
            format!("delivery-bot@acme:read={CATALOGUE_TOKEN}"),
            format!("delivery-bot@acme-payments:read={APPLICATION_TOKEN}"),
            format!("editor@acme:write={EDITOR_TOKEN}"),
        ] {
            command.args(["--token", &token]);
        }
        command.args(self.clock(START));
        let mut forge = Process::start("forge", command, &self.folder)?;
        let said = forge.says("git-sim serves ").await?;
        self.forge_url = said.split(',').next().unwrap_or_default().to_owned();
        self.forge = Some(forge);
        Ok(())
    }

    /// Starts a cluster with its metrics. Answers with the address of the metrics.
    pub(super) async fn start_cluster(&mut self, environment: &'static str) -> Result<String, CliFailure> {
        let (admin_token, user_token) = (format!("admin-of-{environment}"), format!("delegate-of-{environment}"));
        let kubeconfig = self.folder.join(format!("{environment}.kubeconfig"));
        let mut command = self.command();
        command.args(["kube-sim", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--name", environment]);
        command.args(["--admin-token", &admin_token, "--user-token", &format!("delegate={user_token}")]);
        command.args(["--seed", &format!("clusters/{environment}.yaml"), "--workloads", "workloads.yaml"]);
        command.arg("--kubeconfig").arg(&kubeconfig).args(self.clock(START));
        let mut cluster = Process::start(&format!("cluster-{environment}"), command, &self.folder)?;
        let said = cluster.says("serves https://").await?;
        let api = format!("http://{}", said.split(',').next().unwrap_or_default());
        let metrics = said.split_once("metrics ").map_or(String::new(), |(_, url)| url.to_owned());
        let delegate_token = String::new();
        let delegates = Vec::new();
        self.sites.push(Site {
            environment,
            _cluster: cluster,
            api,
            admin_token,
            kubeconfig,
            delegate_token,
            delegates,
        });
        Ok(metrics)
    }

    pub(super) fn site(&self, environment: &str) -> Result<&Site, CliFailure> {
        let found = self.sites.iter().find(|site| site.environment == environment);
        found.ok_or_else(|| CliFailure::internal(format!("the demo has no cluster {environment}")))
    }

    fn site_mut(&mut self, environment: &str) -> Result<&mut Site, CliFailure> {
        let found = self.sites.iter_mut().find(|site| site.environment == environment);
        found.ok_or_else(|| CliFailure::internal(format!("the demo has no cluster {environment}")))
    }

    /// Starts one more delegate in front of a cluster. Only it has credentials there, and the tokens of the forge as files.
    pub(super) async fn start_delegate(&mut self, environment: &str) -> Result<(), CliFailure> {
        let name = format!("delegate-{environment}-euw1");
        let known = self.site(environment)?.delegate_token.clone();
        let token = if known.is_empty() { self.quiet(&["delegate", "token", "create", &name]).await? } else { known };
        let secrets = self.folder.join("secrets");
        files::write(&secrets.join("platform-catalog-token"), CATALOGUE_TOKEN)?;
        files::write(&secrets.join("payments-token"), APPLICATION_TOKEN)?;
        let site = self.site(environment)?;
        let process = format!("{name}-{}", site.delegates.len() + 1);
        let mut command = self.command();
        command.args([
            "--server",
            &self.url(),
            "delegate",
            "--name",
            &name,
            "--kube-context",
            &format!("delegate@{environment}"),
        ]);
        command.arg("--kubeconfig").arg(&site.kubeconfig).arg("--secrets-folder").arg(&secrets);
        command.arg("--work-folder").arg(self.folder.join(format!("{process}.work"))).args(self.clock(START));
        command.env("DELEGATE_TOKEN", token.trim());
        let mut delegate = Process::start(&process, command, &self.folder)?;
        delegate.says("connected").await?;
        let site = self.site_mut(environment)?;
        site.delegate_token = token;
        site.delegates.push(delegate);
        Ok(())
    }

    /// Kills the delegate of a cluster that was started as number `at`.
    pub(super) fn kill_delegate(&mut self, environment: &str, at: usize) -> Result<(), CliFailure> {
        if let Some(delegate) = self.site_mut(environment)?.delegates.get_mut(at) {
            delegate.kill();
        }
        Ok(())
    }

    /// Runs a command line and answers with what it printed, whether it went well, and what went wrong.
    pub(super) async fn attempt(
        &self,
        key: Option<&str>,
        arguments: &[&str],
    ) -> Result<(bool, String, String), CliFailure> {
        let mut command = self.command();
        command.args(arguments);
        if let Some(key) = key {
            command.env("WINDLASS_TOKEN", key);
        }
        let output = process::output(command).await?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok((output.status.success(), text(&output.stdout), text(&output.stderr)))
    }

    /// Runs a command line that must go well, without showing it.
    pub(super) async fn quiet(&self, arguments: &[&str]) -> Result<String, CliFailure> {
        let (ok, out, err) = self.attempt(None, arguments).await?;
        if ok {
            Ok(out)
        } else {
            Err(CliFailure::failed(format!("`windlass {}` failed:\n{out}{err}", arguments.join(" "))))
        }
    }

    /// The same as JSON.
    pub(super) async fn json(&self, arguments: &[&str]) -> Result<Value, CliFailure> {
        let all: Vec<&str> = arguments.iter().copied().chain(["-o", "json"]).collect();
        let out = self.quiet(&all).await?;
        serde_json::from_str(&out)
            .map_err(|error| CliFailure::failed(format!("{} printed no JSON: {error}", all.join(" "))))
    }

    /// Shows a command line and what it prints, live.
    pub(super) async fn show(&self, arguments: &[&str]) -> Result<bool, CliFailure> {
        tell::prompt(arguments);
        let mut command = self.command();
        command.args(arguments);
        process::shown(command).await
    }

    /// Addresses and logins, for whoever stays.
    pub(super) fn introduce(&self) {
        output::line("");
        output::line(format!("Windlass serves {}. In another terminal:", self.url()));
        output::line(format!("  export WINDLASS_CONFIG={}", self.folder.join("profile.json").display()));
        output::line("  export WINDLASS_ORG=default WINDLASS_PROJECT=platform");
        output::line("  windlass run list");
        for site in &self.sites {
            output::line(format!("  kubectl --kubeconfig {} get pods -A", site.kubeconfig.display()));
        }
        output::line(format!("The forge is {} (editor: {EDITOR_TOKEN}). Ctrl-C ends everything.", self.forge_url));
    }
}
