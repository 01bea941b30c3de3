//! Builds ask and wait; what brings the answer is asynchronous.

use crate::error::RenderError;
use crate::outside::Outside;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use tokio::runtime::Handle;

/// How a build waits for what it asks for.
#[derive(Clone, Debug)]
pub(crate) enum Waits {
    /// For the runtime, on a thread that may block.
    Runtime(Handle),
    /// Everything that may be asked for is here: folders that stand for all repositories, and no network.
    Never,
}

impl Waits {
    /// Must be called within a tokio runtime.
    pub(crate) fn of(outside: &Outside) -> Self {
        if outside.network.is_none() && outside.repositories.are_folders() {
            Self::Never
        } else {
            Self::Runtime(Handle::current())
        }
    }

    /// Builds where it may wait so. In a rehearsal, where nothing is waited for, nothing is left to another thread either: see
    /// [`windlass_clock::apart`].
    pub(crate) async fn build<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, RenderError> + Send + 'static,
    ) -> Result<T, RenderError> {
        match self {
            Self::Runtime(_) => tokio::task::spawn_blocking(work).await.map_err(|_| RenderError::Interrupted)?,
            Self::Never => windlass_clock::apart(work).await.map_err(|_| RenderError::Interrupted)?,
        }
    }

    /// Within [`Self::build`].
    pub(crate) fn answer<T>(&self, question: impl Future<Output = T>) -> T {
        match self {
            Self::Runtime(handle) => handle.block_on(question),
            Self::Never => match pin!(question).poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(answer) => answer,
                Poll::Pending => unreachable!("folders answer at once"),
            },
        }
    }
}
