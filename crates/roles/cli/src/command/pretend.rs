//! What the commands of the pretend outside share: `kube-sim`, `git-sim`, `workloads`.

use crate::failure::CliFailure;
use std::net::SocketAddr;
use std::path::Path;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// An error with all its causes.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text.push_str(&format!(": {next}"));
        cause = next.source();
    }
    text
}

pub(super) async fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), CliFailure> {
    let failed = |error: std::io::Error| {
        CliFailure::failed(format!("cannot listen on {address}: {error}"))
            .hint("choose another --listen; port 0 takes any")
    };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}

/// Serves until somebody asks to stop. Connections that are open then are closed: nothing here outlives the process.
pub(super) async fn serve(
    stop: CancellationToken,
    service: impl Future<Output = std::io::Result<()>>,
) -> Result<(), CliFailure> {
    tokio::select! {
        served = service => served.map_err(|e| CliFailure::failed(format!("the listener ended: {e}"))),
        () = stop.cancelled() => Ok(()),
    }
}

/// Plain HTTP with tokens is for this machine only.
pub(super) fn check_loopback(address: SocketAddr) -> Result<(), CliFailure> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    Err(CliFailure::usage(format!("plain HTTP is for this machine only: {address} is reachable from others"))
        .hint("listen on 127.0.0.1, and put a proxy with TLS in front"))
}

/// Writes a file that only its owner can read. Whoever reads meanwhile sees the old file or the new one, never a half.
pub(super) fn write_private(path: &Path, text: &str) -> Result<(), CliFailure> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let failed = |error: std::io::Error| CliFailure::usage(format!("cannot write {}: {error}", path.display()));
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}", std::process::id()));
    let mut file =
        std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    std::fs::rename(&draft, path).map_err(failed)
}

/// A name and what it is, apart at the first `=`.
pub(super) fn pair<'a>(flag: &str, text: &'a str, shape: &str) -> Result<(&'a str, &'a str), CliFailure> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok((name, value)),
        // The text may hold a secret: only what stands before the `=` is repeated.
        _ => Err(CliFailure::usage(format!("{flag} {}…", text.split('=').next().unwrap_or_default()))
            .hint(format!("write {flag} {shape}"))),
    }
}
