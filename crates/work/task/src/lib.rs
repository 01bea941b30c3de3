//! What every task handler gets and gives: a log, checkpoints, the wish to stop, a clock, a folder of its own.
//!
//! A handler may be called again after a crash with the checkpoint that the server has, on another machine: everything it does
//! must bear being done twice (kubernetes-deploy §4.4). Tasks arrive with their secrets opened: a handler never logs a task, and
//! what it logs is masked on its way out.

mod context;
mod log;
mod record;

pub use context::{Reporter, TaskContext};
pub use log::{Level, Log};
pub use record::{Recorded, Recorder};

use async_trait::async_trait;
use windlass_model::task::{Outcome, Task};

/// Does one kind of work.
#[async_trait]
pub trait Handler: Send + Sync {
    /// The names of [`windlass_model::task::Work`] that it does.
    fn types(&self) -> &'static [&'static str];

    /// Does the work, from the checkpoint if there is one. Ends soon after `cx.cancelled()` is, with what was done by then.
    async fn run(&self, cx: &TaskContext, task: &Task) -> Outcome;
}
