//! Running: output on its way out, time, and the end.

use crate::capture::{Capture, Captured, Part};
use crate::error::RunError;
use crate::group::Group;
use crate::program::{Program, Secret};
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use windlass_clock::Clock;
use windlass_model::Millis;

/// Which output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stream {
    Out,
    Err,
}

/// Bytes as the program printed them. Mask them before anybody sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub stream: Stream,
    pub bytes: Vec<u8>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    /// Ended by a signal that did not come from here.
    Signal(i32),
}

/// A program that ended by itself, well or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    pub program: String,
    pub exit: Exit,
    /// The first bytes.
    pub stdout: Captured,
    /// The last bytes.
    pub stderr: Captured,
    /// Bytes that were not passed on because there were too many.
    pub unstreamed: u64,
    pub took: Duration,
}

impl Finished {
    pub fn success(&self) -> bool {
        self.exit == Exit::Code(0)
    }

    /// All of standard output, or an error when a part of it is missing.
    pub fn whole_stdout(&self) -> Result<&[u8], RunError> {
        if self.stdout.dropped == 0 {
            return Ok(&self.stdout.bytes);
        }
        Err(RunError::TooMuchOutput { program: self.program.clone(), limit: self.stdout.bytes.len() })
    }
}

/// How long outputs may stay open after the program ended: a process that left the group can hold them for ever.
const LINGER: Millis = Millis::from_secs(2);

impl Program {
    /// Runs the program to its end. `stop` ends it early, as its time limit does: SIGTERM to the whole group, then SIGKILL. Dropping
    /// the future kills the group at once. Time is measured by `clock`; give a real one, for programs do not live in virtual time.
    pub async fn run(self, clock: &Clock, stop: &CancellationToken) -> Result<Finished, RunError> {
        self.run_with(clock, stop, None).await
    }

    /// The same, passing on what is printed while it runs. A receiver that is slow slows the program down; one that goes away
    /// does not matter.
    pub async fn run_streaming(
        self,
        clock: &Clock,
        stop: &CancellationToken,
        chunks: mpsc::Sender<Chunk>,
    ) -> Result<Finished, RunError> {
        self.run_with(clock, stop, Some(chunks)).await
    }

    async fn run_with(
        self,
        clock: &Clock,
        stop: &CancellationToken,
        chunks: Option<mpsc::Sender<Chunk>>,
    ) -> Result<Finished, RunError> {
        let started = clock.monotonic();
        let limits = self.limits;
        let program = || self.name().to_owned();
        let mut child = self.spawn()?;
        // Declared after the child, so dropped before it: the group is killed while its leader still holds its number.
        let group = child.id().and_then(Group::new);

        let mut outputs = Outputs {
            out: child.stdout.take(),
            err: child.stderr.take(),
            kept_out: Capture::new(Part::First, limits.kept),
            kept_err: Capture::new(Part::Last, limits.kept),
            chunks,
            pending: None,
            left: limits.streamed,
            unstreamed: 0,
        };
        let pipe = child.stdin.take();
        let mut feeding = std::pin::pin!(feed(pipe, self.stdin.clone()));
        let mut fed = false;
        let end = {
            let mut limit = std::pin::pin!(clock.sleep(limits.time));
            loop {
                tokio::select! {
                    status = child.wait() => break End::Exited(status),
                    () = &mut limit => break End::TimeOver,
                    () = stop.cancelled() => break End::Stopped,
                    () = &mut feeding, if !fed => fed = true,
                    read = outputs.step() => read.map_err(|source| RunError::Read { program: program(), source })?,
                }
            }
        };
        let status = match end {
            End::Exited(status) => {
                let status = status.map_err(|source| RunError::Wait { program: program(), source })?;
                // What the program left behind in its group ends with it, and lets go of the outputs. Its number is that of the
                // program, which is gone: it cannot be given away while anybody is left in the group.
                drop(group);
                let _ = clock.timeout(LINGER, outputs.drain()).await;
                status
            }
            early => {
                if let Some(group) = &group {
                    group.terminate();
                }
                let _ = clock.timeout(limits.grace, end_of(&mut child, &mut outputs)).await;
                drop(group);
                let _ = clock.timeout(LINGER, end_of(&mut child, &mut outputs)).await;
                return Err(match early {
                    End::Stopped => RunError::Stopped { program: program() },
                    _ => RunError::TimedOut { program: program(), limit: limits.time, stderr: outputs.kept_err.text() },
                });
            }
        };
        Ok(Finished {
            program: program(),
            exit: exit(status),
            stdout: outputs.kept_out.finish(),
            stderr: outputs.kept_err.finish(),
            unstreamed: outputs.unstreamed,
            took: clock.monotonic().saturating_sub(started),
        })
    }

    fn spawn(&self) -> Result<Child, RunError> {
        let program = self.name().to_owned();
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound if !self.folder().is_dir() => {
                RunError::NoFolder { program: program.clone(), folder: self.folder().display().to_string() }
            }
            io::ErrorKind::NotFound => {
                let path = self.environment().iter().find(|(name, _)| *name == "PATH").map(|(_, path)| path);
                RunError::NotFound { program: program.clone(), path: path.unwrap_or("an empty PATH").to_owned() }
            }
            _ => RunError::Start { program: program.clone(), source },
        };
        self.command()?.spawn().map_err(failed)
    }
}

/// Why running is over.
enum End {
    Exited(io::Result<ExitStatus>),
    TimeOver,
    Stopped,
}

async fn end_of(child: &mut Child, outputs: &mut Outputs) {
    let _ = tokio::join!(child.wait(), outputs.drain());
}

/// Writes standard input and closes it. A program that does not read it to the end is no error.
async fn feed(pipe: Option<ChildStdin>, bytes: Option<Secret>) {
    if let Some((mut pipe, bytes)) = pipe.zip(bytes) {
        let _ = pipe.write_all(&bytes.0).await;
        let _ = pipe.shutdown().await;
    }
}

fn exit(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Code(-1),
    }
}

/// Both outputs while they are open. Everything here can be interrupted between any two awaits without losing a byte.
struct Outputs {
    out: Option<tokio::process::ChildStdout>,
    err: Option<tokio::process::ChildStderr>,
    kept_out: Capture,
    kept_err: Capture,
    chunks: Option<mpsc::Sender<Chunk>>,
    /// Read, and not passed on yet.
    pending: Option<Chunk>,
    left: u64,
    unstreamed: u64,
}

impl Outputs {
    /// Passes on what was read last, or takes the next chunk of either output; waits for ever when both are closed.
    async fn step(&mut self) -> io::Result<()> {
        if self.pending.is_some() {
            self.pass_on().await;
            return Ok(());
        }
        let (stream, bytes) = tokio::select! {
            bytes = next(&mut self.out) => (Stream::Out, bytes?),
            bytes = next(&mut self.err) => (Stream::Err, bytes?),
        };
        match stream {
            Stream::Out => self.kept_out.push(&bytes),
            Stream::Err => self.kept_err.push(&bytes),
        }
        if self.chunks.is_some() {
            self.hold(stream, bytes);
        }
        Ok(())
    }

    async fn pass_on(&mut self) {
        if let Some(chunks) = &self.chunks
            && let Ok(place) = chunks.reserve().await
        {
            if let Some(chunk) = self.pending.take() {
                place.send(chunk);
            }
            return;
        }
        // Nobody listens any more.
        self.chunks = None;
        self.pending = None;
    }

    fn hold(&mut self, stream: Stream, mut bytes: Vec<u8>) {
        let fits = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
        self.unstreamed += (bytes.len() - fits) as u64;
        self.left -= fits as u64;
        bytes.truncate(fits);
        self.pending = (!bytes.is_empty()).then_some(Chunk { stream, bytes });
    }

    /// Reads until both are closed and everything is passed on.
    async fn drain(&mut self) {
        while self.out.is_some() || self.err.is_some() || self.pending.is_some() {
            if self.step().await.is_err() {
                return;
            }
        }
    }
}

/// The next bytes; forgets the pipe at its end, and never answers without one.
async fn next<R: AsyncRead + Unpin>(pipe: &mut Option<R>) -> io::Result<Vec<u8>> {
    let Some(reader) = pipe else { return std::future::pending().await };
    let mut bytes = vec![0; 16 << 10];
    let length = reader.read(&mut bytes).await?;
    if length == 0 {
        *pipe = None;
    }
    bytes.truncate(length);
    Ok(bytes)
}
