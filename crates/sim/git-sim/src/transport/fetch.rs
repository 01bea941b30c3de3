//! `POST git-upload-pack`: objects on the way to a client.

use super::{TransportError, enter, git_answer, protocol};
use crate::body::collect;
use crate::fault::Door;
use crate::{GitError, GitSim};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use futures::{StreamExt, stream};
use tokio::io::AsyncWriteExt;
use tokio_util::io::ReaderStream;

/// What a client wants and has, bytes: a hundred thousand lines.
const REQUEST_LIMIT: u64 = 8 << 20;

pub(super) async fn upload_pack(
    State(sim): State<GitSim>,
    Path((org, repo)): Path<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, TransportError> {
    let (repo, _) = enter(&sim, &headers, &org, &repo, Door::Fetch).await?;
    let wants = collect(&headers, body, REQUEST_LIMIT).await?;
    let permit = sim.inner().processes.clone().acquire_owned().await;
    let git = repo.git().env("GIT_PROTOCOL", protocol(&headers)).args(["upload-pack", "--stateless-rpc", "."]);
    let (mut child, input) = git.input(wants).start()?;
    let stdout = child.stdout.take().ok_or_else(|| GitError::Start(std::io::ErrorKind::BrokenPipe.into()))?;
    let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
    tokio::spawn(async move {
        let write = async {
            if let Some(mut stdin) = stdin {
                let _ = stdin.write_all(&input).await;
            }
        };
        let drain = async {
            if let Some(mut stderr) = stderr {
                let _ = tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await;
            }
        };
        tokio::join!(write, drain);
    });
    // The process and its permit live as long as the answer: a client that goes away ends it.
    let pack = stream::unfold((ReaderStream::new(stdout), child, permit), |(mut stdout, child, permit)| async move {
        stdout.next().await.map(|chunk| (chunk, (stdout, child, permit)))
    });
    Ok(git_answer("application/x-git-upload-pack-result", Body::from_stream(pack)))
}
