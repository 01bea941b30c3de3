//! `POST git-receive-pack`: objects and ref changes from a client.

use super::report::{self, Command};
use super::{TransportError, enter, git_answer, protocol};
use crate::GitSim;
use crate::access::Right;
use crate::body::{BodyError, receive};
use crate::fault::Door;
use crate::repo::RefUpdate;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use std::io::{Read, Seek, Write};

/// The part of a request that names the refs, bytes: ten thousand of them.
const COMMANDS_LIMIT: u64 = 2 << 20;

pub(super) async fn receive_pack(
    State(sim): State<GitSim>,
    Path((org, repo)): Path<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, TransportError> {
    let (repo, token) = enter(&sim, &headers, &org, &repo, Door::Push).await?;
    // Kept in a file first, so that a slow client holds no process and no lock.
    let mut file = tempfile::tempfile().map_err(BodyError::Keep)?;
    receive(&headers, body, sim.inner().options.pack_limit, |data| file.write_all(data)).await?;
    let commands = read_commands(&mut file)?;

    if token.right_on(repo.name()) < Some(Right::Admin) {
        let protected = sim.with(repo.name(), |state| state.protected.clone())?;
        if let Some(answer) = report::refuse_protected(&commands, &protected) {
            return Ok(git_answer("application/x-git-receive-pack-result", answer.into()));
        }
    }

    let _permit = sim.inner().processes.acquire().await;
    let git = repo.git().env("GIT_PROTOCOL", protocol(&headers)).args(["receive-pack", "--stateless-rpc", "."]);
    let answer = git.answer(file).await?;
    let done = report::accepted(&commands, &answer);
    let updates = done.into_iter().map(|Command { name, old, new, .. }| RefUpdate { name, old, new });
    repo.announce(token.user(), updates.collect()).await;
    Ok(git_answer("application/x-git-receive-pack-result", answer.into()))
}

/// Reads the commands at the start of a request and leaves the file at its start.
fn read_commands(file: &mut std::fs::File) -> Result<Vec<Command>, TransportError> {
    let mut start = Vec::new();
    file.rewind().map_err(BodyError::Keep)?;
    file.take(COMMANDS_LIMIT).read_to_end(&mut start).map_err(BodyError::Keep)?;
    file.rewind().map_err(BodyError::Keep)?;
    report::commands(start.into()).ok_or(TransportError::Protocol)
}
