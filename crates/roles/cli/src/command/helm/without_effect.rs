//! Flags of `helm template` that change nothing in what is printed, there and here: scripts may give them.

use std::path::PathBuf;

/// They are about installing, or about a cluster that is not asked.
#[derive(Debug, clap::Args)]
pub(super) struct WithoutEffect {
    #[arg(long, hide = true)]
    atomic: bool,
    #[arg(long, hide = true)]
    wait: bool,
    #[arg(long, hide = true)]
    wait_for_jobs: bool,
    #[arg(long, hide = true)]
    timeout: Option<String>,
    #[arg(long, hide = true)]
    force: bool,
    #[arg(long, hide = true)]
    replace: bool,
    #[arg(long, hide = true)]
    description: Option<String>,
    #[arg(short = 'l', long, hide = true)]
    labels: Vec<String>,
    #[arg(long, hide = true)]
    take_ownership: bool,
    #[arg(long, hide = true)]
    hide_notes: bool,
    #[arg(long, hide = true)]
    create_namespace: bool,
    #[arg(long, hide = true)]
    disable_openapi_validation: bool,
    #[arg(long, hide = true)]
    kubeconfig: Option<PathBuf>,
    #[arg(long, hide = true)]
    kube_context: Option<String>,
    #[arg(long, hide = true)]
    kube_apiserver: Option<String>,
    #[arg(long, hide = true)]
    kube_as_group: Vec<String>,
    #[arg(long, hide = true)]
    kube_as_user: Option<String>,
    #[arg(long, hide = true)]
    kube_ca_file: Option<PathBuf>,
    #[arg(long, hide = true)]
    kube_insecure_skip_tls_verify: bool,
    #[arg(long, hide = true)]
    kube_tls_server_name: Option<String>,
    #[arg(long, hide = true)]
    kube_token: Option<String>,
    #[arg(long, hide = true)]
    burst_limit: Option<i64>,
    #[arg(long, hide = true)]
    qps: Option<f32>,
    /// Where a cache would lie: charts are fetched anew.
    #[arg(long, hide = true)]
    repository_cache: Option<PathBuf>,
}
